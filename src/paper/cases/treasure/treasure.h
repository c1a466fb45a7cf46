#pragma once

#include "paper/cases/registry.h"

namespace mindgap::cases::treasure {

/// Hidden treasure as a case to compare planners on: 100 units for 90 steps from the corner of region A.
///
/// truth = published: the paper's truth. Rewards are noiseless (the belief takes the variance of one for
/// .01), transitions are the simulator's, and the prior says that history looked at region A (sd .05) and
/// hardly at B (sd .5). reading = paper: learning-epsilon, kg and sep are the rules the paper gives for this
/// grid.
///
/// truth = prior: every trial draws its own truth from the prior, so that nobody can have tuned for it:
/// rewards around the simulator's with the same sd as the belief, one draw per state (rewards = state, as in
/// a grid where the place pays) or per pair (rewards = pair, exactly the belief's law); observed with
/// variance .25.
CaseInfo info();

}  // namespace mindgap::cases::treasure
