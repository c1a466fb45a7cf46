#include "mindgap/study/export_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "mindgap/base/error.h"
#include "mindgap/files/output.h"
#include "mindgap/files/place.h"

namespace mindgap::study {
namespace fs = std::filesystem;
namespace {

constexpr const char* kMarker = "observations.jsonl";
// In a temporary folder until everything in it is written.
constexpr const char* kUnfinished = ".unfinished";

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw StoreError(fmt::format("{}: cannot write: {}", path.string(), why));
}

void move(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) fail(to, error.message());
}

// A folder of ours that is there already is empty or holds `marker`.
void check_ours(const fs::path& folder, const char* marker) {
  std::error_code error;
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error))
    throw StoreError(folder.string() + ": is a file, but a folder is to be written");
  if (!fs::is_empty(folder, error) && !fs::exists(folder / marker, error))
    throw StoreError(fmt::format("{}: holds files but no {}; not overwritten", folder.string(), marker));
}

// "<stem>.tmp-7-0", made, or empty where that cannot be. What a killed process left behind is stepped over.
fs::path new_folder(const std::string& stem, std::error_code& error) {
  for (int count = 0; count < 100; ++count) {
    fs::path path = fmt::format("{}.tmp-{}-{}", stem, ::getpid(), count);
    if (fs::create_directory(path, error)) return path;
    if (error) return {};
  }
  return {};
}

// Holds a folder, until this process ends however it ends; -1 where somebody else does.
int hold(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  if (file >= 0) ::close(file);
  return -1;
}

// Temporary folders that killed exports to the same place left.
std::vector<fs::path> leftovers(const std::string& stem) {
  std::vector<fs::path> found;
  const fs::path beginning(stem + ".tmp-");
  std::error_code error;
  for (fs::directory_iterator at(beginning.parent_path(), error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().filename().string().starts_with(beginning.filename().string()) &&
        at->symlink_status(error).type() == fs::file_type::directory)
      found.push_back(at->path());
  }
  return found;
}

// The mark goes last: what is left of an unfinished folder when this is cut short is still marked as one.
void remove_folder(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> inside;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename() != kUnfinished) inside.push_back(at->path());
  }
  for (const fs::path& path : inside) fs::remove_all(path, error);
  fs::remove_all(folder, error);
}

// Another disk may be mounted at a folder: then nothing beside it can take its place.
bool on_one_disk(const fs::path& one, const fs::path& other) {
  struct stat first {};
  struct stat second {};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev;
}

}  // namespace

ExportFolder::ExportFolder(const fs::path& target, std::vector<std::string> side_files)
    : side_files_(std::move(side_files)) {
  std::error_code error;
  exists_ = fs::exists(target, error);
  target_ = fs::weakly_canonical(target, error);
  if (error) fail(target, error.message());
  if (!target_.has_filename()) target_ = target_.parent_path();
  check_ours(target, kMarker);
  check_ours(target / "model", "model.toml");
  remove_leftovers();
  const bool beside = !exists_ || on_one_disk(target_, target_.parent_path());
  if (beside) temporary_ = new_folder(target_.string(), error);
  if (exists_ && temporary_.empty()) temporary_ = new_folder((target_ / "").string(), error);  // next best
  if (temporary_.empty()) fail(target, error.message());
  held_ = hold(temporary_);
  files::write_file(temporary_ / kUnfinished, "");
}

// A folder that was being written is worth nothing. One whose place was taken by the new one may still hold
// what others had put into it.
void ExportFolder::remove_leftovers() const {
  for (const std::string& stem : {target_.string(), (target_ / "").string()}) {
    for (const fs::path& folder : leftovers(stem)) {
      const int held = hold(folder);
      if (held < 0) continue;
      if (exists_ && !files::is_there(folder / kUnfinished)) move_others(folder, target_);
      remove_folder(folder);
      ::close(held);
    }
  }
}

ExportFolder::~ExportFolder() {
  if (!done_) remove_folder(temporary_);
  if (held_ >= 0) ::close(held_);
}

void ExportFolder::commit() {
  files::sync_tree_to_disk(temporary_);
  std::error_code error;
  fs::remove(temporary_ / kUnfinished, error);
  files::sync_to_disk(temporary_);
  put_in_place();
  files::sync_to_disk(target_);
  files::sync_to_disk(target_.parent_path());
}

void ExportFolder::put_in_place() {
  if (!exists_) {
    move(temporary_, target_);
    done_ = true;
  } else if (temporary_.parent_path() == target_) {
    move_in();
  } else {
    exchange();
  }
}

void ExportFolder::exchange() {
  std::error_code error;
  fs::permissions(temporary_, fs::status(target_, error).permissions(), error);
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0)
    return move_in();  // a file system that cannot
  done_ = true;        // from here on the temporary folder is the old one, with what others put there
  move_others(temporary_, target_);
  fs::remove_all(temporary_, error);
}

// Files in `from` that have no namesake in `to` move there.
void ExportFolder::move_others(const fs::path& from, const fs::path& to) const {
  std::vector<fs::path> names;
  for (const auto& entry : fs::directory_iterator(from)) names.push_back(entry.path().filename());
  for (const fs::path& name : names) {
    if (std::find(side_files_.begin(), side_files_.end(), name.string()) != side_files_.end()) continue;
    if (!fs::exists(fs::symlink_status(to / name))) {
      move(from / name, to / name);
    } else if (fs::is_directory(fs::symlink_status(from / name)) && fs::is_directory(to / name)) {
      move_others(from / name, to / name);
    }
  }
}

// The second best: without the marker the folder is no export until everything is there.
void ExportFolder::move_in() {
  done_ = true;
  std::error_code error;
  fs::remove(target_ / kMarker, error);
  for (const std::string& name : side_files_) fs::remove(target_ / name, error);
  for (const auto& entry : fs::directory_iterator(temporary_)) {
    const fs::path name = entry.path().filename();
    if (name == kMarker) continue;
    if (entry.is_directory() && fs::exists(target_ / name)) {
      move_others(target_ / name, entry.path());
      fs::remove_all(target_ / name, error);
    }
    move(entry.path(), target_ / name);
  }
  move(temporary_ / kMarker, target_ / kMarker);
  fs::remove_all(temporary_, error);
}

}  // namespace mindgap::study
