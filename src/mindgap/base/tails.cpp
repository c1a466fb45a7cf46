#include "mindgap/base/tails.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::base {
namespace {

void check_number(const char* function, const char* name, double value) {
  if (std::isnan(value)) {
    throw InvalidArgument(fmt::format("{}: {} is nan, but must be a number", function, name));
  }
}

void check_trials(const char* function, std::int64_t n, double p) {
  if (n < 0) throw InvalidArgument(fmt::format("{}: n is {}, but must be zero or more", function, n));
  check_probability(function, "p", p);
}

}  // namespace

double normal_two_sided(double z) {
  check_number("normal_two_sided", "z", z);
  return std::erfc(std::abs(z) / std::numbers::sqrt2);
}

double student_two_sided(double t, double degrees_of_freedom) {
  const char* function = "student_two_sided";
  check_number(function, "t", t);
  if (degrees_of_freedom == std::numeric_limits<double>::infinity()) return normal_two_sided(t);
  check_positive(function, "degrees_of_freedom", degrees_of_freedom);
  if (t == 0) return 1;
  if (std::isinf(t)) return 0;
  const boost::math::students_t law(degrees_of_freedom);
  return std::min(1.0, 2 * boost::math::cdf(boost::math::complement(law, std::abs(t))));
}

double binomial_lower_tail(std::int64_t x, std::int64_t n, double p) {
  check_trials("binomial_lower_tail", n, p);
  if (x < 0) return 0;
  if (x >= n) return 1;
  return boost::math::ibetac(static_cast<double>(x + 1), static_cast<double>(n - x), p);
}

double binomial_upper_tail(std::int64_t x, std::int64_t n, double p) {
  check_trials("binomial_upper_tail", n, p);
  if (x <= 0) return 1;
  if (x > n) return 0;
  return boost::math::ibeta(static_cast<double>(x), static_cast<double>(n - x + 1), p);
}

double binomial_two_sided(std::int64_t x, std::int64_t n, double p) {
  const char* function = "binomial_two_sided";
  check_trials(function, n, p);
  check_range(function, "x", static_cast<double>(x), 0, static_cast<double>(n));
  return std::min(1.0, 2 * std::min(binomial_lower_tail(x, n, p), binomial_upper_tail(x, n, p)));
}

}  // namespace mindgap::base
