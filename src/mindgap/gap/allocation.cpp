#include "mindgap/gap/allocation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::gap {
namespace {

constexpr double kFar = 9;  // standard deviations beyond which nothing is counted

double normal_below(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

// Nodes and weights of 8-point Gauss-Legendre on [-1, 1], the positive half (Abramowitz and Stegun 25.4).
constexpr std::array<double, 4> kNode = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                         0.9602898564975363};
constexpr std::array<double, 4> kWeight = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                           0.1012285362903763};

template <typename Function>
double integral(double low, double high, Function f) {
  const double middle = (low + high) / 2, half = (high - low) / 2;
  double sum = 0;
  for (std::size_t i = 0; i < kNode.size(); ++i)
    sum += kWeight[i] * (f(middle - half * kNode[i]) + f(middle + half * kNode[i]));
  return half * sum;
}

// The worth of allocations, each from its numbers of units per action.
class AllocationWorth {
 public:
  explicit AllocationWorth(const AllocationProblem& problem)
      : problem_(problem),
        best_(static_cast<std::size_t>(std::max_element(problem.mean.begin(), problem.mean.end()) -
                                       problem.mean.begin())),
        sd_(problem.mean.size()) {}

  std::size_t favourite() const { return best_; }

  double known(std::span<const double> counts) const {  // E max after them
    for (std::size_t a = 0; a < sd_.size(); ++a) {
      const double variance = problem_.sd[a] * problem_.sd[a];
      sd_[a] = problem_.sd[a] *
               std::sqrt(variance * counts[a] / (problem_.observation_variance + variance * counts[a]));
    }
    return expected_largest(problem_.mean, sd_);
  }
  double weight() const { return problem_.discount * static_cast<double>(problem_.units); }

  double operator()(std::span<const double> counts) const {
    double earned = 0;
    for (std::size_t a = 0; a < counts.size(); ++a)
      earned += counts[a] * (problem_.mean[a] - problem_.mean[best_]);
    return earned + weight() * (known(counts) - problem_.mean[best_]);
  }

 private:
  const AllocationProblem& problem_;
  std::size_t best_;
  mutable std::vector<double> sd_;
};

// Each action's number in turn over 0, 1, 2, 4, ..., the favourite taking the rest.
void by_doubling(const AllocationWorth& worth, std::vector<double>& counts, double units) {
  const std::size_t rest = worth.favourite();
  double value = worth(counts);
  for (bool gained = true; gained;) {
    gained = false;
    for (std::size_t a = 0; a < counts.size(); ++a) {
      if (a == rest) continue;
      const double room = counts[rest] + counts[a];
      double best = counts[a];
      for (double tried = 0; tried <= std::min(room, units); tried = tried == 0 ? 1 : 2 * tried) {
        counts[a] = tried;
        counts[rest] = room - tried;
        const double now = worth(counts);
        if (!(now > value + 1e-12 * std::abs(value))) continue;
        value = now;
        best = tried;
        gained = true;
      }
      counts[a] = best;
      counts[rest] = room - best;
    }
  }
}

// Moves of 2^k units between two actions while any gains.
void by_exchange(const AllocationWorth& worth, std::vector<double>& counts, double units) {
  double value = worth(counts);
  for (double size = std::exp2(std::floor(std::log2(std::max(1.0, units / 2)))); size >= 1; size /= 2) {
    for (bool gained = true; gained;) {
      gained = false;
      for (std::size_t from = 0; from < counts.size(); ++from) {
        for (std::size_t to = 0; to < counts.size() && counts[from] >= size; ++to) {
          if (to == from) continue;
          counts[from] -= size;
          counts[to] += size;
          const double now = worth(counts);
          if (now > value + 1e-12 * std::abs(value)) {
            value = now;
            gained = true;
          } else {
            counts[from] += size;
            counts[to] -= size;
          }
        }
      }
    }
  }
}

}  // namespace

void AllocationProblem::validate() const {
  const char* function = "AllocationProblem";
  base::check_range(function, "units", static_cast<double>(units), 1, 1e7);
  base::check_probability(function, "discount", discount);
  base::check_range(function, "number of actions", static_cast<double>(mean.size()), 2, 50);
  base::check_size(function, "sd", sd.size(), mean.size());
  base::check_finite(function, "mean", mean);
  base::check_nonnegative(function, "sd", sd);
  base::check_positive(function, "observation_variance", observation_variance);
}

