#include "mindgap/base/parallel.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"

namespace mindgap::base {
namespace parallel_test {

// RapidCheck would seed itself from the clock. RC_PARAMS given from outside wins.
const bool kPropertySeedIsFixed = setenv("RC_PARAMS", "seed=20240607", 0) == 0;

constexpr int kThreadCounts[] = {1, 2, 7};

TEST(Threads, CountIsCheckedAndDefaultsToTheMachine) {
  EXPECT_EQ(Threads(3).count(), 3);
  EXPECT_GE(Threads().count(), 1);
  EXPECT_THROW(Threads(-1), InvalidArgument);
  EXPECT_THROW(Threads(5000), InvalidArgument);
}

TEST(Threads, EachChunkRunsOnce) {
  for (const int count : kThreadCounts) {
    const Threads threads(count);
    std::vector<std::atomic<int>> calls(1000);
    threads.for_each_chunk(1000, [&](std::int64_t chunk) { ++calls[static_cast<std::size_t>(chunk)]; });
    for (const auto& call : calls) EXPECT_EQ(call.load(), 1);
    threads.for_each_chunk(0, [&](std::int64_t) { FAIL() << "there is no chunk"; });
  }
}

TEST(Threads, ExceptionOfTheLowestChunkWins) {
  for (const int count : kThreadCounts) {
    const Threads threads(count);
    for (int repeat = 0; repeat < 20; ++repeat) {
      try {
        threads.for_each_chunk(64, [](std::int64_t chunk) {
          if (chunk % 8 == 5) throw std::runtime_error(std::to_string(chunk));
        });
        FAIL() << "nothing thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "5");
      }
    }
  }
}

#ifndef __SANITIZE_ADDRESS__
// Each call of the library has threads of its own, and a program may make very many calls.
TEST(Threads, MakingThemAgainAndAgainTakesNoMemory) {
  const auto resident = [] {
    std::ifstream file("/proc/self/statm");
    std::int64_t size = 0, pages = 0;
    file >> size >> pages;
    return pages * 4096;
  };
  std::atomic<std::int64_t> sum = 0;
  const auto run = [&](int times) {
    for (int i = 0; i < times; ++i) {
      const Threads threads(2);
      threads.for_each_chunk(8, [&](std::int64_t chunk) { sum += chunk; });
    }
  };
  run(100);
  const std::int64_t before = resident();
  run(1000);
  EXPECT_LT(resident() - before, 1'000'000);  // 7 MB where every one keeps an arena
  EXPECT_EQ(sum, 1100 * 28);
}
#endif

TEST(ParallelFor, ResultsAreIdenticalForAnyNumberOfThreads) {
  const auto compute = [](int count) {
    const Threads threads(count);
    std::vector<double> out(10'000);
    parallel_for(threads, 10'000, 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        Stream stream({42, Purpose::test, static_cast<std::uint64_t>(i)});
        out[static_cast<std::size_t>(i)] = gamma(stream, 0.3);
      }
    });
    return out;
  };
  const std::vector<double> expected = compute(1);
  for (const int count : kThreadCounts) EXPECT_EQ(compute(count), expected);
}

TEST(ParallelReduce, FloatingSumsAreIdenticalForAnyNumberOfThreads) {
  std::vector<double> terms;
  Stream stream({42, Purpose::test});
  terms.reserve(100'003);
  for (int i = 0; i < 100'003; ++i) terms.push_back(normal(stream) * std::pow(10, i % 17));
  const auto sum = [&](int count, std::int64_t grain) {
    const Threads threads(count);
    return parallel_reduce(
        threads, static_cast<std::int64_t>(terms.size()), grain, 0.0,
        [&](std::int64_t begin, std::int64_t end) {
          double part = 0;
          for (std::int64_t i = begin; i < end; ++i) part += terms[static_cast<std::size_t>(i)];
          return part;
        },
        [](double a, double b) { return a + b; });
  };
  for (const std::int64_t grain : {1, 100, 4096, 1'000'000}) {
    const double expected = sum(1, grain);
    for (const int count : kThreadCounts) EXPECT_EQ(sum(count, grain), expected);
  }
  EXPECT_NE(sum(1, 1), sum(1, 4096)) << "these terms should make the order of summation show";
}

TEST(ParallelReduce, CombinesInChunkOrder) {
  for (const int count : kThreadCounts) {
    const Threads threads(count);
    const std::string text = parallel_reduce(
        threads, 10, 3, std::string(),
        [](std::int64_t begin, std::int64_t end) {
          return std::to_string(begin) + "-" + std::to_string(end) + " ";
        },
        [](const std::string& a, const std::string& b) { return a + b; });
    EXPECT_EQ(text, "0-3 3-6 6-8 8-10 ");
  }
}

TEST(ParallelReduce, EmptyRangeGivesTheIdentity) {
  const Threads threads(2);
  const auto fail = [](std::int64_t, std::int64_t) -> int { throw std::logic_error("called"); };
  EXPECT_EQ(parallel_reduce(threads, 0, 8, 7, fail, [](int a, int b) { return a + b; }), 7);
}

RC_GTEST_PROP(ChunkRange, CoversTheRangeInNearlyEqualPieces, ()) {
  const auto size = *rc::gen::inRange<std::int64_t>(0, 5'000'000'000);
  const auto chunks = *rc::gen::inRange<std::int64_t>(1, 500);
  std::int64_t end = 0;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const Range range = chunk_range(size, chunks, chunk);
    RC_ASSERT(range.begin == end);
    RC_ASSERT(range.end - range.begin == size / chunks || range.end - range.begin == size / chunks + 1);
    end = range.end;
  }
  RC_ASSERT(end == size);
}

}  // namespace parallel_test
}  // namespace mindgap::base
