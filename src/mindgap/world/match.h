#pragma once

#include "mindgap/mdp/mdp.h"
#include "mindgap/world/hidden_model.h"

namespace mindgap::world {

/// The world with its states and actions in the simulator's order, so that pair k of one is pair k of the
/// other. They are matched by name (by number where there are no names); names, groups and coordinates become
/// the simulator's. Start, discount and reward_max stay the world's. Throws InvalidModel with the first
/// state, action or available pair that only one of the two has.
HiddenModel matched_to(const mdp::Mdp& simulator, const HiddenModel& world);

}  // namespace mindgap::world
