#include "mindgap/study/comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

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
    if (state.assignments[i].unit >= state.founding()) continue;
    const std::int64_t step = state.assignments[i].step;
    const std::int32_t result = state.result[i];
    const bool in =
        result >= 0 && (state.observations[result].has_reward || state.observations[result].is_void);
    ++assigned[static_cast<std::size_t>(step)];
    if (!in) complete = std::min(complete, step);
  }
  std::int64_t all = 0;
  while (all < complete && assigned[static_cast<std::size_t>(all)] == state.founding()) ++all;
  return all;
}

// The steps 0, 1, ... before the last one of which at least half of all units have a result, by the last step
// of each.
std::int64_t steps_due(std::vector<std::int64_t> last) {
  if (last.empty()) return 0;
  const auto half = last.begin() + static_cast<std::ptrdiff_t>((last.size() - 1) / 2);
  std::nth_element(last.begin(), half, last.end(), std::greater<>());
  return std::max<std::int64_t>(0, *half);
}

// min(1, 2 min(P(X <= x), P(X >= x))) of the number X of `marked` units among `drawn` of `all`, any of them
// as likely: P(X = i) = C(marked, i) C(all - marked, drawn - i) / C(all, drawn).
double hypergeometric_two_sided(std::int64_t x, std::int64_t marked, std::int64_t drawn, std::int64_t all) {
  const auto log_choose = [](std::int64_t n, std::int64_t k) {
    const auto real = [](std::int64_t m) { return static_cast<double>(m); };
    return std::lgamma(real(n) + 1) - std::lgamma(real(k) + 1) - std::lgamma(real(n - k) + 1);
  };
  double below = 0, above = 0;
  for (std::int64_t i = std::max<std::int64_t>(0, drawn - (all - marked)); i <= std::min(marked, drawn);
       ++i) {
    const double p =
        std::exp(log_choose(marked, i) + log_choose(all - marked, drawn - i) - log_choose(all, drawn));
    if (i <= x) below += p;
    if (i >= x) above += p;
  }
  return std::min(1.0, 2 * std::min(below, above));
}

}  // namespace

SampleRatio sample_ratio(const State& state) {
  SampleRatio ratio;
  const auto founding = static_cast<std::size_t>(state.founding());
  std::vector<std::int64_t> last(founding, -1), rewards(founding, 0);
  for (std::size_t i = 0; i < state.assignments.size(); ++i) {
    const AssignmentRow& row = state.assignments[i];
    if (row.unit >= state.founding()) continue;
    ++(row.arm == Arm::control ? ratio.assigned_control : ratio.assigned_explore);
    if (has_reward(state, i)) ++(row.arm == Arm::control ? ratio.results_control : ratio.results_explore);
    if (state.result[i] >= 0) last[row.unit] = std::max<std::int64_t>(last[row.unit], row.step);
  }
  ratio.due_steps = steps_due(last);
  for (std::size_t i = 0; i < state.assignments.size(); ++i) {
    const AssignmentRow& row = state.assignments[i];
    if (row.unit < state.founding() && row.step < ratio.due_steps && has_reward(state, i))
      ++rewards[row.unit];
  }
  for (std::size_t u = 0; u < founding; ++u) {
    const bool control = state.units[u].arm == Arm::control, complete = rewards[u] == ratio.due_steps;
    ++(control ? ratio.units_control : ratio.units_explore);
    if (!complete) ++(control ? ratio.short_control : ratio.short_explore);
  }
  ratio.p_value = hypergeometric_two_sided(ratio.short_control, ratio.units_control,
                                           ratio.short_control + ratio.short_explore,
                                           ratio.units_control + ratio.units_explore);
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
  std::vector<Sample> unit(static_cast<std::size_t>(state.founding()));
  for (std::size_t i = 0; i < state.assignments.size(); ++i) {
    if (state.assignments[i].unit >= state.founding() || state.assignments[i].step >= found.steps ||
        !has_reward(state, i))
      continue;
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
  if (found.censored > 0) return found;
  if (explore.n < kFewest || control.n < kFewest || !state.options.plan.empty()) {
    std::vector<double> mean;
    mean.reserve(unit.size());
    for (const Sample& one : unit)
      mean.push_back(one.n > 0 ? one.mean : std::numeric_limits<double>::quiet_NaN());
    if (state.options.compare_few) found.permutation = permutation_test(state, mean, look);
    return found;
  }
  const double level = 1 - .05 * 6 / (std::numbers::pi * std::numbers::pi * look * look);
  found.interval = stats::student_interval(found.difference,
                                           std::sqrt(explore.variance_of_mean() + control.variance_of_mean()),
                                           static_cast<std::int64_t>(std::min(explore.n, control.n)), level);
  return found;
}

}  // namespace mindgap::study
