#include "mindgap/belief/normal_inverse_gamma.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "belief/calibration.h"
#include "mindgap/base/error.h"

namespace mindgap::belief {
namespace normal_inverse_gamma_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

SampleSummary summary_of(const std::vector<double>& values) {
  SampleSummary summary{static_cast<double>(values.size()), 0, 0};
  for (const double value : values) summary.mean += value / summary.count;
  for (const double value : values)
    summary.squared_deviations += (value - summary.mean) * (value - summary.mean);
  return summary;
}

// spec/tabular.md 5
TEST(NormalInverseGamma, GoldenValues) {
  const std::vector<double> values{.3, .5, .45, .7, .2};
  const NormalInverseGamma prior{.4, 2, 2, .08};
  NormalInverseGamma one_by_one = prior;
  for (const double value : values) one_by_one = update(one_by_one, value);
  for (const NormalInverseGamma& posterior : {update(prior, summary_of(values)), one_by_one}) {
    EXPECT_NEAR(posterior.mean, .4214285714, 1e-10);
    EXPECT_NEAR(posterior.strength, 7, 1e-14);
    EXPECT_NEAR(posterior.shape, 4.5, 1e-14);
    EXPECT_NEAR(posterior.scale, .1546428571, 1e-10);
    EXPECT_NEAR(mean_precision(posterior), 29.0993071594, 1e-9);
    EXPECT_NEAR(variance(posterior), .0063119533528, 1e-13);
  }
}

// One observation 3 on NIG(1, 1, 2, 1): kappa 2, mu 2, alpha 2.5, beta 1 + 1*1*4/(2*2) = 2.
TEST(NormalInverseGamma, HandValue) {
  EXPECT_EQ(update(NormalInverseGamma{1, 1, 2, 1}, 3), (NormalInverseGamma{2, 2, 2.5, 2}));
  EXPECT_EQ(stated_normal_inverse_gamma(.3, 5, .2), (NormalInverseGamma{.3, 5, 2, .4}));
}

RC_GTEST_PROP(NormalInverseGammaProperty, OrderDoesNotMatterAndBatchIsOneByOne, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 20);
  const auto integers = *rc::gen::container<std::vector<int>>(size, rc::gen::inRange(-1000, 1000));
  std::vector<double> values;
  values.reserve(integers.size());
  for (const int integer : integers) values.push_back(integer / 100.0);
  const NormalInverseGamma prior{*rc::gen::inRange(-50, 50) / 10.0, *rc::gen::inRange(1, 100) / 10.0,
                                 *rc::gen::inRange(1, 100) / 20.0, *rc::gen::inRange(1, 100) / 10.0};
  NormalInverseGamma forward = prior, backward = prior;
  for (std::size_t i = 0; i < size; ++i) {
    forward = update(forward, values[i]);
    backward = update(backward, values[size - 1 - i]);
  }
  for (const NormalInverseGamma& other : {backward, update(prior, summary_of(values))}) {
    RC_ASSERT(std::abs(forward.mean - other.mean) < 1e-12 * 100);
    RC_ASSERT(std::abs(forward.strength - other.strength) < 1e-12);
    RC_ASSERT(std::abs(forward.shape - other.shape) < 1e-12);
    RC_ASSERT(std::abs(forward.scale / other.scale - 1) < 1e-11);
  }
}

// The marginal is the integral over v of N(theta; mu, v/kappa) times the inverse gamma density of v.
TEST(NormalInverseGamma, MarginalIsTheIntegralOverTheVariance) {
  const NormalInverseGamma belief{.4, 2, 1.7, .6};
  for (const double theta : {-2.0, .1, .4, 1.3}) {
    const auto joint = [&](double log_v) {
      const double v = std::exp(log_v);
      const double normal = std::sqrt(2 / (2 * M_PI * v)) * std::exp(-(theta - .4) * (theta - .4) / v);
      return normal * std::exp(1.7 * std::log(.6) - std::lgamma(1.7) - 1.7 * log_v - .6 / v);
    };
    const double integral = boost::math::quadrature::gauss_kronrod<double, 61>::integrate(joint, -8, 30, 12);
    EXPECT_NEAR(density(marginal(belief), theta), integral, 1e-9 * integral);
  }
}

TEST(NormalInverseGamma, MarginalsVarianceAndQuantiles) {
  const NormalInverseGamma belief{.4, 2, 4.5, .6};
  const StudentT law = marginal(belief);
  // The variance of a Student t is scale^2 nu/(nu-2).
  EXPECT_NEAR(law.scale * law.scale * law.degrees / (law.degrees - 2), variance(belief), 1e-15);
  EXPECT_DOUBLE_EQ(cdf(law, .4), .5);
  for (const double p : {1e-6, .2, .5, .99}) EXPECT_NEAR(cdf(law, quantile(law, p)), p, 1e-12);
  // 2 degrees: F(t) = 1/2 + t / (2 sqrt(2 + t^2)), at t = 1: 1/2 + 1/(2 sqrt 3).
  EXPECT_NEAR(cdf(StudentT{2, 3, 2}, 5), .5 + .5 / std::sqrt(3.0), 1e-14);
}

