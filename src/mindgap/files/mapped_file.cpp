#include "mindgap/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "mindgap/base/error.h"

namespace mindgap::files {
namespace {

// What the signal handler may look at: fixed places, each written as a whole before `end` says that it holds.
struct GuardedRange {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<bool> broken{false};
};
std::array<GuardedRange, 64> guarded_ranges;
struct sigaction handler_before {};

// In a signal handler: mmap is a system call and nothing else on Linux.
void handle_bus_error(int signal, siginfo_t* info, void* context) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (GuardedRange& range : guarded_ranges) {
    const std::uintptr_t end = range.end.load(std::memory_order_acquire);
    const std::uintptr_t begin = range.begin.load(std::memory_order_relaxed);
    if (at < begin || at >= end) continue;
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::uintptr_t from = at / page * page;
    // Zeros from here to the end: a file that was cut has nothing there either.
    void* const zeros = ::mmap(reinterpret_cast<void*>(from), end - from, PROT_READ,
                               MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    range.broken.store(true, std::memory_order_release);
    if (zeros != MAP_FAILED) return;
  }
  // Not ours: as if we had not been there.
  if ((handler_before.sa_flags & SA_SIGINFO) != 0 && handler_before.sa_sigaction != nullptr) {
    handler_before.sa_sigaction(signal, info, context);
  } else if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN) {
    handler_before.sa_handler(signal);
  } else {
    ::sigaction(SIGBUS, &handler_before, nullptr);  // happens again, and then ends the program
  }
}

// Also where somebody else has put a handler of theirs in place since.
void install_handler() {
  struct sigaction now {};
  ::sigaction(SIGBUS, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == &handle_bus_error) return;
  handler_before = now;
  struct sigaction ours {};
  ours.sa_sigaction = &handle_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigemptyset(&ours.sa_mask);
  ::sigaction(SIGBUS, &ours, nullptr);
}

std::mutex& mappings_mutex() {
  static std::mutex mutex;
  return mutex;
}

[[noreturn]] void fail_mapping(const std::string& name, const char* what) {
  throw StoreError(name + ": cannot " + what + ": " + std::strerror(errno));
}

}  // namespace

struct MappedFile::Mapping {
  explicit Mapping(const std::filesystem::path& path) : name(path.string()) {
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail_mapping(name, "open");
    try {
      map();
    } catch (...) {
      ::close(descriptor);
      throw;
    }
  }
  ~Mapping() {
    const std::lock_guard lock(mappings_mutex());
    std::erase(all(), this);
    range->end.store(0, std::memory_order_release);
    ::munmap(memory, size);
    ::close(descriptor);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  void map() {
    if (::fstat(descriptor, &status) != 0) fail_mapping(name, "open");
    size = static_cast<std::size_t>(status.st_size);
    memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (memory == MAP_FAILED) fail_mapping(name, "map into memory");
    const std::lock_guard lock(mappings_mutex());
    const auto free = std::find_if(guarded_ranges.begin(), guarded_ranges.end(),
                                   [](const GuardedRange& one) { return one.end.load() == 0; });
    if (free == guarded_ranges.end()) {
      ::munmap(memory, size);
      throw StoreError(name + ": too many files are mapped at once");
    }
    range = &*free;
    range->broken.store(false);
    range->begin.store(reinterpret_cast<std::uintptr_t>(memory));
    range->end.store(reinterpret_cast<std::uintptr_t>(memory) + size, std::memory_order_release);
    all().push_back(this);
    install_handler();
  }

  void check() const {
    struct stat now {};
    const bool gone = ::fstat(descriptor, &now) != 0;
    if (range->broken.load(std::memory_order_acquire) || gone || now.st_size < status.st_size) {
      throw StoreError(name + ": the file became shorter, or could not be read, while it was being used");
    }
    if (now.st_size != status.st_size || now.st_mtim.tv_sec != status.st_mtim.tv_sec ||
        now.st_mtim.tv_nsec != status.st_mtim.tv_nsec) {
      throw StoreError(name + ": the file was written to while it was being used");
    }
  }

  static std::vector<const Mapping*>& all() {
    static std::vector<const Mapping*> mappings;
    return mappings;
  }

  std::string name;
  int descriptor = -1;
  struct stat status {};
  std::size_t size = 0;
  void* memory = nullptr;
  GuardedRange* range = nullptr;
};

MappedFile::MappedFile(const std::filesystem::path& path) : mapping_(std::make_shared<const Mapping>(path)) {}

const std::byte* MappedFile::bytes(std::uint64_t offset, std::size_t size) const {
  if (offset > mapping_->size || size > mapping_->size - offset)
    throw StoreError(mapping_->name + ": the file is shorter than its content; it may be damaged");
  return static_cast<const std::byte*>(mapping_->memory) + offset;
}

bool MappedFile::contains(const void* place) const {
  const auto at = reinterpret_cast<std::uintptr_t>(place);
  const auto begin = reinterpret_cast<std::uintptr_t>(mapping_->memory);
  return at >= begin && at < begin + mapping_->size;
}

void check_mapped_files() {
  const std::lock_guard lock(mappings_mutex());
  for (const MappedFile::Mapping* mapping : MappedFile::Mapping::all()) mapping->check();
}

}  // namespace mindgap::files
