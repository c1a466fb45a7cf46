#include "mindgap/study/comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/tails.h"
#include "mindgap/stats/confidence_sequence.h"

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

Difference difference_to_control(const State& state, const belief::Knowledge& before) {
  struct Step {
    Sample explore, control;
    bool open = false;  // a result is missing
  };
  std::vector<Step> steps;
  for (std::size_t i = 0; i < state.assignments.size(); ++i) {
    const AssignmentRow& row = state.assignments[i];
    if (static_cast<std::size_t>(row.step) >= steps.size())
      steps.resize(static_cast<std::size_t>(row.step) + 1);
    Step& step = steps[static_cast<std::size_t>(row.step)];
    if (state.result[i] < 0) {
      step.open = true;
    } else if (has_reward(state, i) && !state.observations[state.result[i]].censored) {
      (row.arm == Arm::control ? step.control : step.explore).add(state.observations[state.result[i]].reward);
    }
  }
  Difference found;
  double sum = 0, variance = 0;
  for (const Step& step : steps) {
    if (step.open || step.explore.n < kFewest || step.control.n < kFewest) continue;
    ++found.steps;
    found.explore += step.explore.mean;
    found.control += step.control.mean;
    sum += step.explore.mean - step.control.mean;
    variance += step.explore.variance_of_mean() + step.control.variance_of_mean();
  }
  if (found.steps == 0) return found;
  const auto n = static_cast<double>(found.steps);
  found.explore /= n;
  found.control /= n;
  found.difference = sum / n;
  // Tightest at the end of the study, as far as that can be said before it begins.
  const auto controls = static_cast<double>(std::count_if(
      state.units.begin(), state.units.end(), [](const UnitRow& unit) { return unit.arm == Arm::control; }));
  const double explorers = static_cast<double>(state.units.size()) - controls;
  const double v = std::accumulate(before.variance.begin(), before.variance.end(), 0.0) /
                   static_cast<double>(before.variance.size());
  const double planned =
      (v > 0 ? v : 1) * static_cast<double>(state.options.horizon) * (1 / controls + 1 / explorers);
  found.interval = stats::confidence_sequence(sum, variance, n, stats::mixture_rho(planned));
  return found;
}

}  // namespace mindgap::study
