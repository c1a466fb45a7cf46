#pragma once

#include <cmath>

namespace mindgap::base {

/// log(1+t) - t + t^2/2 - t^3/3 = -t^4/4 + t^5/5 - ..., t > -1: by its series where the terms cancel.
inline double log1p_remainder(double t) {
  if (std::abs(t) > 0.1) return std::log1p(t) - t * (1 - t * (0.5 - t / 3));
  double sum = 0;
  for (int j = 18; j >= 4; --j) sum = 1.0 / j - t * sum;
  return -sum * (t * t) * (t * t);
}

}  // namespace mindgap::base
