#pragma once

#include <cstdint>
#include <string>

// Numbers as people read them, in messages, texts, tables and pages: the only place that decides how (with
// view/number.h for intervals). Programs get them in full: JSON, and base/number.h for files.
namespace mindgap::base {

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

/// "12.5 %", and "< 0.1 %" for what is small but not zero.
std::string percent(double share);
/// "12 %", "0.3 %": two significant digits, for sentences.
std::string rough_percent(double share);
/// "1 state", "40 states".
std::string count(std::int64_t n, const std::string& noun);

}  // namespace mindgap::base
