#include "mindgap/belief/gaussian.h"

#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/number.h"

namespace mindgap::belief {
namespace {}  // namespace

Gaussian gaussian_from_sd(double mean, double sd) {
  base::check_finite("gaussian_from_sd", "mean", mean);
  base::check_range("gaussian_from_sd", "sd", sd, 0, base::kInfinity);
  return {mean, 1 / (sd * sd)};
}

void check(const Gaussian& belief) {
  base::check_finite("Gaussian", "mean", belief.mean);
  base::check_range("Gaussian", "precision", belief.precision, 0, base::kInfinity);
}

Gaussian update(const Gaussian& belief, double observation, double variance) {
  return update(belief, 1, observation, variance);
}

// The mean moves by the share w = (n/v) / (precision + n/v) of the way to what was observed: 1 for a flat
// belief, 0 where theta is known.
Gaussian update(const Gaussian& belief, double count, double observed_mean, double variance) {
  check(belief);
  base::check_nonnegative("update", "count", count);
  base::check_finite("update", "observed mean", observed_mean);
  base::check_positive("update", "variance", variance);
  if (count == 0 || belief.precision == base::kInfinity) return belief;
  const double added = count / variance;
  base::check_finite("update", "count/variance", added);
  const double precision = belief.precision + added;
  const double share = added / precision;
  // A flat belief's mean does not count, not even by rounding.
  const double mean = share == 1 ? observed_mean : belief.mean + share * (observed_mean - belief.mean);
  return {mean, precision};
}

double variance(const Gaussian& belief) {
  check(belief);
  return 1 / belief.precision;
}

double sample(const Gaussian& belief, base::Stream& stream) {
  check(belief);
  base::check_finite("sample", "the variance of a Gaussian belief", 1 / belief.precision);
  return belief.mean + base::normal(stream) / std::sqrt(belief.precision);
}

}  // namespace mindgap::belief
