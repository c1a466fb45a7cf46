#include "mindgap/view/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mindgap::view {
namespace {

constexpr double kLarge = 1e9;
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

bool is_zero(const std::string& text) {
  return text.find_first_not_of("-0.") == std::string::npos;
}

}  // namespace

std::string number(double value, int digits) {
  if (std::isnan(value)) return "-";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (std::isfinite(value) && size < std::max(kLarge, std::pow(10, digits)) &&
      size >= std::pow(10, digits - 1))
    return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits);
}

std::string signed_number(double value, int digits) {
  return (value > 0 ? "+" : "") + number(value, digits);
}

std::string fixed(double value, int decimals) {
  if (std::isnan(value)) return "-";
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  return is_zero(text) ? fmt::format("{:.{}f}", 0.0, decimals) : text;
}

std::string signed_fixed(double value, int decimals) {
  const std::string text = fixed(value, decimals);
  return (value > 0 && !is_zero(text) ? "+" : "") + text;
}

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

std::string percent(double share) {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  return fixed(100 * share, 1) + " %";
}

std::string rough_percent(double share) {
  return number(100 * share, 2) + " %";
}

std::string count(std::int64_t n, const std::string& noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

}  // namespace mindgap::view
