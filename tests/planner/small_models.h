#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "mindgap/belief/belief.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/planner/planner.h"
#include "mindgap/world/hidden_model.h"

namespace mindgap::planner {

/// One state, one action per reward.
inline mdp::Mdp arms(const std::vector<double>& reward, double discount = .5) {
  const auto actions = static_cast<std::int32_t>(reward.size());
  mdp::MdpBuilder builder(discount, 1, actions);
  for (std::int32_t a = 0; a < actions; ++a) {
    builder.set_reward(0, a, reward[static_cast<std::size_t>(a)]);
    builder.add_transition(0, a, 0, 1);
  }
  return builder.build();
}

/// Three states, of which state 0 has actions 0 and 2, state 1 action 1 alone and state 2 all three.
inline mdp::Mdp uneven(double discount = .9) {
  mdp::MdpBuilder builder(discount, 3, 3);
  const auto pair = [&](std::int32_t s, std::int32_t a, double reward, std::vector<double> next) {
    builder.set_reward(s, a, reward);
    for (std::int32_t i = 0; i < 3; ++i) builder.add_transition(s, a, i, next[static_cast<std::size_t>(i)]);
  };
  pair(0, 0, .2, {.7, .3, 0});
  pair(0, 2, .1, {.1, .4, .5});
  pair(1, 1, .5, {.5, .2, .3});
  pair(2, 0, .3, {.2, .6, .2});
  pair(2, 1, .4, {0, .5, .5});
  pair(2, 2, -.1, {.3, .3, .4});
  return builder.build();
}

inline belief::Belief belief_of(const mdp::Mdp& mdp, double reward_sd, double strength, double variance) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {mdp,
          {std::vector<double>(pairs, reward_sd), std::vector<double>(pairs, strength)},
          std::vector<double>(pairs, variance)};
}

/// A model as a truth without anything hidden.
inline world::HiddenModel truth_of(const mdp::Mdp& mdp, double variance) {
  world::HiddenArrays arrays;
  arrays.discount = mdp.discount();
  arrays.pair_begin.assign(mdp.pair_begin().begin(), mdp.pair_begin().end());
  arrays.pair_action.assign(mdp.pair_action().begin(), mdp.pair_action().end());
  arrays.reward.assign(mdp.reward().begin(), mdp.reward().end());
  arrays.variance.assign(mdp.reward().size(), variance);
  arrays.row_begin.assign(mdp.row_begin().begin(), mdp.row_begin().end());
  arrays.next_state.assign(mdp.next_state().begin(), mdp.next_state().end());
  arrays.next_hidden.assign(mdp.next_state().size(), 0);
  arrays.probability.assign(mdp.probability().begin(), mdp.probability().end());
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const std::int32_t actions = mdp.pair_begin()[s + 1] - mdp.pair_begin()[s];
    arrays.behaviour.insert(arrays.behaviour.end(), static_cast<std::size_t>(actions), 1.0 / actions);
  }
  arrays.calibration.assign(static_cast<std::size_t>(mdp.states()), 1);
  arrays.deployment = arrays.calibration;
  arrays.start.assign(mdp.start().begin(), mdp.start().end());
  arrays.hidden = 1;
  return world::HiddenModel(std::move(arrays));
}

/// A planner and what it chooses for units in given states.
class Driven {
 public:
  Driven(std::string_view name, const Setting& setting) : planner_(find_planner(name).make(setting)) {}

  /// The choices at the next step; the step goes on with observe().
  std::vector<std::int32_t> choose(const std::vector<std::int32_t>& state) {
    state_ = state;
    pair_.assign(state.size(), -1);
    planner_->choose(step_, state_, pair_);
    return pair_;
  }
  /// Each unit got this reward and went there.
  void observe(const std::vector<double>& reward, const std::vector<std::int32_t>& next_state) {
    planner_->observe(step_++, {state_, pair_, reward, next_state});
  }
  /// The same with other pairs than those chosen.
  void observe_instead(const std::vector<std::int32_t>& pair, const std::vector<double>& reward,
                       const std::vector<std::int32_t>& next_state) {
    pair_ = pair;
    observe(reward, next_state);
  }
  std::int64_t step() const { return step_; }

 private:
  std::unique_ptr<Planner> planner_;
  std::int64_t step_ = 0;
  std::vector<std::int32_t> state_, pair_;
};

}  // namespace mindgap::planner
