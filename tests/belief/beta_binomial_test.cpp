#include "mindgap/belief/beta_binomial.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "belief/calibration.h"
#include "mindgap/base/error.h"

namespace mindgap::belief {
namespace beta_binomial_test {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// With one phi, 1 - phi p = (1-phi) + phi (1-p) makes the posterior a mixture of Beta(A, B + j), j = 0 .. m,
// of weights C(m, j) (1-phi)^(m-j) phi^j B(A, B+j): sums of positive terms.
class Mixture {
 public:
  Mixture(double a, double b, int missed, double phi) : a_(a), b_(b) {
    std::vector<double> logs;
    for (int j = 0; j <= missed; ++j) {
      logs.push_back(std::lgamma(missed + 1) - std::lgamma(j + 1) - std::lgamma(missed - j + 1) +
                     (missed - j) * std::log1p(-phi) + j * std::log(phi) + std::lgamma(b + j) -
                     std::lgamma(a + b + j));
    }
    const double largest = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    for (const double value : logs) sum += std::exp(value - largest);
    for (const double value : logs) weights_.push_back(std::exp(value - largest) / sum);
  }

  template <typename Function>
  double average(Function function) const {
    double sum = 0;
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      sum += weights_[j] * function(a_, b_ + static_cast<double>(j));
    }
    return sum;
  }
  double mean() const {
    return average([](double a, double b) { return a / (a + b); });
  }
  double variance() const {
    const double m = mean();
    return average([m](double a, double b) {
      const double e = a / (a + b);
      return a * b / ((a + b) * (a + b) * (a + b + 1)) + (e - m) * (e - m);
    });
  }
  double cdf(double p) const {
    return average([p](double a, double b) { return boost::math::ibeta(a, b, p); });
  }
  double density(double p) const {
    return average([p](double a, double b) { return boost::math::ibeta_derivative(a, b, p); });
  }

