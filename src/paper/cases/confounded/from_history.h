#pragma once

#include "mindgap/belief/belief.h"
#include "paper/cases/confounded/generator.h"

// What a planner knows of a confounded world: the historical record and nothing else of the truth but which
// transitions are possible.
namespace mindgap::cases::confounded {

/// From dials.history steps of one unit that acts as history did (world::sample_history in the calibration
/// regime, with the world's seed):
///  - the simulator's reward is the mean of the record, and 0 where there is none: the least a reward can be;
///  - its row is (count + 1/k) / (n + 1) over the k possible next states: one pseudo-observation spread
///    evenly;
///  - the variance of one reward is the record's, pooled within pairs, the same for all (.25, the most that
///    something in [0, 1] can have, where no pair was seen twice);
///  - the prior is belief::prior_from_coverage() with the record's counts and dials.odds. For a pair that was
///    never seen: reward_sd 1/sqrt(3), the root mean square of what lies anywhere in [0, 1] around the guess
///    0; transition_strength k, a flat Dirichlet.
/// The default odds of 3: at confounding .5, with 2 hidden states as likely and 3 actions, a preferred action
/// has P(a|s,h) = 2/3 or 1/6 and P(a|s) = 5/12, odds of 1.6 and 1/2.5; where the laws are uneven it goes up
/// to about 6 (the bounds are read as two standard deviations, not as limits). The planner is told nothing of
/// the drift.
belief::Belief belief_from_history(const Dials& dials, const world::HiddenModel& truth, std::uint64_t seed);

}  // namespace mindgap::cases::confounded
