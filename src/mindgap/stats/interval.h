#pragma once

#include <cstdint>
#include <string_view>

namespace mindgap::stats {

struct Interval {
  double lower = 0, upper = 0;
};

/// center -+ t standard_error, with P(|T| <= t) = level for Student's T with trials - 1 degrees of freedom.
/// trials >= 2, standard_error >= 0, level in (0, 1).
Interval student_interval(double center, double standard_error, std::int64_t trials, double level);

/// Throws InvalidArgument, naming `function`, where a level is not strictly between 0 and 1.
void check_level(std::string_view function, double level);

}  // namespace mindgap::stats
