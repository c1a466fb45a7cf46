#pragma once

#include "mindgap/mdp/mdp.h"
#include "mindgap/world/hidden_model.h"

namespace mindgap::world {

/// A truth without a hidden state: one hidden state that never matters, the model's rewards with noise of the
/// given variance. History is said to have acted at random.
HiddenModel without_hidden_state(const mdp::Mdp& mdp, double reward_variance);

}  // namespace mindgap::world
