#include "mindgap/gap/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/number.h"

namespace mindgap::gap {
namespace {

void check_odds(const char* function, double odds) {
  base::check_range(function, "odds", odds, 1, std::numeric_limits<double>::max());
}

void check_precision(const char* function, const char* name, std::span<const double> precision) {
  for (const double tau : precision) base::check_positive(function, name, tau);
}

// The pairs with weight, those with the largest first gain W tau / i0^2 first.
std::vector<std::size_t> by_first_gain(const PrecisionProblem& problem) {
  std::vector<double> gain(problem.weight.size());
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < gain.size(); ++k) {
    if (problem.weight[k] == 0) continue;
    const double i0 = problem.prior_precision[k];
    gain[k] = i0 == 0 ? base::kInfinity : std::sqrt(problem.weight[k] * problem.precision[k]) / i0;
    order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return gain[a] > gain[b]; });
  return order;
}

}  // namespace

RatioBounds variance_ratio_bounds(double odds) {
  check_odds("variance_ratio_bounds", odds);
  return {1 / odds, odds};
}

RatioBounds variance_ratio_bounds_paper(double odds) {
  check_odds("variance_ratio_bounds_paper", odds);
  return {1 / odds / odds, odds * odds};
}

void PrecisionProblem::validate() const {
  const char* function = "PrecisionProblem";
  base::check_size(function, "prior_precision", prior_precision.size(), weight.size());
  base::check_size(function, "precision", precision.size(), weight.size());
  base::check_nonnegative(function, "weight", weight);
  base::check_nonnegative(function, "prior_precision", prior_precision);
  check_precision(function, "precision", precision);
}

double remaining_variance(const PrecisionProblem& problem, std::span<const double> counts) {
  problem.validate();
  base::check_size("remaining_variance", "counts", counts.size(), problem.weight.size());
  base::check_nonnegative("remaining_variance", "counts", counts);
  double sum = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (problem.weight[k] == 0) continue;
    sum += problem.weight[k] / (problem.prior_precision[k] + problem.precision[k] * counts[k]);
  }
  return sum;
}

std::vector<double> best_counts(const PrecisionProblem& problem, double total) {
  problem.validate();
  base::check_nonnegative("best_counts", "total", total);
  std::vector<double> counts(problem.weight.size(), 0.0);
  if (total == 0) return counts;
  const auto reach = [&](std::size_t k) { return std::sqrt(problem.weight[k] / problem.precision[k]); };
  const auto start = [&](std::size_t k) { return problem.prior_precision[k] / problem.precision[k]; };

  // With the first pairs active, sum n = level * sum reach - sum start = total, level = 1/sqrt(lambda). A
  // pair is active while level * reach > start.
  double level = 0, reach_sum = 0, start_sum = 0;
  const std::vector<std::size_t> order = by_first_gain(problem);
  std::size_t active = 0;
  for (; active < order.size(); ++active) {
    const std::size_t k = order[active];
    if (active > 0 && level * reach(k) <= start(k)) break;
    reach_sum += reach(k);
    start_sum += start(k);
    level = (total + start_sum) / reach_sum;
  }
  for (std::size_t i = 0; i < active; ++i) {
    counts[order[i]] = std::max(0.0, level * reach(order[i]) - start(order[i]));
  }
  return counts;
}

RankStability rank_stability(const PrecisionProblem& problem, std::span<const double> guessed_precision,
                             std::span<const double> designed_counts, std::span<const double> best_counts) {
  const char* function = "rank_stability";
  problem.validate();
  base::check_size(function, "guessed_precision", guessed_precision.size(), problem.precision.size());
  check_precision(function, "guessed_precision", guessed_precision);
  RankStability result;
  for (std::size_t k = 0; k < guessed_precision.size(); ++k) {
    const double ratio = guessed_precision[k] / problem.precision[k];
    result.precision_ratio = std::max({result.precision_ratio, ratio, 1 / ratio});
  }
  result.bound = result.precision_ratio * result.precision_ratio;
  result.designed = remaining_variance(problem, designed_counts);
  result.best = remaining_variance(problem, best_counts);
  if (result.designed != result.best) result.ratio = result.designed / result.best;
  return result;
}

}  // namespace mindgap::gap
