#include "mindgap/files/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "mindgap/base/error.h"
#include "mindgap/mdp/memory.h"

namespace mindgap::files {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail(const std::string& name, const char* deed) {
  throw StoreError(fmt::format("{}: cannot {}: {}", name, deed, std::strerror(errno)));
}

[[noreturn]] void fail_changed(const std::string& name) {
  throw StoreError(name + ": it became shorter while it was read: try again when it is complete");
}

struct stat status_of(const Descriptor& descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0) fail(name, "open");
  return status;
}

Descriptor open_regular(const std::filesystem::path& path) {
  const std::string name = path.string();
  // O_NONBLOCK: a named pipe must be refused below, not waited for.
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.number() < 0) fail(name, "open");
  const struct stat status = status_of(descriptor, name);
  if (S_ISDIR(status.st_mode)) throw StoreError(name + ": is a folder, expected a file");
  if (!S_ISREG(status.st_mode)) throw StoreError(name + ": is not a regular file");
  return descriptor;
}

// Up to `size` bytes, as many as there are.
std::size_t read_bytes(int descriptor, char* bytes, std::size_t size, const std::string& name) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(descriptor, bytes + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name, "read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

// A mapped file would end the program with a signal where somebody makes the file shorter meanwhile.
TextFile open_text_file(const std::filesystem::path& path) {
  TextFile file{.name = path.string()};
  const Descriptor descriptor = open_regular(path);
  const struct stat status = status_of(descriptor, file.name);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return file;
  mdp::LargePageAllocator<char> memory;
  char* const bytes = memory.allocate(size);
  file.owner = std::shared_ptr<const char>(
      bytes, [memory, size](const char* p) mutable { memory.deallocate(const_cast<char*>(p), size); });
  if (read_bytes(descriptor.number(), bytes, size, file.name) < size) fail_changed(file.name);
  file.text = {bytes, size};
  return file;
}

std::string first_bytes(const std::filesystem::path& path, std::size_t count) {
  const std::string name = path.string();
  const Descriptor descriptor = open_regular(path);
  std::string bytes(count, '\0');
  bytes.resize(read_bytes(descriptor.number(), bytes.data(), count, name));
  return bytes;
}

std::string excerpt(std::string_view text) {
  return std::string(text.substr(0, 200));  // printable() cuts further, and marks the cut
}

}  // namespace mindgap::files
