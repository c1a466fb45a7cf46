#include "mindgap/belief/beta_binomial.h"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/belief/logit_quadrature.h"

namespace mindgap::belief {
namespace {

using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using BetaLaw = boost::math::beta_distribution<double, Policy>;

constexpr double kMostTests = 1e15;

BetaLaw beta_law(const BetaBinomial& belief) {
  return {belief.positive(), belief.negative()};
}

void check_tests(const char* function, std::int64_t tests, std::int64_t positives) {
  base::check_range(function, "tests", static_cast<double>(tests), 0, kMostTests);
  base::check_range(function, "positives", static_cast<double>(positives), 0, static_cast<double>(tests));
}

void check_detection(const char* function, double detection) {
  base::check_positive(function, "detection", detection);
  base::check_range(function, "detection", detection, 0, 1);
}

void check(const BetaShape& belief) {
  base::check_positive("BetaShape", "positive", belief.positive);
  base::check_positive("BetaShape", "negative", belief.negative);
}

}  // namespace

BetaBinomial::BetaBinomial(double positive, double negative)
    : prior_positive_(positive), prior_negative_(negative) {
  base::check_range("BetaBinomial", "positive", positive, 1e-3, kMostTests);
  base::check_range("BetaBinomial", "negative", negative, 1e-3, kMostTests);
}

void BetaBinomial::observe(std::int64_t tests, std::int64_t positives, double detection) {
  check_tests("BetaBinomial::observe", tests, positives);
  check_detection("BetaBinomial::observe", detection);
  const std::int64_t negatives = tests - positives;
  positives_ += positives;
  if (detection == 1) {
    negatives_ += negatives;
  } else if (negatives > 0) {
    const auto at = std::lower_bound(missed_.begin(), missed_.end(), detection,
                                     [](const Missed& missed, double d) { return missed.detection < d; });
    if (at != missed_.end() && at->detection == detection) {
      at->negatives += negatives;
    } else {
      missed_.insert(at, {detection, negatives});
    }
  }
}

double BetaBinomial::mean() const {
  if (!missed_.empty()) return LogitQuadrature(*this).mean();
  return positive() / (positive() + negative());
}

double BetaBinomial::variance() const {
  if (!missed_.empty()) return LogitQuadrature(*this).variance();
  return belief::variance(BetaShape{positive(), negative()});
}

double BetaBinomial::density(double p) const {
  base::check_positive("BetaBinomial::density", "p", p);
  base::check_positive("BetaBinomial::density", "1 - p", 1 - p);
  return missed_.empty() ? boost::math::pdf(beta_law(*this), p) : LogitQuadrature(*this).density(p);
}

double BetaBinomial::cdf(double p) const {
  base::check_probability("BetaBinomial::cdf", "p", p);
  return missed_.empty() ? boost::math::cdf(beta_law(*this), p) : LogitQuadrature(*this).cdf(p);
}

double BetaBinomial::quantile(double probability) const {
  base::check_probability("BetaBinomial::quantile", "probability", probability);
  return missed_.empty() ? boost::math::quantile(beta_law(*this), probability)
                         : LogitQuadrature(*this).quantile(probability);
}

double BetaBinomial::sample(base::Stream& stream) const {
  double draw = 0;
  sample(stream, {&draw, 1});
  return draw;
}

void BetaBinomial::sample(base::Stream& stream, std::span<double> out) const {
  if (missed_.empty()) {
    for (double& draw : out) draw = base::beta(stream, positive(), negative());
    return;
  }
  const LogitQuadrature quadrature(*this);
  for (double& draw : out) draw = quadrature.quantile(base::uniform(stream));
}

double mean(const BetaShape& belief) {
  check(belief);
  return belief.positive / (belief.positive + belief.negative);
}

// a b / ((a+b)^2 (a+b+1))
double variance(const BetaShape& belief) {
  check(belief);
  const double total = belief.positive + belief.negative;
  return (belief.positive / total) * (belief.negative / total) / (total + 1);
}

BetaShape conjugate_update(const BetaShape& belief, std::int64_t tests, std::int64_t positives) {
  check(belief);
  check_tests("conjugate_update", tests, positives);
  return {belief.positive + static_cast<double>(positives),
          belief.negative + static_cast<double>(tests - positives)};
}

BetaShape warmup_corrected_update(const BetaShape& belief, std::int64_t tests, std::int64_t positives,
                                  double detection) {
  check(belief);
  check_tests("warmup_corrected_update", tests, positives);
  check_detection("warmup_corrected_update", detection);
  const auto k = static_cast<double>(positives);
  return {belief.positive + k, belief.negative + std::max(0.0, detection * static_cast<double>(tests) - k)};
}

}  // namespace mindgap::belief
