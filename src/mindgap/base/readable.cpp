#include "mindgap/base/readable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mindgap::base {
namespace {

constexpr double kLarge = 1e9;

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

}  // namespace mindgap::base
