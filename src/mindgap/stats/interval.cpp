#include "mindgap/stats/interval.h"

#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::stats {

Interval student_interval(double center, double standard_error, std::int64_t trials, double level) {
  const char* function = "student_interval";
  base::check_finite(function, "center", center);
  base::check_nonnegative(function, "standard_error", standard_error);
  check_level(function, level);
  if (trials < 2) {
    throw InvalidArgument(fmt::format("{}: trials is {}, but must be 2 or more", function, trials));
  }
  // The upper tail is asked for, so that a level near 1 loses no digits.
  const boost::math::students_t law(static_cast<double>(trials - 1));
  const double t = boost::math::quantile(boost::math::complement(law, (1 - level) / 2));
  return {center - t * standard_error, center + t * standard_error};
}

void check_level(std::string_view function, double level) {
  if (level > 0 && level < 1) return;
  throw InvalidArgument(fmt::format("{}: level is {}, but must be between 0 and 1", function, level));
}

}  // namespace mindgap::stats
