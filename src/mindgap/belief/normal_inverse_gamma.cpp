#include "mindgap/belief/normal_inverse_gamma.h"

#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"

namespace mindgap::belief {
namespace {

using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using UnitStudentT = boost::math::students_t_distribution<double, Policy>;

void check(const StudentT& law) {
  base::check_positive("StudentT", "degrees", law.degrees);
  base::check_finite("StudentT", "location", law.location);
  base::check_positive("StudentT", "scale", law.scale);
}

}  // namespace

NormalInverseGamma stated_normal_inverse_gamma(double mean, double strength, double stated_variance) {
  base::check_positive("stated_normal_inverse_gamma", "stated_variance", stated_variance);
  const NormalInverseGamma prior{mean, strength, 2, 2 * stated_variance};
  check(prior);
  return prior;
}

void check(const NormalInverseGamma& belief) {
  base::check_finite("NormalInverseGamma", "mean", belief.mean);
  base::check_positive("NormalInverseGamma", "strength", belief.strength);
  base::check_positive("NormalInverseGamma", "shape", belief.shape);
  base::check_positive("NormalInverseGamma", "scale", belief.scale);
}

NormalInverseGamma update(const NormalInverseGamma& belief, double observation) {
  base::check_finite("update", "observation", observation);
  return update(belief, SampleSummary{1, observation, 0});
}

NormalInverseGamma update(const NormalInverseGamma& belief, const SampleSummary& summary) {
  check(belief);
  base::check_nonnegative("update", "count", summary.count);
  base::check_finite("update", "the mean of the observations", summary.mean);
  base::check_nonnegative("update", "squared_deviations", summary.squared_deviations);
  const double n = summary.count;
  if (n == 0) {
    base::check_range("update", "squared_deviations of no observation", summary.squared_deviations, 0, 0);
    return belief;
  }
  const double strength = belief.strength + n;
  const double share = n / strength;
  const double off = summary.mean - belief.mean;
  const NormalInverseGamma posterior{
      belief.mean + share * off, strength, belief.shape + n / 2,
      belief.scale + summary.squared_deviations / 2 + belief.strength * share * off * off / 2};
  check(posterior);
  return posterior;
}

double mean_precision(const NormalInverseGamma& belief) {
  check(belief);
  return belief.shape / belief.scale;
}

double variance(const NormalInverseGamma& belief) {
  check(belief);
  if (belief.shape <= 1) return std::numeric_limits<double>::infinity();
  return belief.scale / ((belief.shape - 1) * belief.strength);
}

StudentT marginal(const NormalInverseGamma& belief) {
  check(belief);
  return {2 * belief.shape, belief.mean, std::sqrt(belief.scale / (belief.shape * belief.strength))};
}

double density(const StudentT& law, double x) {
  check(law);
  base::check_finite("density", "x", x);
  return boost::math::pdf(UnitStudentT(law.degrees), (x - law.location) / law.scale) / law.scale;
}

double cdf(const StudentT& law, double x) {
  check(law);
  base::check_finite("cdf", "x", x);
  return boost::math::cdf(UnitStudentT(law.degrees), (x - law.location) / law.scale);
}

double quantile(const StudentT& law, double p) {
  check(law);
  base::check_positive("quantile", "p", p);
  base::check_positive("quantile", "1 - p", 1 - p);
  return law.location + law.scale * boost::math::quantile(UnitStudentT(law.degrees), p);
}

// v = beta / G with G ~ Gamma(alpha, 1), on the log scale since G may underflow for small alpha.
MeanAndVariance sample(const NormalInverseGamma& belief, base::Stream& stream) {
  check(belief);
  const double v = std::exp(std::log(belief.scale) - base::log_gamma_draw(stream, belief.shape));
  const double theta = belief.mean + std::sqrt(v / belief.strength) * base::normal(stream);
  if (!std::isfinite(theta)) {
    throw NumericalError(
        fmt::format("sample: the variance drawn from a NormalInverseGamma of shape {} is too "
                    "large for a number",
                    belief.shape));
  }
  return {theta, v};
}

}  // namespace mindgap::belief
