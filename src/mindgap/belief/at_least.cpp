#include "mindgap/belief/at_least.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "mindgap/base/check.h"

namespace mindgap::belief {

NormalHazard normal_hazard(double a) {
  base::check_finite("normal_hazard", "a", a);
  if (a < 5) {
    const double density = std::exp(-a * a / 2) / std::sqrt(2 * std::numbers::pi);
    const double rate = density / (std::erfc(a / std::numbers::sqrt2) / 2);
    return {rate, rate - a};
  }
  constexpr int kTerms = 120;  // at a = 5 the fraction has settled to the last bit by 60
  double tail = a;
  for (int i = kTerms; i >= 2; --i) tail = a + i / tail;
  return {a + 1 / tail, 1 / tail};
}

Gaussian update_at_least(const Gaussian& belief, double bound, double variance) {
  check(belief);
  base::check_finite("update_at_least", "bound", bound);
  base::check_positive("update_at_least", "variance", variance);
  if (belief.precision == std::numeric_limits<double>::infinity()) return belief;
  base::check_positive("update_at_least", "the precision of the belief", belief.precision);
  const double t = 1 / belief.precision, s2 = t + variance, s = std::sqrt(s2);
  const NormalHazard hazard = normal_hazard((bound - belief.mean) / s);
  return {belief.mean + t / s * hazard.rate, belief.precision / (1 - t / s2 * hazard.rate * hazard.excess)};
}

Gaussian update_at_most(const Gaussian& belief, double bound, double variance) {
  const Gaussian mirrored = update_at_least({-belief.mean, belief.precision}, -bound, variance);
  return {-mirrored.mean, mirrored.precision};
}

}  // namespace mindgap::belief
