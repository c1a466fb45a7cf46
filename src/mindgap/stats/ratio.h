#pragma once

#include <optional>
#include <span>

#include "mindgap/stats/interval.h"

namespace mindgap::stats {

struct RatioOfMeans {
  double ratio = 0;                           // mean(x) / mean(y)
  std::optional<double> standard_error = {};  // none for a single pair
  std::optional<Interval> interval = {};      // likewise
};

/// The ratio of two means over the same trials (paired), with the delta-method t interval: with residuals
/// e_i = x_i - ratio y_i, se = sd(e) / (sqrt(n) |mean(y)|), Student's t with n - 1 degrees of freedom
/// (Cochran 1977, section 6.4). Throws InvalidArgument where sizes differ or are 0, a value is not finite, or
/// mean(y) is 0; `level` in (0, 1).
RatioOfMeans ratio_of_means(std::span<const double> x, std::span<const double> y, double level = .95);

}  // namespace mindgap::stats