 private:
  double a_, b_;
  std::vector<double> weights_;
};

BetaBinomial observed(double a, double b, std::int64_t tests, std::int64_t positives, double detection) {
  BetaBinomial belief(a, b);
  belief.observe(tests, positives, detection);
  return belief;
}

// Beta(1, 1), one negative test that detects half: 1 - p/2 integrates to 3/4, p (1 - p/2)
// to 1/2 - 1/6 = 1/3, p^2 (1 - p/2) to 1/3 - 1/8 = 5/24: mean 4/9, variance 5/18 - 16/81 = 13/162; the
// density at 1/2 is (3/4)/(3/4) = 1 and the cdf there (1/2 - 1/16)/(3/4) = 7/12.
TEST(BetaBinomial, HandValue) {
  const BetaBinomial belief = observed(1, 1, 1, 0, .5);
  EXPECT_NEAR(belief.mean(), 4.0 / 9, 1e-14);
  EXPECT_NEAR(belief.variance(), 13.0 / 162, 1e-14);
  EXPECT_NEAR(belief.density(.5), 1, 1e-13);
  EXPECT_NEAR(belief.cdf(.5), 7.0 / 12, 1e-14);
  EXPECT_NEAR(belief.quantile(7.0 / 12), .5, 1e-13);
}

TEST(BetaBinomial, PerfectTestsAreConjugate) {
  const BetaBinomial belief = observed(1.5, 11, 20, 3, 1);
  EXPECT_DOUBLE_EQ(belief.mean(), 4.5 / 32.5);
  EXPECT_NEAR(belief.variance(), 4.5 * 28 / (32.5 * 32.5 * 33.5), 1e-16);
  EXPECT_NEAR(belief.cdf(.2), boost::math::ibeta(4.5, 28, .2), 1e-14);
  EXPECT_NEAR(belief.density(.2), boost::math::ibeta_derivative(4.5, 28, .2), 1e-12);
  EXPECT_NEAR(belief.cdf(belief.quantile(.3)), .3, 1e-13);
}

// Tests that detect almost everything go through the quadrature and must give nearly the closed form.
TEST(BetaBinomial, QuadratureMeetsTheClosedForm) {
  for (const std::int64_t tests : {10LL, 1'000LL, 1'000'000LL, 1'000'000'000'000LL}) {
    const BetaBinomial exact = observed(1.5, 11, tests, tests / 10, 1);
    const BetaBinomial nearly = observed(1.5, 11, tests, tests / 10, 1 - 1e-16);
    EXPECT_NEAR(nearly.mean(), exact.mean(), 1e-12 * exact.mean()) << tests;
    EXPECT_NEAR(nearly.variance(), exact.variance(), 1e-8 * exact.variance()) << tests;
  }
}

struct Case {
  double a, b;
  int tests, positives;
  double detection;
};
const std::vector<Case> kCases = {{1.5, 11, 8, 0, .2},    {1.5, 11, 8, 3, .2},    {1, 1, 30, 6, .2},
                                  {.01, .01, 5, 0, .3},   {1e-3, 2, 3, 0, .9},    {2, 1e-3, 40, 20, .25},
                                  {1, 1, 200, 120, .5},   {3, 400, 50, 1, .999},  {1.2, 10.8, 500, 12, .2},
                                  {.5, .5, 100, 100, .4}, {1, 1, 2000, 400, .2},  {50, 1, 1000, 1, 1e-4},
                                  {1, 1, 1000, 0, 1e-3},  {30, 1e-3, 300, 99, .3}};

TEST(BetaBinomial, AgreesWithTheMixture) {
  for (const auto& [a, b, tests, positives, detection] : kCases) {
    const BetaBinomial belief = observed(a, b, tests, positives, detection);
    const Mixture mixture(a + positives, b, tests - positives, detection);
    SCOPED_TRACE(testing::Message() << a << " " << b << " " << tests << " " << positives << " " << detection);
    EXPECT_NEAR(belief.mean(), mixture.mean(), 1e-10 * mixture.mean());
    EXPECT_NEAR(belief.variance(), mixture.variance(), 1e-9 * mixture.variance());
    for (const double p : {1e-6, .01, .1, .4, .7, .99}) {
      EXPECT_NEAR(belief.cdf(p), mixture.cdf(p), 1e-10) << p;
      EXPECT_NEAR(belief.density(p), mixture.density(p), 1e-9 * (1e-3 + mixture.density(p))) << p;
    }
    for (const double u : {1e-5, .1, .5, .9, .999}) {
      const double p = belief.quantile(u);
      if (p > 1e-300 && p < 1 - 1e-9) {
        EXPECT_NEAR(mixture.cdf(p), u, 1e-9) << u;
      }
    }
  }
}

// Several phi against adaptive quadrature on the scale of p.
TEST(BetaBinomial, AgreesWithTanhSinh) {
  BetaBinomial belief(1.5, 3);
  belief.observe(20, 2, .2);
  belief.observe(10, 3, .6);
  belief.observe(15, 0, .95);
  belief.observe(5, 1);
  const auto moment = [](int power) {
    boost::math::quadrature::tanh_sinh<double> integrator;
    const auto density = [power](double p) {
      return std::pow(p, 6.5 + power) * std::pow(1 - p, 6) * std::pow(1 - .2 * p, 18) *
             std::pow(1 - .6 * p, 7) * std::pow(1 - .95 * p, 15);
    };
    return integrator.integrate(density, 0.0, 1.0, 1e-13);
  };
  const double mean = moment(1) / moment(0);
  EXPECT_NEAR(belief.mean(), mean, 1e-11);
  EXPECT_NEAR(belief.variance(), moment(2) / moment(0) - mean * mean, 1e-11);
}

RC_GTEST_PROP(BetaBinomialProperty, OrderAndGroupingChangeNoBit, ()) {
  const std::vector<double> shares{.2, .2, .5, 1, .75};
  const auto size = *rc::gen::inRange<std::size_t>(1, 12);
  BetaBinomial forward(.3, 1.7), backward(.3, 1.7), one_by_one(.3, 1.7);
  std::vector<Case> cases;
  for (std::size_t i = 0; i < size; ++i) {
    const int tests = *rc::gen::inRange(0, 9);
    cases.push_back(
        {0, 0, tests, *rc::gen::inRange(0, tests + 1), shares[*rc::gen::inRange<std::size_t>(0, 5)]});
  }
  for (std::size_t i = 0; i < size; ++i) {
    const Case& first = cases[i];
    const Case& last = cases[size - 1 - i];
    forward.observe(first.tests, first.positives, first.detection);
    backward.observe(last.tests, last.positives, last.detection);
    for (int test = 0; test < first.tests; ++test) {
      one_by_one.observe(1, test < first.positives ? 1 : 0, first.detection);
    }
  }
  RC_ASSERT(forward == backward);
  RC_ASSERT(forward == one_by_one);
  RC_ASSERT(forward.mean() == backward.mean());
}

RC_GTEST_PROP(BetaBinomialProperty, DistributionFunctionIsOne, ()) {
  BetaBinomial belief(*rc::gen::inRange(1, 500) / 100.0, *rc::gen::inRange(1, 500) / 100.0);
  for (int i = 0; i < 3; ++i) {
    const int tests = *rc::gen::inRange(0, 300);
    belief.observe(tests, *rc::gen::inRange(0, tests + 1), *rc::gen::inRange(1, 100) / 100.0);
  }
  double below = 0;
  for (int i = 0; i <= 50; ++i) {
    const double value = belief.cdf(i / 50.0);
    RC_ASSERT(value >= below - 1e-14 && value <= 1);
    below = value;
  }
  RC_ASSERT(below == 1);
  RC_ASSERT(belief.quantile(0) == 0 && belief.quantile(1) == 1);
  RC_ASSERT(belief.mean() > 0 && belief.mean() < 1 && belief.variance() > 0);
}

// The spec's belief at a cold zone of region B (alpha 1.2, beta 10.8; hiv 8) after three days of 8 tests that
// detect 20 %, two found. The plain update halves both mean and sd; the corrected one is within 5 % and 2 %.
TEST(BetaShape, ApproximationsBesideTheExactPosterior) {
  const BetaBinomial exact = observed(1.2, 10.8, 24, 2, .2);
  const BetaShape plain = conjugate_update({1.2, 10.8}, 24, 2);
  const BetaShape corrected = warmup_corrected_update({1.2, 10.8}, 24, 2, .2);
  EXPECT_EQ(plain, (BetaShape{3.2, 32.8}));
  EXPECT_NEAR(corrected.negative, 13.6, 1e-14);
  const Mixture mixture(3.2, 10.8, 22, .2);
  EXPECT_NEAR(exact.mean(), mixture.mean(), 1e-12);
  const double sd = std::sqrt(exact.variance());
  EXPECT_NEAR(mean(plain) / exact.mean(), .4875, .001);
  EXPECT_NEAR(std::sqrt(variance(plain)) / sd, .5103, .001);
  EXPECT_NEAR(mean(corrected) / exact.mean(), 1.0446, .001);
  EXPECT_NEAR(std::sqrt(variance(corrected)) / sd, 1.0151, .001);
}

// A long series of cold tests at prevalence .3: the plain belief settles at phi p, the corrected one at p.
TEST(BetaShape, WhereTheApproximationsSettle) {
  const std::int64_t tests = 100'000, positives = 6'000;
  const BetaBinomial exact = observed(1.2, 10.8, tests, positives, .2);
  EXPECT_NEAR(exact.mean(), .3, .001);
  EXPECT_NEAR(mean(conjugate_update({1.2, 10.8}, tests, positives)), .06, .001);
  const BetaShape corrected = warmup_corrected_update({1.2, 10.8}, tests, positives, .2);
  EXPECT_NEAR(mean(corrected), .3, .001);
  // Its variance is p(1-p)/(phi n) where p (1 - phi p)/(phi n) is right: too sure by (1-p)/(1 - phi p).
  EXPECT_NEAR(variance(corrected) / exact.variance(), .7 / .94, .01);
}

// More found than phi n: the correction adds no negatives.
TEST(BetaShape, CorrectionNeverTakesAway) {
  EXPECT_EQ(warmup_corrected_update({1, 2}, 10, 5, .2), (BetaShape{6, 2}));
  EXPECT_EQ(warmup_corrected_update({1, 2}, 10, 5, 1), conjugate_update({1, 2}, 10, 5));
}

TEST(BetaBinomial, BadArgumentsThrow) {
  for (const double bad : {kNone, 0.0, -1.0, 1e-4, 1e16}) {
    EXPECT_THROW(BetaBinomial(bad, 1), InvalidArgument);
    EXPECT_THROW(BetaBinomial(1, bad), InvalidArgument);
  }
  BetaBinomial belief(1, 1);
  for (const double bad : {kNone, 0.0, -.1, 1.1}) {
    EXPECT_THROW(belief.observe(1, 0, bad), InvalidArgument);
    EXPECT_THROW(warmup_corrected_update({}, 1, 0, bad), InvalidArgument);
  }
  EXPECT_THROW(belief.observe(-1, 0), InvalidArgument);
  EXPECT_THROW(belief.observe(1, -1), InvalidArgument);
  EXPECT_THROW(belief.observe(1, 2), InvalidArgument);
  EXPECT_THROW(belief.observe(1'000'000'000'000'001LL * 10, 2), InvalidArgument);
  EXPECT_EQ(belief, BetaBinomial(1, 1));  // nothing was taken in
  for (const double bad : {kNone, -.1, 1.1}) {
    EXPECT_THROW(belief.cdf(bad), InvalidArgument);
    EXPECT_THROW(belief.quantile(bad), InvalidArgument);
  }
  for (const double bad : {kNone, 0.0, 1.0}) EXPECT_THROW(belief.density(bad), InvalidArgument);
  for (const double bad : {kNone, 0.0, -1.0}) {
    EXPECT_THROW(mean(BetaShape{bad, 1}), InvalidArgument);
    EXPECT_THROW(variance(BetaShape{1, bad}), InvalidArgument);
    EXPECT_THROW(conjugate_update({bad, 1}, 1, 0), InvalidArgument);
  }
  EXPECT_THROW(conjugate_update({}, 1, 2), InvalidArgument);
  EXPECT_THROW(warmup_corrected_update({}, -1, 0, 1), InvalidArgument);
}

Replication replicate(base::Stream& stream, int draws, double believed) {
  const double p = base::beta(stream, 1.5, 4);
  BetaBinomial belief(1.5, 4);
  for (const double phi : {.2, .2, .6}) {
    belief.observe(8, base::binomial(stream, 8, phi * p), phi == .2 ? believed : phi);
  }
  belief.observe(5, base::binomial(stream, 5, p));
  std::vector<double> values(static_cast<std::size_t>(draws));
  belief.sample(stream, values);
  Replication result{{p}, {}};
  for (const double value : values) result.draws.push_back({value});
  return result;
}

const auto kRight = [](base::Stream& stream, int draws) { return replicate(stream, draws, .2); };

TEST(BetaBinomialCalibration, RanksAreUniform) {
  expect_calibrated({}, kRight);
}

TEST(BetaBinomialCalibrationLong, RanksAreUniform) {
  expect_calibrated({.seed = kLongCalibration.seed, .replications = 20'000, .draws = 63}, kRight);
}

// Cold tests taken for perfect ones, as the plain update does.
TEST(BetaBinomialCalibration, IgnoredDetectionIsNoticed) {
  const auto wrong = [](base::Stream& stream, int draws) { return replicate(stream, draws, 1); };
  EXPECT_LT(calibration_p_values({}, wrong)[0], kMiscalibrated);
}

}  // namespace beta_binomial_test
}  // namespace mindgap::belief
