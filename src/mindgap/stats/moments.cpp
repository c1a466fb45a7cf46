#include "mindgap/stats/moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::stats {
namespace {

bool all_equal(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) throw InvalidArgument("mean: there are no values");
  base::check_finite("mean", "values", values);
  if (all_equal(values)) return values.front();
  double sum = 0;
  for (const double value : values) sum += value;
  base::check_finite("mean", "the sum of values", sum);
  const auto size = static_cast<double>(values.size());
  const double first = sum / size;
  // What rounding left out of the first sum: deviations are smaller than values, and so is their rounding.
  double rest = 0;
  for (const double value : values) rest += value - first;
  return std::isfinite(rest) ? first + rest / size : first;
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) {
    throw InvalidArgument(
        fmt::format("standard_deviation: values has {} entries, but must have 2 or more", values.size()));
  }
  const double center = mean(values);
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value - center));
  base::check_finite("standard_deviation", "the largest deviation", largest);
  if (largest == 0) return 0;
  double squares = 0;
  for (const double value : values) {
    const double scaled = (value - center) / largest;
    squares += scaled * scaled;
  }
  return largest * std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace mindgap::stats
