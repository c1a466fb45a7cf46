#pragma once

#include <cstdint>
#include <string>

#include "mindgap/stats/interval.h"

// Numbers as people read them: the only place that decides how. JSON has them in full.
namespace mindgap::view {

/// At least `digits` significant digits, and never fewer than those before the point: 705, not 7e+02. No
/// zeros at the end, no minus before a zero. From a billion on, and below a ten-thousandth, as 1.5e+09 and
/// 3e-05.
/// "-" where it is not a number.
std::string number(double value, int digits = 4);
/// The same with its sign: "+2", "-3", "0".
std::string signed_number(double value, int digits = 4);
/// With so many digits after the point, for columns: "0.00", never "-0.00".
std::string fixed(double value, int decimals);
std::string signed_fixed(double value, int decimals);

/// "3 to 5". Ends that differ but would read alike get more digits, up to ten; "8" where they still do.
std::string range(double lower, double upper, int digits = 4);
/// "[3, 5]", with more digits in the same case.
std::string bracketed(const stats::Interval& interval, int digits = 4);
/// "12 (10 to 14)".
std::string with_range(double value, const stats::Interval& interval, int digits = 4);
/// "12.4 +- 0.5", and "12.4" where the error is 0.
std::string with_error(double value, double error, int digits = 4, int error_digits = 2);

/// "12.5 %", and "< 0.1 %" for what is small but not zero.
std::string percent(double share);
/// "12 %", "0.3 %": two significant digits, for sentences.
std::string rough_percent(double share);
/// "1 state", "40 states".
std::string count(std::int64_t n, const std::string& noun);

}  // namespace mindgap::view
