#include "mindgap/stats/confidence_sequence.h"

#include <cmath>

#include "mindgap/base/check.h"

namespace mindgap::stats {

double mixture_boundary(double variance, double rho, double level) {
  check_level("mixture_boundary", level);
  base::check_nonnegative("mixture_boundary", "variance", variance);
  base::check_positive("mixture_boundary", "rho", rho);
  const double alpha = 1 - level;
  return std::sqrt((variance + rho) * (std::log1p(variance / rho) - 2 * std::log(alpha)));
}

double mixture_rho(double variance, double level) {
  check_level("mixture_rho", level);
  base::check_positive("mixture_rho", "variance", variance);
  const double twice = -2 * std::log(1 - level);
  return variance / (twice + std::log1p(twice));
}

Interval confidence_sequence(double sum, double variance, double n, double rho, double level) {
  base::check_finite("confidence_sequence", "sum", sum);
  base::check_positive("confidence_sequence", "n", n);
  const double radius = mixture_boundary(variance, rho, level);
  return {(sum - radius) / n, (sum + radius) / n};
}

}  // namespace mindgap::stats
