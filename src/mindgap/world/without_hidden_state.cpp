#include "mindgap/world/without_hidden_state.h"

#include "mindgap/mdp/policy.h"

namespace mindgap::world {

HiddenModel without_hidden_state(const mdp::Mdp& mdp, double reward_variance) {
  HiddenArrays arrays;
  arrays.discount = mdp.discount();
  arrays.reward_max = mdp.reward_max();
  arrays.pair_begin.assign(mdp.pair_begin().begin(), mdp.pair_begin().end());
  arrays.pair_action.assign(mdp.pair_action().begin(), mdp.pair_action().end());
  arrays.reward.assign(mdp.reward().begin(), mdp.reward().end());
  arrays.variance.assign(arrays.reward.size(), reward_variance);
  arrays.row_begin.assign(mdp.row_begin().begin(), mdp.row_begin().end());
  arrays.next_state.assign(mdp.next_state().begin(), mdp.next_state().end());
  arrays.next_hidden.assign(arrays.next_state.size(), 0);
  arrays.probability.assign(mdp.probability().begin(), mdp.probability().end());
  arrays.behaviour = mdp::Policy::uniform(mdp).probability_of_pair(mdp);
  arrays.calibration.assign(static_cast<std::size_t>(mdp.states()), 1.0);
  arrays.deployment = arrays.calibration;
  arrays.start.assign(mdp.start().begin(), mdp.start().end());
  arrays.actions = mdp.actions();
  arrays.hidden = 1;
  arrays.labels = mdp.labels();
  return HiddenModel(std::move(arrays));
}

}  // namespace mindgap::world
