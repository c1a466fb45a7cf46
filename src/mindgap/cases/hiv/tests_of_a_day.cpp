#include "mindgap/cases/hiv/tests_of_a_day.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/distributions.h"

namespace mindgap::cases::hiv {
namespace {

constexpr double kTableMean = 10;
constexpr std::int64_t kMostTests = 256;

double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) result *= base;
  }
  return result;
}

}  // namespace

TestsOfADay::TestsOfADay(double mean) : mean_(mean) {
  if (mean >= kTableMean) return;
  double term = std::exp(-mean), sum = term;
  for (double k = 1; cumulative_.empty() || sum > cumulative_.back(); ++k) {
    cumulative_.push_back(sum);
    term *= mean / k;
    sum += term;
  }
  for (std::size_t i = 0; i < kGuide; ++i) {
    const auto at = std::lower_bound(cumulative_.begin(), cumulative_.end(), static_cast<double>(i) / kGuide);
    guide_[i] = static_cast<std::uint16_t>(std::min(at, cumulative_.end() - 1) - cumulative_.begin());
  }
}

std::int64_t TestsOfADay::poisson(base::Stream& stream) const {
  if (cumulative_.empty()) return base::poisson(stream, mean_);
  const double u = base::uniform(stream);
  std::size_t k = guide_[static_cast<std::size_t>(u * kGuide)];
  while (k + 1 < cumulative_.size() && cumulative_[k] < u) ++k;
  return static_cast<std::int64_t>(k);
}

// f(0) = (1-p)^n, f(k) = f(k-1) (n-k+1)/k p/(1-p): the smallest k with F(k) >= u.
TestsOfADay::Draw TestsOfADay::draw(base::Stream& stream, double chance) const {
  const std::int64_t tests = std::max<std::int64_t>(1, poisson(stream));
  const auto n = static_cast<double>(tests);
  if (tests > kMostTests || n * chance >= kTableMean || chance > .9) {
    return {static_cast<std::int32_t>(tests),
            static_cast<std::int32_t>(base::binomial(stream, tests, chance))};
  }
  const double u = base::uniform(stream), odds = chance / (1 - chance);
  double term = power(1 - chance, tests), sum = term;
  std::int32_t k = 0;
  while (u > sum && k < tests) {
    term *= odds * (n - k) / (k + 1);
    sum += term;
    ++k;
  }
  return {static_cast<std::int32_t>(tests), k};
}

}  // namespace mindgap::cases::hiv
