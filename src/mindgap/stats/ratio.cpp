#include "mindgap/stats/ratio.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/stats/moments.h"

namespace mindgap::stats {

// Cochran (1977), Sampling Techniques, section 6.4: R = mean(x) / mean(y) has the variance of
// mean(x - R y) / mean(y) to first order in 1/n. The residuals sum to 0 but for rounding, which the standard
// deviation about their own mean leaves out.
RatioOfMeans ratio_of_means(std::span<const double> x, std::span<const double> y, double level) {
  const char* function = "ratio_of_means";
  check_level(function, level);
  if (x.empty()) throw InvalidArgument(fmt::format("{}: there are no trials", function));
  base::check_size(function, "y", y.size(), x.size());
  base::check_finite(function, "x", x);
  base::check_finite(function, "y", y);
  const double below = mean(y);
  if (below == 0) throw InvalidArgument(fmt::format("{}: the mean of y is 0", function));

  RatioOfMeans result{.ratio = mean(x) / below};
  base::check_finite(function, "the ratio", result.ratio);
  if (x.size() == 1) return result;
  std::vector<double> residual(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) residual[i] = x[i] - result.ratio * y[i];
  const double error =
      standard_deviation(residual) / (std::sqrt(static_cast<double>(x.size())) * std::abs(below));
  result.standard_error = error;
  result.interval = student_interval(result.ratio, error, static_cast<std::int64_t>(x.size()), level);
  return result;
}

}  // namespace mindgap::stats
