#pragma once

#include <memory>
#include <string_view>

#include "mindgap/planner/planner.h"

// The rules that the paper gives for this grid alone. Rewards are noiseless here: a look at a pair tells its
// reward, and what was learnt replaces the simulator's number; transitions stay the simulator's.
namespace mindgap::cases::treasure {

/// learning-epsilon: a random action with probability .1, else the policy for the rewards learnt so far,
/// found again every 10 steps. kg: where an action of the state has not been tried, it is tried with
/// probability .3 (by the paper's word; the lowest untried one), else likewise. sep: 15 % of the units walk
/// to the corridor's row, through it, and then at random within region B for 15 steps, the others follow the
/// simulator-optimal policy; then one policy for what they saw, for ever. nullptr for any other name.
std::unique_ptr<planner::Planner> make_paper_planner(std::string_view name, const planner::Setting& setting);

}  // namespace mindgap::cases::treasure
