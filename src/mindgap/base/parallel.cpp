#include "mindgap/base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "mindgap/base/check.h"
#include "mindgap/base/listener.h"

namespace mindgap::base {

namespace {

void look_or_end(std::atomic<bool>& interrupted) {
  try {
    interruption_point();
  } catch (...) {
    interrupted = true;
    throw;
  }
}

}  // namespace

struct Threads::Arena {
  class Idle;

  explicit Arena(int count) : arena(count) {
    // Without leave TBB starts no more workers than the machine has cores, and says so on stderr.
    if (count > tbb::info::default_concurrency())
      more.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
  }
  std::optional<tbb::global_control> more;
  tbb::task_arena arena;
};

// Arenas that nobody uses now: TBB (2021.8) keeps some 7 KiB of every arena for ever, so they are used again.
// Those with leave for more workers than cores are not kept, for the leave holds for the whole process.
class Threads::Arena::Idle {
 public:
  std::unique_ptr<Arena> take(int count) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      auto& idle = idle_[count];
      if (!idle.empty()) {
        std::unique_ptr<Arena> found = std::move(idle.back());
        idle.pop_back();
        return found;
      }
    }
    return std::make_unique<Arena>(count);
  }
  void give_back(int count, std::unique_ptr<Arena> used) {
    if (!used || used->more) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_[count].push_back(std::move(used));
  }
  static Idle& all() {
    static Idle& arenas = *new Idle;  // never destroyed: loops may run while the program ends
    return arenas;
  }

 private:
  std::mutex mutex_;
  std::map<int, std::vector<std::unique_ptr<Arena>>> idle_;
};

Threads::Threads(int count) : count_(count > 0 ? count : tbb::info::default_concurrency()) {
  check_range("Threads", "count", count, 0, 4096);
  if (count_ > 1) arena_ = Arena::Idle::all().take(count_);
}

Threads::~Threads() {
  Arena::Idle::all().give_back(count_, std::move(arena_));
}

void Threads::for_each_chunk(std::int64_t chunks, const std::function<void(std::int64_t)>& body) const {
  // Which exception is thrown, and what ran before it, must not depend on the threads: every chunk runs and
  // keeps its own.
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(chunks));
  const Listener* listener = current_listener();
  std::atomic<bool> interrupted = false;  // but then the rest is not wanted any more
  const auto run = [&](std::int64_t chunk) {
    if (interrupted) return;
    try {
      const BorrowedListener borrowed(listener);
      if (listener != nullptr && listener->look) look_or_end(interrupted);
      body(chunk);
    } catch (...) {
      errors[static_cast<std::size_t>(chunk)] = std::current_exception();
    }
  };
  if (!arena_ || chunks <= 1) {
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) run(chunk);
  } else {
    run_on_threads(chunks, run);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

template <typename Run>
void Threads::run_on_threads(std::int64_t chunks, const Run& run) const {
#ifdef __SANITIZE_THREAD__
  // libtbb is not instrumented: the thread sanitizer cannot see how it hands work over and would report every
  // loop. Plain threads that share nothing, with chunks dealt out in turn, let it check the bodies.
  std::vector<std::jthread> workers;
  for (int i = 0; i < count_; ++i) {
    workers.emplace_back([&, i] {
      for (std::int64_t chunk = i; chunk < chunks; chunk += count_) run(chunk);
    });
  }
#else
  arena_->arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, chunks, 1), [&](const auto& range) {
      for (std::int64_t chunk = range.begin(); chunk != range.end(); ++chunk) run(chunk);
    });
  });
#endif
}

Range chunk_range(std::int64_t size, std::int64_t chunks, std::int64_t chunk) {
  const std::int64_t base = size / chunks;
  const std::int64_t extra = size % chunks;
  const std::int64_t begin = chunk * base + std::min(chunk, extra);
  return {begin, begin + base + (chunk < extra ? 1 : 0)};
}

}  // namespace mindgap::base
