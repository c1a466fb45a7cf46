#pragma once

#include <cstdint>
#include <string>

#include "mindgap/base/readable.h"
#include "mindgap/stats/interval.h"

// Numbers as people read them: base/readable.h, and what intervals add. JSON has them in full.
namespace mindgap::view {

using base::count;
using base::fixed;
using base::number;
using base::percent;
using base::rough_percent;
using base::signed_fixed;
using base::signed_number;

/// "3 to 5". Ends that differ but would read alike get more digits, up to ten; "8" where they still do.
std::string range(double lower, double upper, int digits = 4);
/// "[3, 5]", with more digits in the same case.
std::string bracketed(const stats::Interval& interval, int digits = 4);
/// "12 (10 to 14)".
std::string with_range(double value, const stats::Interval& interval, int digits = 4);
/// "12.4 +- 0.5", and "12.4" where the error is 0.
std::string with_error(double value, double error, int digits = 4, int error_digits = 2);

}  // namespace mindgap::view
