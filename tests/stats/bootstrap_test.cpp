#include "mindgap/stats/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/base/tails.h"
#include "mindgap/stats/ratio.h"
#include "stats/samples.h"
#include "stats/scipy_values.h"

namespace mindgap::stats {
namespace bootstrap_test {

using Values = std::vector<double>;
using Rows = std::span<const std::int32_t>;

RowStatistic mean_of(const Values& values) {
  return [values](Rows rows) {
    double sum = 0;
    for (const std::int32_t row : rows) sum += values[static_cast<std::size_t>(row)];
    return sum / static_cast<double>(rows.size());
  };
}

void expect_equal(const BootstrapInterval& a, const BootstrapInterval& b) {
  EXPECT_EQ(a.estimate, b.estimate);
  EXPECT_EQ(a.standard_error, b.standard_error);
  EXPECT_EQ(a.interval.lower, b.interval.lower);
  EXPECT_EQ(a.interval.upper, b.interval.upper);
}

TEST(BootstrapIntervals, SciPy) {
  const double sum = std::accumulate(scipy::kRows.begin(), scipy::kRows.end(), 0.0);
  Values leave_one_out;
  for (const double row : scipy::kRows) leave_one_out.push_back((sum - row) / 9);
  for (const auto& wanted : scipy::kIntervals) {
    const Interval percentile = percentile_interval(scipy::kReplicates, wanted.level);
    EXPECT_NEAR(percentile.lower, wanted.percentile_lower, 1e-12);
    EXPECT_NEAR(percentile.upper, wanted.percentile_upper, 1e-12);
    const Interval bca = bca_interval(scipy::kReplicates, sum / 10, leave_one_out, wanted.level);
    EXPECT_NEAR(bca.lower, wanted.bca_lower, 1e-12);
    EXPECT_NEAR(bca.upper, wanted.bca_upper, 1e-12);
  }
}

// Replicates 0..100: the p-quantile is 100 p. With half of them below the estimate and leave-one-out values
// that lie symmetrically, neither correction does anything.
TEST(BootstrapIntervals, HandValues) {
  Values replicates(101);
  std::iota(replicates.begin(), replicates.end(), 0.0);
  const Interval percentile = percentile_interval(replicates, .9);
  EXPECT_NEAR(percentile.lower, 5, 1e-12);
  EXPECT_NEAR(percentile.upper, 95, 1e-12);
  const Interval bca = bca_interval(replicates, 50, Values{-1, 0, 1}, .9);
  EXPECT_NEAR(bca.lower, 5, 1e-9);
  EXPECT_NEAR(bca.upper, 95, 1e-9);
  // Estimate 15.5: 16 of 101 below it, z0 = Phi^-1(16/101) = -1.0009...; levels Phi(2 z0 -+ 1.6449).
  const double z0 = base::normal_quantile(16 / 101.0), z = base::normal_quantile(.95);
  const Interval shifted = bca_interval(replicates, 15.5, Values{-1, 0, 1}, .9);
  EXPECT_NEAR(shifted.lower, 50 * std::erfc((z - 2 * z0) / std::sqrt(2.0)), 1e-9);
  EXPECT_NEAR(shifted.upper, 50 * std::erfc((-z - 2 * z0) / std::sqrt(2.0)), 1e-9);
}

// Two rows 0 and 1: the mean of a resample is 0, 1/2, 1 with probabilities 1/4, 1/2, 1/4, its variance 1/8.
// Of B replicates the variance has a standard error of sqrt((m4 - m2^2) / B) = sqrt((1/32 - 1/64) / B).
TEST(Bootstrap, ResamplesWithEqualChances) {
  const BootstrapOptions options{
      .method = BootstrapMethod::percentile, .replicates = 40'000, .level = .6, .run = {.seed = 1}};
  const BootstrapInterval result = bootstrap(2, mean_of({0, 1}), options);
  EXPECT_EQ(result.estimate, .5);
  EXPECT_NEAR(result.standard_error * result.standard_error, 1 / 8.0, 4 * std::sqrt(1 / 64.0 / 40'000));
  EXPECT_EQ(result.interval.lower, 0);  // quantiles at .2 < 1/4 and .8 > 3/4
  EXPECT_EQ(result.interval.upper, 1);
}

// The standard error of a mean over the bootstrap is sd sqrt((n - 1)/n) / sqrt n, whatever the values.
TEST(Bootstrap, StandardErrorOfAMean) {
  auto stream = samples::stream(8);
  const Values values = samples::normals(stream, 40);
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / 40;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const BootstrapInterval result = bootstrap(40, mean_of(values), {.run = {.seed = 2}});
  EXPECT_NEAR(result.standard_error / (std::sqrt(squares) / 40), 1, 4 / std::sqrt(2 * 10'000.0));
}

TEST(Bootstrap, SameBitsForAnyThreads) {
  auto stream = samples::stream(9);
  const Values values = samples::normals(stream, 57);
  for (const auto method : {BootstrapMethod::percentile, BootstrapMethod::bca}) {
    BootstrapOptions options{.method = method, .replicates = 999, .run = {.threads = 1}};
    const BootstrapInterval one = bootstrap(57, mean_of(values), options);
    for (const int threads : {2, 3, 7}) {
      options.run.threads = threads;
      expect_equal(bootstrap(57, mean_of(values), options), one);
    }
    options.run.seed = 43;
    EXPECT_NE(bootstrap(57, mean_of(values), options).standard_error, one.standard_error);
    options.run.seed = 42;
    options.position = 1;
    EXPECT_NE(bootstrap(57, mean_of(values), options).standard_error, one.standard_error);
  }
}

// Rows stay together: x is 3 y in every row, so the ratio is 3 in every resample.
TEST(Bootstrap, KeepsPairs) {
  auto stream = samples::stream(10);
  Values y = samples::normals(stream, 20);
  for (double& value : y) value = std::ldexp(std::round(value * 16), -4) + 10;
  const RowStatistic x_mean = mean_of(samples::times(y, 3)), y_mean = mean_of(y);
  const auto ratio = [&](Rows rows) {
    return x_mean(rows) * static_cast<double>(rows.size()) /
           (y_mean(rows) * static_cast<double>(rows.size()));
  };
  const BootstrapInterval result = bootstrap(20, ratio, {.replicates = 500});
  EXPECT_NEAR(result.interval.lower, 3, 1e-13);
  EXPECT_NEAR(result.interval.upper, 3, 1e-13);
  EXPECT_LT(result.standard_error, 1e-14);
}

// Close to the delta method's interval for many rows: n = 2000, both ends to a tenth of a standard error
// (replicates: an end has an error of sqrt(.025 .975 / 20000) / phi(1.96) = .019 standard errors).
TEST(Bootstrap, AgreesWithTheDeltaMethod) {
  auto stream = samples::stream(11);
  Values x(2000), y(2000);
  for (std::size_t i = 0; i < 2000; ++i) {
    y[i] = 5 + base::normal(stream);
    x[i] = y[i] / 2 + base::normal(stream);
  }
  const RowStatistic x_mean = mean_of(x), y_mean = mean_of(y);
  const auto ratio = [&](Rows rows) { return x_mean(rows) / y_mean(rows); };
  const RatioOfMeans delta = ratio_of_means(x, y);
  const BootstrapInterval result =
      bootstrap(2000, ratio, {.method = BootstrapMethod::percentile, .replicates = 20'000});
  const double error = delta.standard_error.value();
  EXPECT_NEAR(result.interval.lower, delta.interval->lower, .1 * error);
  EXPECT_NEAR(result.interval.upper, delta.interval->upper, .1 * error);
}

// A statistic that never moves has an interval without width.
TEST(Bootstrap, ConstantStatistic) {
  const BootstrapInterval result = bootstrap(5, [](Rows) { return .1; }, {.replicates = 100});
  EXPECT_EQ(result.standard_error, 0);
  EXPECT_EQ(result.interval.lower, .1);
  EXPECT_EQ(result.interval.upper, .1);
}

TEST(Bootstrap, BadArguments) {
  const RowStatistic statistic = mean_of({1, 2, 3});
  EXPECT_THROW(bootstrap(1, statistic), InvalidArgument);
  EXPECT_THROW(bootstrap(-1, statistic), InvalidArgument);
  EXPECT_THROW(bootstrap(std::int64_t{1} << 31, statistic), InvalidArgument);
  EXPECT_THROW(bootstrap(3, RowStatistic{}), InvalidArgument);
  EXPECT_THROW(bootstrap(3, statistic, {.replicates = 39}), InvalidArgument);
  EXPECT_NO_THROW(bootstrap(3, statistic, {.replicates = 40}));
  EXPECT_THROW(bootstrap(3, statistic, {.replicates = -1}), InvalidArgument);
  EXPECT_THROW(bootstrap(3, statistic, {.level = 1}), InvalidArgument);
  EXPECT_THROW(bootstrap(3, statistic, {.level = 0}), InvalidArgument);
  EXPECT_THROW(bootstrap(3, statistic, {.run = {.threads = -1}}), InvalidArgument);
}

TEST(BootstrapIntervals, BadArguments) {
  const double nan = std::nan("");
  const Values some{1, 2, 3};
  EXPECT_THROW(percentile_interval(Values{}), InvalidArgument);
  EXPECT_THROW(percentile_interval(Values{1, nan}), InvalidArgument);
  EXPECT_THROW(percentile_interval(some, 1), InvalidArgument);
  EXPECT_THROW(bca_interval(Values{}, 2, some), InvalidArgument);
  EXPECT_THROW(bca_interval(Values{nan}, 2, some), InvalidArgument);
  EXPECT_THROW(bca_interval(some, nan, some), InvalidArgument);
  EXPECT_THROW(bca_interval(some, 2, Values{1}), InvalidArgument);
  EXPECT_THROW(bca_interval(some, 2, Values{1, nan}), InvalidArgument);
  EXPECT_THROW(bca_interval(some, 2, some, 0), InvalidArgument);
  EXPECT_THROW(bca_interval(some, 0, some), NumericalError);  // all replicates above the estimate
  EXPECT_THROW(bca_interval(some, 4, some), NumericalError);
}

TEST(Bootstrap, WhatTheStatisticDoesWrongIsTold) {
  const auto undefined = [](Rows rows) { return rows[0] == 0 ? std::nan("") : 1.0; };
  EXPECT_THROW(bootstrap(3, undefined), NumericalError);
  const auto sometimes = [](Rows rows) {
    return rows[0] == rows[1] ? std::numeric_limits<double>::infinity() : 1.0;
  };
  EXPECT_THROW(bootstrap(3, sometimes), NumericalError);
  const auto throws = [](Rows) -> double { throw std::domain_error("mine"); };
  EXPECT_THROW(bootstrap(3, throws), std::domain_error);
}

struct Misses {
  double below = 0, above = 0;  // shares of intervals that lie wholly below the truth, wholly above it
};

template <typename Draw>
Misses misses(BootstrapMethod method, std::size_t rows, std::uint64_t repetitions, double truth, Draw draw) {
  Misses found;
  for (std::uint64_t i = 0; i < repetitions; ++i) {
    auto stream = samples::stream(14, i);
    Values values(rows);
    for (double& value : values) value = draw(stream);
    const BootstrapInterval result =
        bootstrap(static_cast<std::int64_t>(rows), mean_of(values),
                  {.method = method, .replicates = 1000, .position = i, .run = {.threads = 1}});
    if (result.interval.upper < truth) found.below += 1.0 / static_cast<double>(repetitions);
    if (result.interval.lower > truth) found.above += 1.0 / static_cast<double>(repetitions);
  }
  return found;
}

// The mean of n normals: the percentile interval is mean -+ 1.96 sd sqrt((n-1)/n) / sqrt n but for noise, so
// it covers the truth with the chance that |T| <= 1.96 sqrt((n-1)/n), n - 1 degrees of freedom: .9419 at n
// = 40. So does bca to this order, as nothing is skew. Tolerance: 4 standard errors, and .005 for the noise
// of 1000 replicates.
void expect_normal_coverage(BootstrapMethod method, std::uint64_t repetitions) {
  const double wanted = base::student_two_sided(1.959964 * std::sqrt(39 / 40.0), 39);
  const Misses found = misses(method, 40, repetitions, 0, [](auto& stream) { return base::normal(stream); });
  const double error = std::sqrt(wanted * (1 - wanted) / static_cast<double>(repetitions));
  EXPECT_NEAR(found.below + found.above, wanted, 4 * error + .005);
}

TEST(Bootstrap, CoversAsDerived) {
  expect_normal_coverage(BootstrapMethod::bca, 300);
}

TEST(BootstrapLong, CoversAsDerived) {
  expect_normal_coverage(BootstrapMethod::percentile, 10'000);
  expect_normal_coverage(BootstrapMethod::bca, 10'000);
}

// Exponentials are skew: percentile intervals of their mean lie too far to the left and miss mostly there.
// bca halves that at least.
TEST(BootstrapLong, BcaCorrectsForSkewness) {
  const auto draw = [](auto& stream) { return base::exponential(stream); };
  const Misses percentile = misses(BootstrapMethod::percentile, 30, 10'000, 1, draw);
  const Misses bca = misses(BootstrapMethod::bca, 30, 10'000, 1, draw);
  EXPECT_GT(percentile.below - percentile.above, .03);
  EXPECT_LT(std::abs(bca.below - bca.above), (percentile.below - percentile.above) / 2);
}

}  // namespace bootstrap_test
}  // namespace mindgap::stats
