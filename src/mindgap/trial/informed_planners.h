#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "mindgap/planner/planner.h"
#include "mindgap/world/belief_state.h"
#include "mindgap/world/drifting_world.h"
#include "mindgap/world/hidden_model.h"

// Planners that are told the truth's model, as the oracle is: what others are measured by.
namespace mindgap::trial {

/// Every unit follows the optimal policy of the deployment projection as it is at each step. `world` must
/// outlive the planner. It knows where rewards are, not where they are going.
std::unique_ptr<planner::Planner> make_moving_oracle(const world::HiddenModel& truth,
                                                     const world::DriftingWorld& world);

/// Units that remember: a filter over each unit's hidden state (world/belief_state.h), then QMDP, or one-step
/// improvement of the best plans found. The hidden state itself is never told.
std::unique_ptr<planner::Planner> make_belief_state(std::shared_ptr<const world::BeliefStatePlans> plans,
                                                    const world::HiddenModel& truth, bool qmdp);

}  // namespace mindgap::trial
