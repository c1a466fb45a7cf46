#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "mindgap/decide/decide.h"
#include "mindgap/mdp/builder.h"

// Small situations to decide in.
namespace mindgap::decide {

/// What is known where the belief is given as it is.
inline belief::Knowledge known(const belief::Belief& belief) {
  const std::vector<double> variance(belief.observation_variance().begin(),
                                     belief.observation_variance().end());
  return {.bias = std::vector<double>(variance.size(), 0.0),
          .variance = variance,
          .before = belief,
          .now = belief};
}

inline Situation situation_of(const mdp::Mdp& mdp, belief::Prior prior, double variance,
                              std::vector<std::int32_t> unit_state, std::int64_t horizon) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {known(belief::Belief(mdp, std::move(prior), std::vector<double>(pairs, variance))),
          std::move(unit_state), horizon};
}

inline belief::Prior even_prior(const mdp::Mdp& mdp, double reward_sd, double strength) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {std::vector<double>(pairs, reward_sd), std::vector<double>(pairs, strength)};
}

/// One state, one action per reward.
inline mdp::Mdp arms(const std::vector<double>& reward, double discount = .9) {
  const auto actions = static_cast<std::int32_t>(reward.size());
  mdp::MdpBuilder builder(discount, 1, actions);
  for (std::int32_t a = 0; a < actions; ++a) {
    builder.set_reward(0, a, reward[static_cast<std::size_t>(a)]);
    builder.add_transition(0, a, 0, 1);
  }
  return builder.build();
}

/// Home (0), a corridor (1) and a far place (2). Home: stay (0) pays `stay` and keeps the unit, go (1) pays
/// nothing and leads to the corridor; from there on (1) to the far place, back (0) home; the far place pays
/// `far` for staying (1), back (0) to the corridor. Moves succeed with probability 1 - slip, else the unit
/// stays where it is.
inline mdp::Mdp corridor(double stay, double far, double discount = .9, double slip = .1) {
  mdp::MdpBuilder builder(discount, 3, 2);
  const auto move = [&](std::int32_t from, std::int32_t action, std::int32_t to, double reward) {
    builder.set_reward(from, action, reward);
    builder.add_transition(from, action, to, 1 - slip);
    builder.add_transition(from, action, from, slip);
  };
  builder.set_reward(0, 0, stay);
  builder.add_transition(0, 0, 0, 1);
  move(0, 1, 1, 0);
  move(1, 0, 0, 0);
  move(1, 1, 2, 0);
  move(2, 0, 1, 0);
  builder.set_reward(2, 1, far);
  builder.add_transition(2, 1, 2, 1);
  return builder.build();
}

/// A square of cells of which the left half is known well, the right half hardly: too large for policies to
/// be found directly at each look.
inline Situation half_known(std::int32_t side) {
  constexpr std::int32_t kMoves[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  mdp::MdpBuilder builder(.95, side * side, 4);
  belief::Prior prior;
  for (std::int32_t s = 0; s < side * side; ++s) {
    for (std::int32_t a = 0; a < 4; ++a) {
      builder.set_reward(s, a, (s * 37 % 101) / 101.0 + .01 * a);
      for (std::int32_t m = 0; m < 4; ++m) {
        const std::int32_t row = s / side + kMoves[m][0], column = s % side + kMoves[m][1];
        const bool inside = row >= 0 && row < side && column >= 0 && column < side;
        builder.add_transition(s, a, inside ? row * side + column : s, m == a ? .85 : .05);
      }
      const bool known = 2 * (s % side) < side;
      prior.reward_sd.push_back(known ? .05 : .3);
      prior.transition_strength.push_back(known ? 100 : 5);
    }
  }
  return situation_of(builder.build(), prior, .25, {0, 1, side, side + 1, 2 * side, 5}, 40);
}

inline DecideOptions quick(std::vector<Plan> plans, std::int64_t worlds = 0, std::uint64_t seed = 42) {
  DecideOptions options;
  options.plans = std::move(plans);
  options.worlds = worlds;
  options.information_draws = 0;
  options.simulation.run.seed = seed;
  options.time_limit = 1e6;  // never the clock: a test must not depend on the machine
  options.most_work = 2e5;   // a fifth of a millisecond a world: tests must be fast
  return options;
}

inline std::vector<Plan> plans_named(const std::vector<std::string>& names) {
  std::vector<Plan> plans;
  plans.reserve(names.size());
  for (const std::string& name : names) plans.push_back(plan_from_string(name));
  return plans;
}

}  // namespace mindgap::decide
