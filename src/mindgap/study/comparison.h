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
  std::int64_t steps = 0;  // whose results are all in, and with at least kFewest rewards in either arm
  double explore = 0, control = 0, difference = 0;
  /// 95 %, at all looks together (stats::confidence_sequence): of the average over those steps of the
  /// expected difference given where everybody was. For rewards that are near enough to normal in the mean of
  /// an arm; its variance at a step is taken from the spread over units, which overstates it where they are
  /// in different places.
  std::optional<stats::Interval> interval;
};
constexpr std::int64_t kFewest = 5;
Difference difference_to_control(const State& state, const belief::Knowledge& before);

}  // namespace mindgap::study
