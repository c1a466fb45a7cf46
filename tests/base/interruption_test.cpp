#include "mindgap/base/interruption.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "mindgap/base/parallel.h"

namespace mindgap::base {
namespace interruption_test {

TEST(Interruption, NobodyLooksUnlessAsked) {
  interruption_point();
  EXPECT_EQ(current_look(), nullptr);
}

TEST(Interruption, PointsAskTheInnermostAndGoBack) {
  int outer = 0, inner = 0;
  const Interruption first([&] { ++outer; });
  {
    const Interruption second([&] { ++inner; });
    interruption_point();
  }
  interruption_point();
  EXPECT_EQ(inner, 1);
  EXPECT_EQ(outer, 1);
}

TEST(Interruption, ParallelLoopsAskBeforeEachChunkInWhicheverThread) {
  for (const int count : {1, 3}) {
    std::atomic<int> asked = 0, inside = 0;
    const Interruption here([&] { ++asked; });
    Threads(count).for_each_chunk(10, [&](std::int64_t) {
      interruption_point();
      ++inside;
    });
    EXPECT_EQ(asked, 20);
    EXPECT_EQ(inside, 10);
  }
}

TEST(Interruption, WhatLookThrowsEndsALoop) {
  for (const int count : {1, 3}) {
    std::atomic<int> done = 0;
    const Interruption here([&] {
      if (done >= 2) throw std::runtime_error("enough");
    });
    const Threads threads(count);
    EXPECT_THROW(threads.for_each_chunk(1000, [&](std::int64_t) { ++done; }), std::runtime_error);
    EXPECT_LE(done, 2 + count);  // those that had been asked before
  }
  interruption_point();  // and it is gone
}

}  // namespace interruption_test
}  // namespace mindgap::base
