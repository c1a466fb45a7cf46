#include "mindgap/files/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "mindgap/base/error.h"

namespace mindgap::files {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail(const std::string& name, const char* deed) {
  throw StoreError(fmt::format("{}: cannot {}: {}", name, deed, std::strerror(errno)));
}

}  // namespace

TextFile open_text_file(const std::filesystem::path& path) {
  TextFile file{.name = path.string()};
  // O_NONBLOCK: a named pipe must be refused below, not waited for.
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.number() < 0) fail(file.name, "open");
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0) fail(file.name, "open");
  if (S_ISDIR(status.st_mode)) throw StoreError(file.name + ": is a folder, but a file is wanted");
  if (!S_ISREG(status.st_mode)) throw StoreError(file.name + ": is not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return file;
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.number(), 0);
  if (memory == MAP_FAILED) fail(file.name, "read");
  file.owner =
      std::shared_ptr<const void>(memory, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
  ::madvise(memory, size, MADV_SEQUENTIAL);
  file.text = {static_cast<const char*>(memory), size};
  return file;
}

std::string excerpt(std::string_view text) {
  return std::string(text.substr(0, 200));  // printable() cuts further, and marks the cut
}

}  // namespace mindgap::files
