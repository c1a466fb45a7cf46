#include "mindgap/stats/paired.h"

#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/tails.h"
#include "mindgap/stats/moments.h"

namespace mindgap::stats {

// t = mean / (sd / sqrt n) with n - 1 degrees of freedom (Student 1908). Where all differences are equal sd
// is 0 and the p-value is its limit: 0, or 1 where they are 0.
PairedT paired_t(std::span<const double> differences, double level) {
  const char* function = "paired_t";
  check_level(function, level);
  if (differences.empty()) throw InvalidArgument("paired_t: there are no differences");
  base::check_finite(function, "differences", differences);

  PairedT result{.trials = static_cast<std::int64_t>(differences.size()), .mean = mean(differences)};
  if (result.trials == 1) return result;
  const double error = standard_deviation(differences) / std::sqrt(static_cast<double>(result.trials));
  result.standard_error = error;
  result.interval = student_interval(result.mean, error, result.trials, level);
  if (result.mean == 0) {
    result.p_value = 1;
  } else {
    result.p_value =
        error == 0 ? 0 : base::student_two_sided(result.mean / error, static_cast<double>(result.trials - 1));
  }
  return result;
}

}  // namespace mindgap::stats
