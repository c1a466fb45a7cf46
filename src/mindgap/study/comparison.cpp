#include "mindgap/study/comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "mindgap/base/tails.h"

namespace mindgap::study {
namespace {

struct Sample {
  double n = 0, mean = 0, squares = 0;

  void add(double x) {
    n += 1;
    const double d = x - mean;
    mean += d / n;
    squares += d * (x - mean);
  }
  double variance_of_mean() const { return squares / (n - 1) / n; }
};

bool has_reward(const State& state, std::size_t assignment) {
  const std::int32_t result = state.result[assignment];
  return result >= 0 && state.observations[result].has_reward;
}

// Steps from the first on whose results are all in, with their rewards unless void.
std::int64_t complete_steps(const State& state) {
  std::int64_t complete = state.options.horizon;
  std::vector<std::int64_t> assigned(static_cast<std::size_t>(complete), 0);
  for (std::size_t i = 0; i < state.assignments.size(); ++i) {
    const std::int64_t step = state.assignments[i].step;
    const std::int32_t result = state.result[i];
    const bool in =
        result >= 0 && (state.observations[result].has_reward || state.observations[result].is_void);
    ++assigned[static_cast<std::size_t>(step)];
    if (!in) complete = std::min(complete, step);
  }
  std::int64_t all = 0;
  while (all < complete &&
         assigned[static_cast<std::size_t>(all)] == static_cast<std::int64_t>(state.units.size()))
    ++all;
  return all;
}

}  // namespace

SampleRatio sample_ratio(const State& state) {
  SampleRatio ratio;
  for (std::size_t i = 0; i < state.assignments.size(); ++i) {
    const bool control = state.assignments[i].arm == Arm::control;
    ++(control ? ratio.assigned_control : ratio.assigned_explore);
    if (has_reward(state, i)) ++(control ? ratio.results_control : ratio.results_explore);
  }
  const std::int64_t assigned = ratio.assigned_control + ratio.assigned_explore;
  if (assigned == 0) return ratio;
  ratio.p_value =
      base::binomial_two_sided(ratio.results_control, ratio.results_control + ratio.results_explore,
                               static_cast<double>(ratio.assigned_control) / static_cast<double>(assigned));
  ratio.alarm = ratio.p_value < .001;
  return ratio;
}

Difference difference_to_control(const State& state) {
  Difference found;
  const std::int64_t complete = complete_steps(state);
  if (complete == 0) return found;
  const auto look =
      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(complete)));  // 1, 2, 2, 3, 3, 3, 3, 4, ...
  found.steps = std::int64_t{1} << (look - 1);
  std::vector<Sample> unit(state.units.size());
  for (std::size_t i = 0; i < state.assignments.size(); ++i) {
    if (state.assignments[i].step >= found.steps || !has_reward(state, i)) continue;
    const ObservationRow& seen = state.observations[state.result[i]];
    if (seen.is_void) continue;
    if (seen.censored) ++found.censored;
    unit[state.assignments[i].unit].add(seen.reward);
  }
  Sample explore, control;
  for (std::size_t u = 0; u < unit.size(); ++u) {
    if (unit[u].n > 0) (state.units[u].arm == Arm::control ? control : explore).add(unit[u].mean);
  }
  found.explore = explore.mean;
  found.control = control.mean;
  found.difference = explore.mean - control.mean;
  if (explore.n < kFewest || control.n < kFewest || found.censored > 0) return found;
  const double level = 1 - .05 * 6 / (std::numbers::pi * std::numbers::pi * look * look);
  found.interval = stats::student_interval(found.difference,
                                           std::sqrt(explore.variance_of_mean() + control.variance_of_mean()),
                                           static_cast<std::int64_t>(std::min(explore.n, control.n)), level);
  return found;
}

}  // namespace mindgap::study
