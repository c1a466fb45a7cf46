#pragma once

#include <string>
#include <vector>

#include "mindgap/mdp/model.h"

// States that data show and the simulator does not have.
namespace mindgap::mdp {

/// The model with more states, numbered after those there are and listed in Model::added. Nothing is known of
/// a new state, and its numbers say so:
///  - every action is available, and its simulated row is half staying put, half the start distribution:
///    neither a trap nor a way to somewhere in particular;
///  - the mean reward is the mean of the simulator's over all its pairs;
///  - where the prior states a reward_sd, the new pairs get the largest of reward_max and the stated ones;
///    where it states a transition_strength they get 1, one pseudo-observation;
///  - where the model states a variance per pair or coverage, they get the mean variance, and coverage 0.
/// No simulated move leads to a new state: that it can be entered is what was observed, and the belief's.
/// Old states and pairs keep their numbers. Where states had no names, numbers become their names. Throws
/// InvalidModel where a name is there already or cannot be a state's.
Model extend_states(const Model& model, const std::vector<std::string>& names);

}  // namespace mindgap::mdp
