#include "mindgap/base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::base {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr std::size_t kLongestLabel = 30;
constexpr int kShortestBar = 10;
constexpr int kLongestBar = 40;

// 75 -> "1:15", 3675 -> "1:01:15"
std::string clock_time(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::clamp(std::round(seconds), 0.0, 3.6e9));
  const std::int64_t hours = whole / 3600, minutes = whole / 60 % 60, rest = whole % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, rest)
                   : fmt::format("{}:{:02}", minutes, rest);
}

std::string spinner_line(std::int64_t done, double elapsed) {
  constexpr std::string_view kFrames = "|/-\\";
  const auto frame = static_cast<std::int64_t>(std::clamp(elapsed, 0.0, 1e9) * 10) % 4;
  return fmt::format("{} {} done, {}", kFrames[static_cast<std::size_t>(frame)], done, clock_time(elapsed));
}

std::string bar_line(std::int64_t done, std::int64_t total, double elapsed, int width) {
  done = std::clamp<std::int64_t>(done, 0, total);
  const double share = static_cast<double>(done) / static_cast<double>(total);
  const std::string front = fmt::format("{:3}%", static_cast<int>(100 * share));
  const std::string left =
      done > 0 ? clock_time(elapsed * static_cast<double>(total - done) / static_cast<double>(done))
               : "--:--";
  const std::string back = fmt::format("{}/{}, {} left", done, total, left);
  const int room = width - static_cast<int>(front.size() + back.size()) - 4;  // two spaces, two brackets
  if (room < kShortestBar) return front + " " + back;
  const int length = std::min(room, kLongestBar);
  const auto full = static_cast<std::size_t>(share * length);
  return fmt::format("{} [{}{}] {}", front, std::string(full, '#'),
                     std::string(static_cast<std::size_t>(length) - full, '.'), back);
}

int terminal_width(std::FILE* file) {
  winsize size{};
  return ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string render_progress(std::int64_t done, std::int64_t total, double elapsed, int width,
                            std::string_view label) {
  width = std::max(width, 0);
  std::string line = label.empty() ? "" : printable(label, kLongestLabel) + " ";
  const int room = width - static_cast<int>(line.size());
  line += total > 0 ? bar_line(done, total, elapsed, room) : spinner_line(done, elapsed);
  if (line.size() > static_cast<std::size_t>(width)) line.resize(static_cast<std::size_t>(width));
  return line;
}

Progress::Progress(ProgressOptions options)
    : options_(std::move(options)),
      on_terminal_(!options_.quiet && options_.output != nullptr && isatty(fileno(options_.output)) != 0),
      start_(Clock::now()),
      next_draw_(Clock::duration(kRedraw).count()) {
  check_nonnegative("Progress", "total", static_cast<double>(options_.total));
}

Progress::~Progress() {
  finish();
}

void Progress::advance(std::int64_t n) {
  done_.fetch_add(n, std::memory_order_relaxed);
  if (!on_terminal_) return;
  const Clock::duration elapsed = Clock::now() - start_;
  Clock::rep due = next_draw_.load(std::memory_order_relaxed);
  if (elapsed.count() < due) return;
  const Clock::rep next = (elapsed + kRedraw).count();
  if (next_draw_.compare_exchange_strong(due, next, std::memory_order_relaxed)) draw(elapsed);
}

// "\r" to the start of the line, "\x1b[K" clears what an earlier, longer line left behind. The last column
// stays free: writing there makes some terminals wrap.
void Progress::draw(Clock::duration elapsed) {
  const std::lock_guard lock(drawing_);
  if (finished_) return;
  const std::string line =
      render_progress(done(), options_.total, std::chrono::duration<double>(elapsed).count(),
                      terminal_width(options_.output) - 1, options_.label);
  std::fputs(fmt::format("\r{}\x1b[K", line).c_str(), options_.output);  // a closed terminal is no error
  std::fflush(options_.output);
  drawn_ = true;
}

void Progress::finish() {
  const std::lock_guard lock(drawing_);
  if (drawn_ && !finished_) {
    std::fputs("\r\x1b[K", options_.output);
    std::fflush(options_.output);
  }
  finished_ = true;
}

}  // namespace mindgap::base