TEST(NormalInverseGamma, HeavyTailsHaveNoVariance) {
  EXPECT_EQ(variance(NormalInverseGamma{0, 1, 1, 1}), kInfinity);
  EXPECT_EQ(variance(NormalInverseGamma{0, 1, .5, 1}), kInfinity);
  EXPECT_LT(variance(NormalInverseGamma{0, 1, 1.01, 1}), 101);
}

TEST(NormalInverseGamma, BadArgumentsThrow) {
  const NormalInverseGamma good;
  for (const double bad : {kNone, kInfinity, -kInfinity}) {
    EXPECT_THROW(update(good, bad), InvalidArgument);
    EXPECT_THROW(update(good, SampleSummary{2, bad, 0}), InvalidArgument);
    EXPECT_THROW(variance(NormalInverseGamma{bad, 1, 1, 1}), InvalidArgument);
    EXPECT_THROW(cdf(StudentT{}, bad), InvalidArgument);
    EXPECT_THROW(density(StudentT{}, bad), InvalidArgument);
  }
  for (const double bad : {kNone, kInfinity, 0.0, -1.0}) {
    EXPECT_THROW(update(NormalInverseGamma{0, bad, 1, 1}, 0), InvalidArgument);
    EXPECT_THROW(mean_precision(NormalInverseGamma{0, 1, bad, 1}), InvalidArgument);
    EXPECT_THROW(marginal(NormalInverseGamma{0, 1, 1, bad}), InvalidArgument);
    EXPECT_THROW(stated_normal_inverse_gamma(0, 1, bad), InvalidArgument);
    EXPECT_THROW(cdf(StudentT{bad, 0, 1}, 0), InvalidArgument);
    EXPECT_THROW(cdf(StudentT{1, 0, bad}, 0), InvalidArgument);
  }
  for (const double bad : {kNone, kInfinity, -1.0}) {
    EXPECT_THROW(update(good, SampleSummary{bad, 0, 0}), InvalidArgument);
    EXPECT_THROW(update(good, SampleSummary{2, 0, bad}), InvalidArgument);
  }
  EXPECT_THROW(update(good, SampleSummary{0, 0, 1}), InvalidArgument);
  EXPECT_THROW(update(good, 1e200), InvalidArgument);  // its square is no number
  for (const double bad : {kNone, 0.0, 1.0, 2.0}) EXPECT_THROW(quantile(StudentT{}, bad), InvalidArgument);
  base::Stream stream({.seed = 1, .purpose = base::Purpose::test});
  EXPECT_THROW(sample(NormalInverseGamma{0, 1, 1e-9, 1}, stream), NumericalError);
}

// Truth straight from the definition of the prior, by base's gamma variate; `forget_mean` leaves out what the
// paper leaves out.
Replication replicate(base::Stream& stream, int draws, bool forget_mean) {
  const NormalInverseGamma prior{.4, 2, 3, .5};
  const double v = .5 / base::gamma(stream, 3);
  const double theta = .4 + std::sqrt(v / 2) * base::normal(stream);
  const auto observe = [&] { return theta + std::sqrt(v) * base::normal(stream); };
  NormalInverseGamma posterior = update(prior, observe());
  posterior = update(posterior, summary_of({observe(), observe(), observe(), observe()}));
  if (forget_mean) posterior.mean = prior.mean;
  Replication result{{theta, v}, {}};
  for (int i = 0; i < draws; ++i) {
    const MeanAndVariance draw = sample(posterior, stream);
    result.draws.push_back({draw.mean, draw.variance});
  }
  return result;
}

const auto kRight = [](base::Stream& stream, int draws) { return replicate(stream, draws, false); };

TEST(NormalInverseGammaCalibration, RanksAreUniform) {
  expect_calibrated({}, kRight);
}

TEST(NormalInverseGammaCalibrationLong, RanksAreUniform) {
  expect_calibrated(kLongCalibration, kRight);
}

TEST(NormalInverseGammaCalibration, MeanThatIsNotUpdatedIsNoticed) {
  const auto wrong = [](base::Stream& stream, int draws) { return replicate(stream, draws, true); };
  EXPECT_LT(calibration_p_values({}, wrong)[0], kMiscalibrated);
}

}  // namespace normal_inverse_gamma_test
}  // namespace mindgap::belief
