#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

// A progress bar for people who wait. It never touches a result.
namespace mindgap::base {

/// One line of at most `width` columns, without a line end. total > 0: per cent, bar, counts and the time
/// left, estimated as elapsed * (total - done) / done. total = 0 (not known): a spinner, the count and the
/// elapsed time. What does not fit is left out, the bar first. `elapsed` is in seconds.
std::string render_progress(std::int64_t done, std::int64_t total, double elapsed, int width,
                            std::string_view label = {});

struct ProgressOptions {
  std::string label;           ///< what is being done, shown in front
  std::int64_t total = 0;      ///< how many steps make the whole; 0 = not known
  bool quiet = false;          ///< draw nothing
  std::FILE* output = stderr;  ///< drawn on only when it is a terminal
};

/// Draws render_progress() on one line of a terminal, at most ten times a second, and clears the line at the
/// end. A job that ends within the first tenth of a second shows nothing.
class Progress {
 public:
  /// Throws InvalidArgument when total < 0.
  explicit Progress(ProgressOptions options);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// n more steps are done. Any thread may call it; cheap when nothing is to be drawn.
  void advance(std::int64_t n = 1);
  /// Clears the line; nothing is drawn afterwards. The destructor does the same.
  void finish();

  std::int64_t done() const { return done_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  void draw(Clock::duration elapsed);

  const ProgressOptions options_;
  const bool on_terminal_;
  const Clock::time_point start_;
  std::atomic<std::int64_t> done_{0};
  std::atomic<Clock::rep> next_draw_;  // since start_; whoever moves it on draws
  std::mutex drawing_;                 // guards the two below and the terminal
  bool drawn_ = false;
  bool finished_ = false;
};

}  // namespace mindgap::base
