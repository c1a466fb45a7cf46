#include "mindgap/files/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/files/place.h"

namespace mindgap::files {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kBuffer = 1 << 18;
thread_local int safe_fields = 0;

std::string temporary_suffix() {
  static std::atomic<unsigned> count = 0;
  return fmt::format(".tmp-{}-{}", ::getpid(), count++);
}

// "out/" names the folder "out"; a temporary name must go beside it, not into it.
fs::path without_slash(const fs::path& path) {
  return path.has_filename() || path == path.root_path() ? path : path.parent_path();
}

[[noreturn]] void fail(const fs::path& path, const char* deed, const std::error_code& error) {
  throw StoreError(fmt::format("{}: cannot {}: {}", path.string(), deed, error.message()));
}

}  // namespace

StagedFile::StagedFile(fs::path target) : target_(std::move(target)), temporary_(target_) {
  std::error_code ignored;
  if (fs::is_directory(target_, ignored)) {
    throw StoreError(target_.string() + ": is a folder, but a file is to be written");
  }
  // What a link points to is replaced, not the link; a device or a pipe is written to, never replaced.
  for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(target_, ignored)); ++links) {
    const fs::path to = fs::read_symlink(target_, ignored);
    target_ = to.is_absolute() ? to : target_.parent_path() / to;
  }
  direct_ = fs::exists(target_, ignored) && !fs::is_regular_file(target_, ignored);
  temporary_ = target_;
  if (!direct_) temporary_ += temporary_suffix();
}

StagedFile::~StagedFile() {
  std::error_code ignored;
  if (!done_ && !direct_) fs::remove(temporary_, ignored);
}

void StagedFile::commit() {
  if (direct_) return;
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) fail(target_, "write", error);
  done_ = true;
}

void check_writable(const fs::path& target) {
  const StagedFile staged(target);
  if (staged.is_direct()) return;  // to open a device or a pipe is a deed of its own
  TextWriter(staged.temporary(), target.string()).close();
}

void write_file(const fs::path& target, std::string_view text) {
  StagedFile staged(target);
  TextWriter out(staged.temporary(), target.string());
  out.text(text);
  out.close();
  staged.commit();
}

void sync_to_disk(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  // A file system that cannot sync folders says EINVAL.
  const bool good = file >= 0 && (::fsync(file) == 0 || errno == EINVAL);
  const std::error_code error(errno, std::generic_category());
  if (file >= 0) ::close(file);
  if (!good) fail(path, "write", error);
}

void sync_tree_to_disk(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::file_status status = at->symlink_status(error);
    if (fs::is_regular_file(status) || fs::is_directory(status)) sync_to_disk(at->path());
  }
  if (error) fail(folder, "write", error);
  sync_to_disk(folder);
}

void make_folders(const fs::path& folder) {
  if (folder.empty() || is_folder(folder)) return;
  const fs::path whole = without_slash(absolute_path(folder)), parent = whole.parent_path();
  if (parent != whole) make_folders(parent);
  std::error_code error;
  fs::create_directory(whole, error);
  if (error || !is_folder(whole)) {
    throw StoreError(fmt::format("{}: the folder cannot be made: {}", folder.string(),
                                 error ? error.message() : "there is a file of that name"));
  }
  sync_to_disk(parent);
}

StagedFolder::StagedFolder(const fs::path& target, const std::string& marker)
    : target_(without_slash(target)) {
  std::error_code error;
  const fs::file_status status = status_at(target_);
  exists_ = fs::exists(status);
  if (exists_ && !fs::is_directory(status)) {
    throw StoreError(target_.string() + ": is a file, but a folder is to be written");
  }
  if (exists_ && !fs::is_empty(target_, error) && !is_there(target_ / marker)) {
    throw StoreError(fmt::format("{}: holds files but no {}; not overwritten", target_.string(), marker));
  }
  temporary_ = exists_ ? target_ / temporary_suffix() : fs::path(target_.string() + temporary_suffix());
  if (!fs::create_directory(temporary_, error)) fail(target_, "write", error);
}

StagedFolder::~StagedFolder() {
  std::error_code ignored;
  if (!done_) fs::remove_all(temporary_, ignored);
}

fs::path StagedFolder::add(const std::string& name) {
  names_.push_back(name);
  return temporary_ / name;
}

void StagedFolder::commit() {
  std::error_code error;
  if (!exists_) {
    fs::rename(temporary_, target_, error);
    if (error) fail(target_, "write", error);
    done_ = true;
    return;
  }
  // Anything that would make a later rename fail is found before the first.
  for (const std::string& name : names_) {
    if (is_folder(target_ / name)) {
      throw StoreError((target_ / name).string() + ": is a folder, but a file is to be written");
    }
  }
  for (const std::string& name : names_) {
    fs::rename(temporary_ / name, target_ / name, error);
    if (error) fail(target_ / name, "write", error);
  }
  fs::remove(temporary_, error);
  done_ = true;
}

TextWriter::TextWriter(const fs::path& path, std::string shown)
    : shown_(std::move(shown)), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) fail();
  buffer_.reserve(kBuffer + 4096);
}

TextWriter& TextWriter::text(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBuffer) flush();
  return *this;
}

SafeForSpreadsheets::SafeForSpreadsheets() {
  ++safe_fields;
}

SafeForSpreadsheets::~SafeForSpreadsheets() {
  --safe_fields;
}

TextWriter& TextWriter::field(std::string_view text) {
  if (safe_fields > 0 && !text.empty() &&
      std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos)
    return quoted_field("'" + std::string(text));
  return quoted_field(text);
}

TextWriter& TextWriter::quoted_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return this->text(text);
  buffer_ += '"';
  for (const char c : text) {
    if (c == '"') buffer_ += '"';
    buffer_ += c;
  }
  return this->text("\"");
}

TextWriter& TextWriter::number(double value) {
  char digits[base::kShortestMax];
  return text({digits, base::write_shortest(digits, value)});
}

TextWriter& TextWriter::number(std::int64_t value) {
  char digits[24];
  return text({digits, std::to_chars(digits, digits + sizeof digits, value).ptr});
}

void TextWriter::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) fail();
  buffer_.clear();
}

void TextWriter::close() {
  flush();
  if (std::fclose(file_.release()) != 0) fail();
}

void TextWriter::fail() const {
  throw StoreError(fmt::format("{}: cannot write: {}", shown_, std::strerror(errno)));
}

}  // namespace mindgap::files
