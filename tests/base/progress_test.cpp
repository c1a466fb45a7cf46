#include "mindgap/base/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <thread>
#include <vector>

#include "mindgap/base/error.h"

namespace mindgap::base {
namespace progress_test {

// A quarter done in 10 s leaves 30 s. Of 60 columns " 25%" takes 4, "25/100, 0:30 left" 17, spaces and
// brackets 4: the bar has 35, of which floor(35/4) = 8 are full.
TEST(RenderProgress, KnownTotal) {
  const std::string bar = "[" + std::string(8, '#') + std::string(27, '.') + "]";
  EXPECT_EQ(render_progress(25, 100, 10, 60), " 25% " + bar + " 25/100, 0:30 left");
}

TEST(RenderProgress, BeginningAndEnd) {
  EXPECT_EQ(render_progress(0, 8, 1, 120), "  0% [" + std::string(40, '.') + "] 0/8, --:-- left");
  EXPECT_EQ(render_progress(8, 8, 1, 120), "100% [" + std::string(40, '#') + "] 8/8, 0:00 left");
  EXPECT_EQ(render_progress(9, 8, 1, 120), render_progress(8, 8, 1, 120)) << "more than the whole";
}

TEST(RenderProgress, UnknownTotalSpins) {
  EXPECT_EQ(render_progress(420, 0, 75, 80), "- 420 done, 1:15");
  EXPECT_EQ(render_progress(420, 0, 75.1, 80), "\\ 420 done, 1:15");
}

TEST(RenderProgress, Hours) {
  EXPECT_EQ(render_progress(1, 0, 3675, 80, "solving"), "solving - 1 done, 1:01:15");
}

TEST(RenderProgress, LabelIsMadePrintable) {
  EXPECT_EQ(render_progress(1, 2, 4, 20, "a\nb"), "a\\x0ab  50% 1/2, 0:0");
}

TEST(RenderProgress, NeverWiderThanTold) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double elapsed : {0.0, 1.0, 1e12, infinity}) {
    for (int width = -1; width < 100; ++width) {
      const auto limit = static_cast<std::size_t>(std::max(width, 0));
      EXPECT_LE(render_progress(7, 1'000'000'000, elapsed, width, "training the belief").size(), limit);
      EXPECT_LE(render_progress(7, 0, elapsed, width, "training the belief").size(), limit);
    }
  }
}

TEST(Progress, CountsFromManyThreads) {
  Progress progress({.total = 40'000, .quiet = true});
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5'000; ++i) progress.advance(2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(progress.done(), 40'000);
}

TEST(Progress, NegativeTotalThrows) {
  EXPECT_THROW(Progress({.total = -1}), InvalidArgument);
}

TEST(Progress, WritesNothingToAFile) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  {
    Progress progress({.total = 10, .output = file});
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    progress.advance();
  }
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

// A terminal of 50 columns that the test holds the other end of.
class ProgressOnTerminal : public testing::Test {
 protected:
  void SetUp() override {
    screen_ = posix_openpt(O_RDWR | O_NOCTTY);
    if (screen_ < 0 || grantpt(screen_) != 0 || unlockpt(screen_) != 0) GTEST_SKIP() << "no pseudo-terminal";
    const winsize size = {.ws_row = 20, .ws_col = 50};
    ioctl(screen_, TIOCSWINSZ, &size);
    terminal_ = std::fopen(ptsname(screen_), "w");
    ASSERT_NE(terminal_, nullptr);
  }
  void TearDown() override {
    if (terminal_ != nullptr) std::fclose(terminal_);
    if (screen_ >= 0) close(screen_);
  }
  // All that was written. Closes the terminal: only its end tells that nothing is still under way.
  std::string shown() {
    std::fclose(terminal_);
    terminal_ = nullptr;
    std::string text;
    char buffer[4096];
    for (ssize_t size; (size = read(screen_, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(size));
    return text;
  }

  int screen_ = -1;
  std::FILE* terminal_ = nullptr;
};

TEST_F(ProgressOnTerminal, DrawsSeldomAndClearsItsLine) {
  const auto start = std::chrono::steady_clock::now();
  {
    Progress progress({.label = "work", .total = 1'000'000, .output = terminal_});
    while (std::chrono::steady_clock::now() < start + std::chrono::milliseconds(250)) progress.advance();
    progress.advance();
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const std::string text = shown();
  const auto draws = std::count(text.begin(), text.end(), '%');
  EXPECT_GE(draws, 1);
  EXPECT_LE(static_cast<double>(draws), elapsed.count() / 0.1);
  EXPECT_EQ(text.rfind("\rwork ", 0), 0u) << text;
  EXPECT_EQ(text.substr(text.size() - 4), "\r\x1b[K");
}

TEST_F(ProgressOnTerminal, NothingAfterFinish) {
  Progress progress({.output = terminal_});
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  progress.advance(3);
  progress.finish();
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  progress.advance();
  progress.finish();
  const std::string text = shown();
  EXPECT_NE(text.find("3 done"), std::string::npos) << text;
  EXPECT_EQ(text.find("4 done"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 2) << text;
}

TEST_F(ProgressOnTerminal, QuietDrawsNothing) {
  Progress progress({.quiet = true, .output = terminal_});
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  progress.advance();
  progress.finish();
  EXPECT_EQ(shown(), "");
}

}  // namespace progress_test
}  // namespace mindgap::base
