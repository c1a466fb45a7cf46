#pragma once

#include <limits>
#include <string>
#include <string_view>

namespace mindgap::base {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class NumberStatus { ok, not_a_number, out_of_range };

/// Reads `text`, all of it, as a decimal number: the correctly rounded double, as std::from_chars gives it.
/// "inf" and "nan" are numbers here; what overflows or underflows to zero is out of range.
NumberStatus parse_number(std::string_view text, double& value);

/// The shortest decimal text that reads back as the same double, bit for bit (NaN payloads aside).
std::string shortest(double value);

/// Writes shortest(value) to `buffer`, which has room for kShortestMax bytes; returns the end.
char* write_shortest(char* buffer, double value);
inline constexpr std::size_t kShortestMax = 32;

}  // namespace mindgap::base
