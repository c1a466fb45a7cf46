#include "mindgap/base/listener.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "mindgap/base/parallel.h"

namespace mindgap::base {
namespace listener_test {

TEST(Listening, NobodyListensUnlessAsked) {
  interruption_point();
  report_progress("nobody listens", 1, 2);
  EXPECT_EQ(current_listener(), nullptr);
}

TEST(Listening, PointsAskTheInnermostAndGoBack) {
  int outer = 0, inner = 0;
  const Listening first({.look = [&] { ++outer; }});
  {
    const Listening second({.look = [&] { ++inner; }});
    interruption_point();
  }
  interruption_point();
  EXPECT_EQ(inner, 1);
  EXPECT_EQ(outer, 1);
}

TEST(Listening, ProgressIsToldToTheInnermostAndGoesBack) {
  std::vector<std::string> outer, inner;
  const Listening first({.progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
    outer.push_back(what + " " + std::to_string(done) + " of " + std::to_string(total));
  }});
  {
    const Listening second({.progress = [&](const std::string& what, auto, auto) { inner.push_back(what); }});
    report_progress("in", 1, 2);
  }
  report_progress("out", 1, 2);
  EXPECT_EQ(inner, std::vector<std::string>{"in"});
  EXPECT_EQ(outer, std::vector<std::string>{"out 1 of 2"});
}

// Who only wants to know how far it is does not keep the one outside from ending it, and the other way round.
TEST(Listening, WhatIsLeftEmptyIsThatOfTheOuterOne) {
  int looks = 0, told = 0, asked = 0;
  const Listening outer({.progress = [&](const auto&...) { ++told; },
                         .stop = [&] { return ++asked > 0; },
                         .look = [&] { ++looks; }});
  {
    const Listening hears({.progress = [](const auto&...) {}});
    report_progress("in", 1, 2);
    EXPECT_EQ(looks, 1);
    EXPECT_EQ(told, 0);
    EXPECT_TRUE(current_listener()->wants_to_stop());
  }
  {
    const Listening ends({.look = [] {}});
    report_progress("in", 1, 2);
  }
  EXPECT_EQ(looks, 1);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(asked, 1);
}

TEST(Listening, ProgressIsAnInterruptionPoint) {
  int told = 0;
  const Listening here(
      {.progress = [&](const auto&...) { ++told; }, .look = [] { throw std::runtime_error("enough"); }});
  EXPECT_THROW(report_progress("working", 1, 2), std::runtime_error);
  EXPECT_EQ(told, 0);
}

TEST(Listening, ParallelLoopsAskBeforeEachChunkInWhicheverThread) {
  for (const int count : {1, 3}) {
    std::atomic<int> asked = 0, inside = 0, told = 0;
    const Listening here({.progress = [&](const auto&...) { ++told; }, .look = [&] { ++asked; }});
    Threads(count).for_each_chunk(10, [&](std::int64_t chunk) {
      report_progress("chunks", chunk, 10);
      ++inside;
    });
    EXPECT_EQ(asked, 20);
    EXPECT_EQ(inside, 10);
    EXPECT_EQ(told, 10);
  }
}

TEST(Listening, WhatLookThrowsEndsALoop) {
  for (const int count : {1, 3}) {
    std::atomic<int> done = 0;
    const Listening here({.look = [&] {
      if (done >= 2) throw std::runtime_error("enough");
    }});
    const Threads threads(count);
    EXPECT_THROW(threads.for_each_chunk(1000, [&](std::int64_t) { ++done; }), std::runtime_error);
    EXPECT_LE(done, 2 + count);  // those that had been asked before
  }
  interruption_point();  // and it is gone
}

}  // namespace listener_test
}  // namespace mindgap::base
