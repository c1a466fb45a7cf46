#include "mindgap/stats/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "mindgap/base/error.h"

namespace mindgap::stats {
namespace moments_test {

using Values = std::vector<double>;

// 1, 2, 3, 6: mean 3, squares 4 + 1 + 0 + 9 = 14, over 3.
TEST(Moments, HandValues) {
  EXPECT_EQ(mean(Values{1, 2, 3, 6}), 3);
  EXPECT_DOUBLE_EQ(standard_deviation(Values{1, 2, 3, 6}), std::sqrt(14.0 / 3));
}

// .1 added ten times is not 1, and a tenth of it not .1.
TEST(Moments, EqualValuesAreExact) {
  const Values same(10, .1);
  EXPECT_EQ(mean(same), .1);
  EXPECT_EQ(standard_deviation(same), 0);
}

// A plain sum of a hundred thousand terms is off by 1e-12 or so of itself.
TEST(Moments, WhatRoundingLeftOutOfTheSumIsAdded) {
  Values many(100'000, .1);
  many.back() = .1 + 1e-5;
  EXPECT_NEAR(mean(many), .1 + 1e-10, 2e-17);
}

TEST(Moments, SquaresNeitherOverflowNorVanish) {
  const double expected = std::sqrt(.5);
  EXPECT_NEAR(standard_deviation(Values{0, 1e200}) / 1e200, expected, 1e-15);
  EXPECT_NEAR(standard_deviation(Values{0, 1e-200}) / 1e-200, expected, 1e-15);
}

TEST(Moments, BadArguments) {
  const double nan = std::nan(""), largest = std::numeric_limits<double>::max();
  EXPECT_THROW(mean(Values{}), InvalidArgument);
  EXPECT_THROW(mean(Values{1, nan}), InvalidArgument);
  EXPECT_THROW(mean(Values{largest, largest / 2}), InvalidArgument);
  EXPECT_THROW(standard_deviation(Values{}), InvalidArgument);
  EXPECT_THROW(standard_deviation(Values{1}), InvalidArgument);
  EXPECT_THROW(standard_deviation(Values{nan, 1}), InvalidArgument);
}

}  // namespace moments_test
}  // namespace mindgap::stats
