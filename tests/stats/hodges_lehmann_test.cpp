#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/stats/paired.h"
#include "stats/samples.h"

namespace mindgap::stats {
namespace hodges_lehmann_test {

using Values = std::vector<double>;

// All averages, sorted.
double by_brute_force(const Values& differences) {
  Values averages;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t j = i; j < differences.size(); ++j) {
      averages.push_back(differences[i] / 2 + differences[j] / 2);
    }
  }
  std::sort(averages.begin(), averages.end());
  const std::size_t size = averages.size();
  return (averages[(size - 1) / 2] + averages[size / 2]) / 2;
}

// 1, 2, 6: averages 1, 1.5, 2, 3.5, 4, 6, the middle ones 2 and 3.5.
TEST(HodgesLehmann, HandValues) {
  EXPECT_EQ(hodges_lehmann(Values{6, 1, 2}), 2.75);
  EXPECT_EQ(hodges_lehmann(Values{-3}), -3);
  EXPECT_EQ(hodges_lehmann(Values{4, 1}), 2.5);
  EXPECT_EQ(hodges_lehmann(Values{0, 0, 0, 0}), 0);
}

TEST(HodgesLehmann, BruteForce) {
  auto stream = samples::stream(4);
  for (std::size_t size = 1; size <= 60; ++size) {
    const Values plain = samples::normals(stream, size);
    EXPECT_EQ(hodges_lehmann(plain), by_brute_force(plain)) << size;
    const Values tied = samples::whole_numbers(stream, size, 4);
    EXPECT_EQ(hodges_lehmann(tied), by_brute_force(tied)) << size;
  }
}

// 0, 1, ..., n - 1 lie symmetrically about (n - 1) / 2, and so do their averages.
TEST(HodgesLehmann, ManyDifferences) {
  Values grid(200'001);
  std::iota(grid.begin(), grid.end(), 0.0);
  EXPECT_EQ(hodges_lehmann(grid), 100'000);
}

TEST(HodgesLehmann, DoesNotOverflow) {
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(hodges_lehmann(Values{largest, largest}), largest);
  EXPECT_EQ(hodges_lehmann(Values{largest, -largest}), 0);
  EXPECT_FALSE(std::signbit(hodges_lehmann(Values{-0.0, -0.0})));
}

RC_GTEST_PROP(HodgesLehmannProperty, MovesAndTurnsWithTheDifferences, ()) {
  const auto numbers = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-50, 50)));
  Values differences(numbers.begin(), numbers.end());
  std::vector<double> moved = differences;
  for (double& d : moved) d += 17;
  const double center = hodges_lehmann(differences);
  RC_ASSERT(hodges_lehmann(moved) == center + 17);
  RC_ASSERT(hodges_lehmann(samples::times(differences, -8)) == -8 * center);
  RC_ASSERT(center >= *std::min_element(differences.begin(), differences.end()));
  RC_ASSERT(center <= *std::max_element(differences.begin(), differences.end()));
  std::reverse(differences.begin(), differences.end());
  RC_ASSERT(hodges_lehmann(differences) == center);
}

TEST(HodgesLehmann, BadArguments) {
  EXPECT_THROW(hodges_lehmann(Values{}), InvalidArgument);
  EXPECT_THROW(hodges_lehmann(Values{1, std::nan("")}), InvalidArgument);
  EXPECT_THROW(hodges_lehmann(Values{std::numeric_limits<double>::infinity()}), InvalidArgument);
}

}  // namespace hodges_lehmann_test
}  // namespace mindgap::stats
