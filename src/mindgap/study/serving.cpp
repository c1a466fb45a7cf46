#include "mindgap/study/serving.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "mindgap/base/error.h"

namespace mindgap::study {
namespace {

std::string holder(int file) {
  char text[300];
  const ssize_t size = ::pread(file, text, sizeof text, 0);
  return base::printable(std::string_view(text, size > 0 ? static_cast<std::size_t>(size) : 0), 300);
}

[[noreturn]] void refuse_served(const std::string& who) {
  throw StoreError(fmt::format(
      "the study is being served ({}), and only the server writes to it meanwhile: record on its "
      "page or through its interface (study import has --to URL), or stop the server first; commands "
      "that only read go on",
      who.empty() ? "by mindgap study serve" : who));
}

// Whether the file that is open is the one that lies there now.
bool is_in_place(int file, const std::filesystem::path& path) {
  struct stat open {
  }, there{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &there) == 0 && open.st_ino == there.st_ino &&
         open.st_dev == there.st_dev;
}

}  // namespace

ServingLock::ServingLock(std::filesystem::path file, const std::string& where) : file_(std::move(file)) {
  for (int look = 0; look < 20; ++look) {  // somebody who looks for a server has the lock for a moment
    if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds(25));
    held_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (held_ < 0)
      throw StoreError(fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(errno)));
    if (::flock(held_, LOCK_EX | LOCK_NB) == 0 && is_in_place(held_, file_)) {
      move_to(where);
      return;
    }
    const std::string who = holder(held_);
    ::close(held_);
    if (look == 19) refuse_served(who);
  }
}

void ServingLock::move_to(const std::string& where) {
  const std::string text = fmt::format("{}, process {}", where, ::getpid());
  if (::ftruncate(held_, 0) != 0 || ::pwrite(held_, text.data(), text.size(), 0) < 0)
    throw StoreError(fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(errno)));
}

ServingLock::~ServingLock() {
  ::unlink(file_.c_str());
  ::close(held_);
}

void refuse_while_served(const std::filesystem::path& file) {
  const int found = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (found < 0) return;
  const bool served = ::flock(found, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  const std::string who = served ? holder(found) : "";
  ::close(found);
  if (served) refuse_served(who);
}

}  // namespace mindgap::study
