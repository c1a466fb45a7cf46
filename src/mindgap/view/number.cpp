#include "mindgap/view/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mindgap::view {
namespace {

constexpr int kMostDigits = 10;

// The two ends with as many digits as it takes to tell them apart.
std::pair<std::string, std::string> ends(double lower, double upper, int digits) {
  std::pair<std::string, std::string> text;
  for (int d = digits; d <= std::max(digits, kMostDigits); ++d) {
    text = {number(lower, d), number(upper, d)};
    if (lower == upper || text.first != text.second) break;
  }
  return text;
}

}  // namespace

std::string range(double lower, double upper, int digits) {
  const auto [first, last] = ends(lower, upper, digits);
  return first == last ? number(lower, digits) : fmt::format("{} to {}", first, last);
}

std::string bracketed(const stats::Interval& interval, int digits) {
  const auto [first, last] = ends(interval.lower, interval.upper, digits);
  return fmt::format("[{}, {}]", first, last);
}

std::string with_range(double value, const stats::Interval& interval, int digits) {
  const auto [first, last] = ends(interval.lower, interval.upper, digits);
  return fmt::format("{} ({} to {})", number(value, digits), first, last);
}

std::string with_error(double value, double error, int digits, int error_digits) {
  return error > 0 ? fmt::format("{} +- {}", number(value, digits), number(error, error_digits))
                   : number(value, digits);
}

}  // namespace mindgap::view