double expected_largest(std::span<const double> mean, std::span<const double> sd) {
  base::check_size("expected_largest", "sd", sd.size(), mean.size());
  double low = -std::numeric_limits<double>::infinity(), high = low;
  for (std::size_t a = 0; a < mean.size(); ++a) {
    low = std::max(low, mean[a] - kFar * sd[a]);
    high = std::max(high, mean[a] + kFar * sd[a]);
  }
  std::vector<double> bend{low, high};
  for (std::size_t a = 0; a < mean.size(); ++a) {
    for (const double z : {-6., -4., -3., -2., -1., 0., 1., 2., 3., 4., 6.}) {
      const double x = mean[a] + z * sd[a];
      if (sd[a] > 0 && x > low && x < high) bend.push_back(x);
    }
  }
  std::sort(bend.begin(), bend.end());
  const auto above = [&](double x) {
    double below = 1;
    for (std::size_t a = 0; a < mean.size(); ++a) {
      if (sd[a] > 0) below *= normal_below((x - mean[a]) / sd[a]);
    }
    return 1 - below;
  };
  double sum = low;
  for (std::size_t i = 0; i + 1 < bend.size(); ++i) {
    if (bend[i + 1] > bend[i]) sum += integral(bend[i], bend[i + 1], above);
  }
  return sum;
}

double allocation_value(const AllocationProblem& problem, std::span<const double> counts) {
  problem.validate();
  base::check_size("allocation_value", "counts", counts.size(), problem.mean.size());
  base::check_nonnegative("allocation_value", "counts", counts);
  return AllocationWorth(problem)(counts);
}

Allocation best_allocation(const AllocationProblem& problem) {
  problem.validate();
  const AllocationWorth worth(problem);
  const auto units = static_cast<double>(problem.units);
  const std::size_t actions = problem.mean.size();
  std::vector<double> deploy(actions, 0.0), best;
  deploy[worth.favourite()] = units;
  double value = 0;
  std::vector<double> even(actions, std::floor(units / static_cast<double>(actions)));
  even[worth.favourite()] +=
      units - std::floor(units / static_cast<double>(actions)) * static_cast<double>(actions);
  for (std::vector<double> counts : {deploy, even}) {
    by_doubling(worth, counts, units);
    by_exchange(worth, counts, units);
    const double found = worth(counts);
    if (!best.empty() && !(found > value + 1e-12 * std::abs(value))) continue;
    value = found;
    best = std::move(counts);
  }
  Allocation result;
  result.value = value;
  result.learning = worth(deploy);
  result.gain = value - result.learning;
  const auto learns = [&](const std::vector<double>& counts, std::size_t a, double more) {
    std::vector<double> changed = counts;
    changed[a] += more;
    return worth.weight() * std::abs(worth.known(changed) - worth.known(counts));
  };
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  result.deploy_passes_condition = true;
  const double own = learns(deploy, worth.favourite(), -1);
  for (std::size_t a = 0; a < actions; ++a) {
    ActionIndex action;
    action.units = std::llround(best[a]);
    action.earn = problem.mean[a];
    action.learn = best[a] > 0 ? learns(best, a, -1) : 0;
    action.learn_more = learns(best, a, 1);
    if (action.units > 0) lowest = std::min(lowest, action.index());
    highest = std::max(highest, action.index_more());
    if (a != worth.favourite()) {
      const double cost = problem.mean[worth.favourite()] - problem.mean[a];
      if (cost < learns(deploy, a, 1) - own) result.deploy_passes_condition = false;
    }
    result.actions.push_back(action);
  }
  result.lambda = lowest;
  // One unit more somewhere and one less elsewhere also cross; that is of the order of a difference of both.
  double spread = 0;
  for (const ActionIndex& action : result.actions)
    spread = std::max(spread, action.learn - action.learn_more);
  result.condition_holds = lowest >= highest - spread - 1e-9 * (1 + std::abs(highest));
  return result;
}

}  // namespace mindgap::gap
