#pragma once

#include <optional>

#include "mindgap/stats/interval.h"
#include "mindgap/study/permutation.h"
#include "mindgap/study/state.h"

// The two arms beside each other.
namespace mindgap::study {

/// Whether results come back from both arms alike: where results of one arm go missing more often than those
/// of the other, comparing them is not safe. What is merely pending is not missing: a step is due once at
/// least half of all units, of whatever arm, have a result of a later one (so the last step never is). A unit
/// is short of a result where it has not the reward of every due step: overdue, void, or without the reward.
/// Of the units that the study began with.
struct SampleRatio {
  std::int64_t assigned_explore = 0, assigned_control = 0;
  std::int64_t results_explore = 0, results_control = 0;  // with a reward
  std::int64_t due_steps = 0;
  std::int64_t units_explore = 0, units_control = 0;
  std::int64_t short_explore = 0, short_control = 0;  // units
  /// Of "who comes short does not depend on the arm": Fisher's exact test over units, two-sided (twice the
  /// smaller tail). Neither what is due nor who is short looks at arms, and arms were drawn, so with that
  /// hypothesis p is at most u with chance at most u, at one look: however results of a unit hang together.
  double p_value = 1;
  bool alarm = false;  // p below .001, of one look: at 50 looks a false one has a chance of at most 5 %
};
SampleRatio sample_ratio(const State& state);

/// Reward per unit and step, explorers minus controls, by intention to treat: everybody counts in the arm
/// they were drawn into, deviations included. Of the units that the study began with: they all begin
/// together, and who joins later, perhaps because of what was seen, would void what is promised about
/// repeated looks.
struct Difference {
  /// The first 1, 2, 4, 8, ... steps of all units whose results are all in; 0: none yet.
  std::int64_t steps = 0;
  double explore = 0, control = 0, difference = 0;
  std::int64_t censored = 0;  // rewards among them of which only a bound is known
  /// 95 %, at all looks together: a confidence sequence (Darling and Robbins 1967) of repeated intervals with
  /// spent error (Jennison and Turnbull 1989). The j-th number of steps has the error .05 * 6/(pi^2 j^2),
  /// which adds up to .05 over all j, and between them the interval stays (but for corrections): so the
  /// chance that any interval ever shown misses the difference over its own steps is at most 5 %, as far as
  /// Welch's t holds. That is of the units' own averages: units were drawn into arms and all begin together,
  /// steps of a unit hang together, so a boundary over steps, as if each were drawn anew, would promise too
  /// much. Degrees of freedom as few as the smaller arm has. Policies are taken as they came, updates
  /// included. None where an arm has fewer than kFewest units, or a reward is censored: what is above the
  /// bound may be in either arm.
  std::optional<stats::Interval> interval;
  /// Where an arm has fewer than kFewest units, or the study follows a plan, and no reward is censored: a
  /// test instead of an interval. With a plan who explores is drawn only among the units that begin in one
  /// state, and where units differ by that, so do arms: Welch's t would take that for an effect.
  std::optional<Permutation> permutation;

  /// Explorers earn more than controls: the interval says so, or the test at .05 for all looks together.
  bool pays() const {
    if (interval) return interval->lower > 0;
    return permutation && difference > 0 && permutation->adjusted <= .05;
  }
};
constexpr std::int64_t kFewest = 5;
Difference difference_to_control(const State& state);

}  // namespace mindgap::study
