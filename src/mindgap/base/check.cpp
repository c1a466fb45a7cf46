#include "mindgap/base/check.h"

#include <fmt/format.h>

#include <cmath>

#include "mindgap/base/error.h"

namespace mindgap::base {
namespace {

[[noreturn]] void fail(std::string_view function, std::string_view name, double value,
                       std::string_view wanted) {
  throw InvalidArgument(fmt::format("{}: {} is {}, but must be {}", function, name, value, wanted));
}

// Applies a scalar check to each entry; the argument's name gets its index only when an entry fails.
template <typename Good>
void check_each(std::string_view function, std::string_view name, std::span<const double> values, Good good,
                std::string_view wanted) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!good(values[i])) fail(function, fmt::format("{}[{}]", name, i), values[i], wanted);
  }
}

bool finite(double value) {
  return std::isfinite(value);
}
bool nonnegative(double value) {
  return std::isfinite(value) && value >= 0;
}

}  // namespace

void check_finite(std::string_view function, std::string_view name, double value) {
  if (!finite(value)) fail(function, name, value, "finite");
}

void check_finite(std::string_view function, std::string_view name, std::span<const double> values) {
  check_each(function, name, values, finite, "finite");
}

void check_positive(std::string_view function, std::string_view name, double value) {
  if (!(std::isfinite(value) && value > 0)) fail(function, name, value, "positive");
}

void check_nonnegative(std::string_view function, std::string_view name, double value) {
  if (!nonnegative(value)) fail(function, name, value, "zero or more");
}

void check_nonnegative(std::string_view function, std::string_view name, std::span<const double> values) {
  check_each(function, name, values, nonnegative, "zero or more");
}

void check_probability(std::string_view function, std::string_view name, double value) {
  check_range(function, name, value, 0, 1);
}

void check_range(std::string_view function, std::string_view name, double value, double lower, double upper) {
  if (!(value >= lower && value <= upper))
    fail(function, name, value, fmt::format("from {} to {}", lower, upper));
}

void check_size(std::string_view function, std::string_view name, std::size_t size, std::size_t wanted) {
  if (size != wanted) {
    throw InvalidArgument(
        fmt::format("{}: {} has {} entries, but must have {}", function, name, size, wanted));
  }
}

void check_simplex(std::string_view function, std::string_view name, std::span<const double> values,
                   double tolerance) {
  check_nonnegative(function, name, values);
  double sum = 0;
  for (const double value : values) sum += value;
  if (!(std::abs(sum - 1) <= tolerance)) fail(function, fmt::format("the sum of {}", name), sum, "1");
}

}  // namespace mindgap::base
