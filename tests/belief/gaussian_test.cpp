#include "mindgap/belief/gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "belief/calibration.h"
#include "mindgap/base/error.h"

namespace mindgap::belief {
namespace gaussian_test {

// RapidCheck would seed itself from the clock. RC_PARAMS given from outside wins. Holds for the whole
// program.
[[maybe_unused]] const bool kPropertySeedIsFixed = setenv("RC_PARAMS", "seed=20240607", 0) == 0;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// N(1, 2^2) has precision 1/4; one observation 4 of variance 2 adds 1/2: precision 3/4, mean
// (1/4 * 1 + 1/2 * 4) / (3/4) = 3.
TEST(Gaussian, HandValue) {
  const Gaussian posterior = update(gaussian_from_sd(1, 2), 4, 2);
  EXPECT_DOUBLE_EQ(posterior.precision, .75);
  EXPECT_DOUBLE_EQ(posterior.mean, 3);
  EXPECT_DOUBLE_EQ(variance(posterior), 4.0 / 3);
}

TEST(Gaussian, KnownStaysKnown) {
  const Gaussian known = gaussian_from_sd(2, 0);
  EXPECT_EQ(update(known, 7, .1), known);
  EXPECT_EQ(update(known, 1e9, 7, .1), known);
  EXPECT_EQ(variance(known), 0);
  base::Stream stream({.seed = 1, .purpose = base::Purpose::test});
  EXPECT_EQ(sample(known, stream), 2);
}

TEST(Gaussian, FlatTakesWhatIsObserved) {
  const Gaussian flat = gaussian_from_sd(123, kInfinity);
  EXPECT_EQ(flat.precision, 0);
  EXPECT_EQ(variance(flat), kInfinity);
  const Gaussian posterior = update(flat, 10, .3, 2);
  EXPECT_EQ(posterior.mean, .3);
  EXPECT_DOUBLE_EQ(variance(posterior), .2);
  EXPECT_EQ(update(flat, 0, .3, 2), flat);
  base::Stream stream({.seed = 1, .purpose = base::Purpose::test});
  EXPECT_THROW(sample(flat, stream), InvalidArgument);
}

RC_GTEST_PROP(GaussianProperty, OrderDoesNotMatterAndBatchIsOneByOne, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 20);
  const auto values = *rc::gen::container<std::vector<int>>(size, rc::gen::inRange(-1000, 1000));
  const double noise = *rc::gen::inRange(1, 500) / 100.0;
  const Gaussian prior = gaussian_from_sd(*rc::gen::inRange(-50, 50), *rc::gen::inRange(1, 400) / 20.0);
  Gaussian forward = prior, backward = prior;
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    forward = update(forward, values[i] / 10.0, noise);
    backward = update(backward, values[size - 1 - i] / 10.0, noise);
    sum += values[i] / 10.0;
  }
  const auto n = static_cast<double>(size);
  const Gaussian batch = update(prior, n, sum / n, noise);
  for (const Gaussian& other : {backward, batch}) {
    RC_ASSERT(std::abs(forward.mean - other.mean) < 1e-11);
    RC_ASSERT(std::abs(forward.precision / other.precision - 1) < 1e-13);
  }
}

TEST(Gaussian, BadArgumentsThrow) {
  for (const double bad : {kNone, kInfinity, -kInfinity}) {
    EXPECT_THROW(gaussian_from_sd(bad, 1), InvalidArgument);
    EXPECT_THROW(update(Gaussian{}, bad, 1), InvalidArgument);
    EXPECT_THROW(update(Gaussian{}, bad, 0, 1), InvalidArgument);
    EXPECT_THROW(update(Gaussian{}, 0, bad), InvalidArgument);
    EXPECT_THROW(variance(Gaussian{bad, 1}), InvalidArgument);
  }
  for (const double bad : {kNone, -1.0}) {
    EXPECT_THROW(gaussian_from_sd(0, bad), InvalidArgument);
    EXPECT_THROW(variance(Gaussian{0, bad}), InvalidArgument);
    EXPECT_THROW(update(Gaussian{}, bad, 0, 1), InvalidArgument);
  }
  EXPECT_THROW(update(Gaussian{}, 0, 0), InvalidArgument);
  EXPECT_THROW(update(Gaussian{}, 0, -1), InvalidArgument);
  EXPECT_THROW(update(Gaussian{}, 1e300, 0, 1e-300), InvalidArgument);
}

// Some observations one by one, the rest as a batch; `width` scales the sd of the draws.
Replication replicate(base::Stream& stream, int draws, double width) {
  const Gaussian prior = gaussian_from_sd(.4, 1.5);
  const double noise = 2;
  const double theta = .4 + 1.5 * base::normal(stream);
  Gaussian posterior = prior;
  for (int i = 0; i < 3; ++i)
    posterior = update(posterior, theta + std::sqrt(noise) * base::normal(stream), noise);
  posterior = update(posterior, 4, theta + std::sqrt(noise / 4) * base::normal(stream), noise);
  posterior.precision /= width * width;
  Replication result{{theta}, {}};
  for (int i = 0; i < draws; ++i) result.draws.push_back({sample(posterior, stream)});
  return result;
}

const auto kRight = [](base::Stream& stream, int draws) { return replicate(stream, draws, 1); };

TEST(GaussianCalibration, RanksAreUniform) {
  expect_calibrated({}, kRight);
}

TEST(GaussianCalibrationLong, RanksAreUniform) {
  expect_calibrated(kLongCalibration, kRight);
}

// The test above can fail: with half the variance, and with twice.
TEST(GaussianCalibration, WrongVarianceIsNoticed) {
  for (const double factor : {.5, 2.0}) {
    const auto wrong = [=](base::Stream& stream, int draws) {
      return replicate(stream, draws, std::sqrt(factor));
    };
    EXPECT_LT(calibration_p_values({}, wrong)[0], kMiscalibrated) << factor;
  }
}

}  // namespace gaussian_test
}  // namespace mindgap::belief
