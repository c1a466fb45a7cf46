#include "mindgap/stats/multiple_testing.h"

#include <algorithm>
#include <numeric>

#include "mindgap/base/check.h"

namespace mindgap::stats {
namespace {

void check_p_values(const char* function, std::span<const double> p_values) {
  for (const double p : p_values) base::check_probability(function, "p_value", p);
}

// The places of the p-values, smallest first; equal ones in the order given.
std::vector<std::size_t> ascending(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return p_values[a] < p_values[b]; });
  return order;
}

}  // namespace

std::vector<double> bonferroni(std::span<const double> p_values) {
  check_p_values("bonferroni", p_values);
  std::vector<double> adjusted(p_values.begin(), p_values.end());
  for (double& p : adjusted) p = std::min(1.0, p * static_cast<double>(p_values.size()));
  return adjusted;
}

std::vector<double> holm(std::span<const double> p_values) {
  check_p_values("holm", p_values);
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  auto left = static_cast<double>(p_values.size());
  for (const std::size_t i : ascending(p_values)) {
    largest = std::max(largest, std::min(1.0, left-- * p_values[i]));
    adjusted[i] = largest;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  check_p_values("benjamini_hochberg", p_values);
  const std::vector<std::size_t> order = ascending(p_values);
  std::vector<double> adjusted(p_values.size());
  const auto tests = static_cast<double>(p_values.size());
  double smallest = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    smallest = std::min(smallest, p_values[order[rank - 1]] * tests / static_cast<double>(rank));
    adjusted[order[rank - 1]] = smallest;
  }
  return adjusted;
}

}  // namespace mindgap::stats
