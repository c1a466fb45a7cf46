#pragma once

#include <optional>

#include "mindgap/stats/interval.h"
#include "mindgap/study/state.h"

// The two arms beside each other.
namespace mindgap::study {

/// Whether results come back from both arms alike: where results of one arm go missing more often than those
/// of the other, comparing them is not safe.
struct SampleRatio {
  std::int64_t assigned_explore = 0, assigned_control = 0;
  std::int64_t results_explore = 0, results_control = 0;  // with a reward
  /// Of the results being split like the assignments: exact binomial, two-sided, of one look; the split of
  /// results among given assignments varies less than that, so it is on the safe side.
  double p_value = 1;
  bool alarm = false;  // p below .001, as is usual for this check: it is looked at again and again
};
SampleRatio sample_ratio(const State& state);

/// Reward per unit and step, explorers minus controls, by intention to treat: everybody counts in the arm
/// they were drawn into, deviations included.
struct Difference {
  /// The first 1, 2, 4, 8, ... steps of all units whose results are all in; 0: none yet.
  std::int64_t steps = 0;
  double explore = 0, control = 0, difference = 0;
  std::int64_t censored = 0;  // rewards among them of which only a bound is known
  /// 95 %, at all looks together: Welch's t of the units' own averages (units were drawn into arms, steps of
  /// a unit hang together, so units are what counts), with as few degrees of freedom as the smaller arm has.
  /// The j-th number of steps has the error .05 * 6/(pi^2 j^2), and between them nothing changes. None where
  /// an arm has fewer than kFewest units, or a reward is censored: what is above the bound may be in either
  /// arm.
  std::optional<stats::Interval> interval;
};
constexpr std::int64_t kFewest = 5;
Difference difference_to_control(const State& state);

}  // namespace mindgap::study
