#include "mindgap/stats/share.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace mindgap::stats {

Interval share_interval(double share, double trials, double level) {
  const double z = student_interval(0, 1, std::int64_t{1} << 40, level).upper;
  const double center = (share + z * z / (2 * trials)) / (1 + z * z / trials);
  const double half =
      z / (1 + z * z / trials) * std::sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials));
  // At the ends the limits are 0 and 1 themselves, which rounding misses.
  return {share == 0 ? 0 : std::max(0.0, center - half), share == 1 ? 1 : std::min(1.0, center + half)};
}

}  // namespace mindgap::stats
