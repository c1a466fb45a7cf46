#include "mindgap/stats/ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/stats/paired.h"
#include "stats/samples.h"

namespace mindgap::stats {
namespace ratio_test {

using Values = std::vector<double>;

// x = 2, 4 and y = 1, 3: ratio 3/2; residuals 2 - 1.5 = .5 and 4 - 4.5 = -.5 with sd sqrt(1/2);
// se = sqrt(1/2) / (sqrt(2) 2) = 1/4; one degree of freedom: t = tan(.95 pi / 2).
TEST(RatioOfMeans, HandValue) {
  const RatioOfMeans result = ratio_of_means(Values{2, 4}, Values{1, 3});
  EXPECT_EQ(result.ratio, 1.5);
  EXPECT_DOUBLE_EQ(result.standard_error.value(), .25);
  const double width = std::tan(.95 * std::numbers::pi / 2) / 4;
  EXPECT_NEAR(result.interval->lower, 1.5 - width, 1e-11);
  EXPECT_NEAR(result.interval->upper, 1.5 + width, 1e-11);
}

TEST(RatioOfMeans, OnePairHasNoInterval) {
  const RatioOfMeans result = ratio_of_means(Values{3}, Values{-4});
  EXPECT_EQ(result.ratio, -.75);
  EXPECT_FALSE(result.standard_error.has_value());
  EXPECT_FALSE(result.interval.has_value());
}

TEST(RatioOfMeans, EqualColumnsHaveNoError) {
  const Values x{.1, .7, 1.3, -.2};
  const RatioOfMeans result = ratio_of_means(x, x);
  EXPECT_EQ(result.ratio, 1);
  EXPECT_EQ(result.standard_error, 0);
  EXPECT_EQ(result.interval->lower, 1);
  EXPECT_EQ(result.interval->upper, 1);
}

// Over a column of ones the ratio is the mean, and its interval Student's.
TEST(RatioOfMeans, OverOnesIsTheMean) {
  auto stream = samples::stream(1);
  for (const std::size_t size : {2, 5, 40}) {
    const Values x = samples::normals(stream, size);
    const RatioOfMeans result = ratio_of_means(x, Values(size, 1.0), .9);
    const PairedT test = paired_t(x, .9);
    EXPECT_DOUBLE_EQ(result.ratio, test.mean);
    EXPECT_NEAR(result.standard_error.value(), test.standard_error.value(), 1e-14);
    EXPECT_NEAR(result.interval->lower, test.interval->lower, 1e-12);
    EXPECT_NEAR(result.interval->upper, test.interval->upper, 1e-12);
  }
}

// Powers of two round nothing, so scales come out to the bit; a negative scale of y turns the interval over.
TEST(RatioOfMeans, Scales) {
  auto stream = samples::stream(2);
  const Values x = samples::normals(stream, 30);
  Values y = samples::normals(stream, 30);
  for (double& value : y) value += 8;
  const RatioOfMeans plain = ratio_of_means(x, y);
  const RatioOfMeans scaled = ratio_of_means(samples::times(x, 0x1p300), samples::times(y, -0x1p298));
  EXPECT_EQ(scaled.ratio, -4 * plain.ratio);
  EXPECT_EQ(scaled.standard_error.value(), 4 * plain.standard_error.value());
  EXPECT_EQ(scaled.interval->lower, -4 * plain.interval->upper);
  EXPECT_EQ(scaled.interval->upper, -4 * plain.interval->lower);
}

TEST(RatioOfMeans, BadArguments) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const Values two{1, 2}, three{1, 2, 3}, opposite{1, -1};
  EXPECT_THROW(ratio_of_means(Values{}, Values{}), InvalidArgument);
  EXPECT_THROW(ratio_of_means(two, three), InvalidArgument);
  EXPECT_THROW(ratio_of_means(Values{1, nan}, two), InvalidArgument);
  EXPECT_THROW(ratio_of_means(two, Values{1, infinity}), InvalidArgument);
  EXPECT_THROW(ratio_of_means(two, opposite), InvalidArgument);
  EXPECT_THROW(ratio_of_means(Values{1e300}, Values{1e-300}), InvalidArgument);
  for (const double level : {0.0, 1.0, nan}) EXPECT_THROW(ratio_of_means(two, two, level), InvalidArgument);
}

// y = 10 + Z, x = .8 y + Z'/2: the true ratio is .8, and x - .8 y is normal. What the interval departs from
// the exact level by is of the order of the squared variation of y over n, 1e-3 at n = 10. Tolerance: 4
// standard errors of a share, and that.
void expect_coverage(std::size_t trials, std::uint64_t repetitions, std::uint64_t seed) {
  double covered = 0;
  for (std::uint64_t i = 0; i < repetitions; ++i) {
    auto stream = samples::stream(seed, i);
    Values x(trials), y(trials);
    for (std::size_t k = 0; k < trials; ++k) {
      y[k] = 10 + base::normal(stream);
      x[k] = .8 * y[k] + base::normal(stream) / 2;
    }
    const Interval interval = ratio_of_means(x, y).interval.value();
    if (interval.lower <= .8 && .8 <= interval.upper) ++covered;
  }
  const auto count = static_cast<double>(repetitions);
  const double slack = .01 / static_cast<double>(trials);
  EXPECT_NEAR(covered / count, .95, 4 * std::sqrt(.95 * .05 / count) + slack);
}

TEST(RatioOfMeans, CoversTheTruth) {
  expect_coverage(10, 2000, 11);
}

TEST(RatioOfMeansLong, CoversTheTruth) {
  expect_coverage(5, 200'000, 12);
  expect_coverage(30, 200'000, 13);
}

}  // namespace ratio_test
}  // namespace mindgap::stats
