#include "mindgap/voi/tail.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/stats/moments.h"

namespace mindgap::voi {

std::vector<double> tail_values(std::span<const double> values, double share) {
  base::check_range("tail_values", "share", share, 1e-6, 1);
  std::vector<double> tail(values.begin(), values.end());
  if (share == 1 || values.empty()) return tail;
  std::vector<double> sorted = tail;
  const auto place =
      static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(values.size()) * (1 - 1e-15)) - 1);
  const auto at = sorted.begin() + std::max<std::ptrdiff_t>(place, 0);
  std::nth_element(sorted.begin(), at, sorted.end());
  for (double& value : tail) value = *at - std::max(*at - value, 0.0) / share;
  return tail;
}

double tail_mean(std::span<const double> values, double share) {
  return stats::mean(tail_values(values, share));
}

}  // namespace mindgap::voi
