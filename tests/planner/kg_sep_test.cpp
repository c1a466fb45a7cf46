#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/goodness_of_fit.h"
#include "mindgap/planner/kg.h"
#include "planner/small_models.h"

namespace mindgap::planner {
namespace kg_sep_test {

using Pairs = std::vector<std::int32_t>;

// psi(1) = .0833154705877 (spec/tabular.md 1), so with nu = 2 and a difference of -2: .1666309411754.
TEST(KnowledgeGradient, HandValues) {
  EXPECT_NEAR(knowledge_gradient(-2, 2), .1666309411754, 1e-12);
  EXPECT_NEAR(knowledge_gradient(0, 3), 3 * .3989422804014, 1e-12);
  EXPECT_EQ(knowledge_gradient(1, 0), 0);
  EXPECT_EQ(knowledge_gradient(std::numeric_limits<double>::infinity(), 1), 0);
  EXPECT_EQ(knowledge_gradient(1, 1e-320), 0);
}

Setting arm_setting(const std::vector<double>& reward_sd, double discount, std::int64_t units) {
  const mdp::Mdp mdp = arms({.6, .5}, discount);
  return {.belief = belief::Belief(mdp, {reward_sd, {1, 1}}, {1, 1}), .units = units, .horizon = 10};
}

// Arm 0 is known to pay .6. Arm 1, N(.5, sd^2) with observation variance 1, lies .1 behind; one look at it
// has nu = sd^2 / sqrt(sd^2 + 1). For sd = 1, nu = .70711 and I = nu psi(.14142) = .70711 * .33223 = .2349.
// Its q + g I is above .6 where g I > .1: for g = .5 (.1175) and not for g = .4 (.0940). (Position is worth
// the same for both.)
TEST(Kg, LooksWhereTheKnowledgeGradientOutweighsTheLoss) {
  EXPECT_NEAR(knowledge_gradient(.1, std::sqrt(.5)), .2349, 5e-5);
  EXPECT_EQ(Driven("kg", arm_setting({0, 1}, .5, 1)).choose({0}), Pairs{1});
  EXPECT_EQ(Driven("kg", arm_setting({0, 1}, .4, 1)).choose({0}), Pairs{0});
  EXPECT_EQ(Driven("kg", arm_setting({0, 0}, .5, 1)).choose({0}), Pairs{0});
}

// After m looks of others in the same step the variance is 1/(1+m) and nu^2 = 1/((1+m)(2+m)): for m = 1, nu =
// .40825 and I = .40825 * psi(.24495) = .40825 * .28838 = .1177; g I = .0589 < .1. So the second unit, and
// all others, take arm 0.
TEST(Kg, UnitsOfOneStateSpread) {
  EXPECT_NEAR(knowledge_gradient(.1, std::sqrt(1.0 / 6)), .1177, 5e-5);
  EXPECT_EQ(Driven("kg", arm_setting({0, 1}, .5, 3)).choose({0, 0, 0}), (Pairs{1, 0, 0}));
}

TEST(Kg, WhatWasPendingIsForgottenAtTheNextStep) {
  Driven planner("kg", arm_setting({0, 1}, .5, 2));
  EXPECT_EQ(planner.choose({0, 0}), (Pairs{1, 0}));
  // Nobody looked at arm 1 after all: it is as worthwhile as before.
  planner.observe_instead({0, 0}, {.6, .6}, {0, 0});
  EXPECT_EQ(planner.choose({0, 0}), (Pairs{1, 0}));
}

// State 0: action 0 pays 1 and stays, action 1 leads to state 1 or 2 with a Dirichlet row (.5, .5) of
// strength alpha; state 1 pays nothing for ever, state 2 pays `prize` for ever. g = .5. V_sim(2) = 2 prize,
// V_sim(1) = 0, V_sim(0) = 2 for staying. q(0) = 1 + .5*2 = 2, q(1) = .5 * .5 * 2 prize = .5 prize. Nothing
// about rewards is open, so the look at action 1 has nu = .5 * sd / (alpha + 1) with sd = prize.
// prize = 3.9: q(1) = 1.95, .05 behind. alpha = .95: nu = 1, I = psi(.05) = .37444; g I = .187 > .05: look.
// alpha = 38: nu = .05, I = .05 psi(1) = .0042: stay.
Setting gate_setting(double strength) {
  mdp::MdpBuilder builder(.5, 3, 2);
  builder.set_reward(0, 0, 1);
  builder.add_transition(0, 0, 0, 1);
  builder.set_reward(0, 1, 0);
  builder.add_transition(0, 1, 1, .5);
  builder.add_transition(0, 1, 2, .5);
  builder.set_reward(1, 0, 0);
  builder.add_transition(1, 0, 1, 1);
  builder.set_reward(2, 0, 3.9);
  builder.add_transition(2, 0, 2, 1);
  return {.belief = belief_of(builder.build(), 0, strength, 1), .units = 1, .horizon = 10};
}

TEST(Kg, TransitionsAreWorthLookingAtToo) {
  EXPECT_EQ(Driven("kg", gate_setting(.95)).choose({0}), Pairs{1});
  EXPECT_EQ(Driven("kg", gate_setting(38)).choose({0}), Pairs{0});
}

TEST(Kg, ANoiselessRewardIsLookedAtOnce) {
  const mdp::Mdp mdp = arms({.6, .5});
  Setting setting{.belief = belief::Belief(mdp, {{0, 1}, {1, 1}}, {0, 0}), .units = 3, .horizon = 10};
  Driven planner("kg", setting);
  EXPECT_EQ(planner.choose({0, 0, 0}), (Pairs{1, 0, 0}));
  planner.observe({.5, .6, .6}, {0, 0, 0});
  EXPECT_EQ(planner.choose({0, 0, 0}), (Pairs{0, 0, 0}));
}

// Two arms of which 0 pays more and 1 is less known: the index of arm 1 is higher, the policy takes arm 0.
Setting sep_setting(std::int64_t units) {
  const mdp::Mdp mdp = arms({.6, .5});
  Setting setting{.belief = belief::Belief(mdp, {{.1, .3}, {1e6, 1e6}}, {1e6, 1e6}), .units = units};
  setting.horizon = 100;
  setting.options.pilot_steps = 2;
  setting.options.explore_steps = 3;
  setting.options.explore_probability = .7;
  setting.options.replan_every = 1;
  return setting;
}

// Observations are so noisy that nothing is learnt; phases: 2 steps half and half, 3 steps with .7 on arm 1,
// then arm 0.
TEST(Sep, ThreePhases) {
  Driven planner("sep", sep_setting(10'000));
  for (int t = 0; t < 8; ++t) {
    std::vector<double> counts(2);
    for (const std::int32_t k : planner.choose(Pairs(10'000, 0))) ++counts[k];
    if (t < 2) {
      EXPECT_GT(base::chi_square_p_value(counts, {5000, 5000}), 1e-3) << t;
    } else if (t < 5) {
      EXPECT_GT(base::chi_square_p_value(counts, {3000, 7000}), 1e-3) << t;
    } else {
      EXPECT_EQ(counts[0], 10'000) << t;
    }
    planner.observe(std::vector<double>(10'000, .6), Pairs(10'000, 0));
  }
}

// Without phases 1 and 2. In state 0 pair 0 stays and pays .6, pair 1 leads to state 1 and pays nothing, pair
// 2 stays, pays nothing and is the least known of the three; state 1 stays, pays 1 and is hardly known. The
// largest index is state 1's, d(1) (1 + .1/.9). The discount is low (.1), so staying is optimal at first,
// with d(1) = .5 from a uniform start. One reward of -1 with variance .01 turns the policy to pair 1: then
// d(1) = .5 + .5 * .1 = .55, a growth by 1.1. A threshold of .8 asks for 1.25, one of .95 for 1.0526.
TEST(Sep, ExploresAgainForOneReplanWhereTheIndexHasGrown) {
  mdp::MdpBuilder builder(.1, 2, 3);
  const auto pair = [&](std::int32_t s, std::int32_t a, double reward, std::int32_t next) {
    builder.set_reward(s, a, reward);
    builder.add_transition(s, a, next, 1);
  };
  pair(0, 0, .6, 0);
  pair(0, 1, 0, 1);
  pair(0, 2, 0, 0);
  pair(1, 0, 1, 1);
  const belief::Belief belief(builder.build(), {{.5, .1, .45, 1}, {1e9, 1e9, 1e9, 1}}, {.01, 1, 1, 1});
  for (const double threshold : {.8, .95}) {
    Setting setting{.belief = belief, .units = 1, .horizon = 100};
    setting.options.pilot_steps = setting.options.explore_steps = 0;
    setting.options.replan_every = 2;
    setting.options.explore_probability = 1;
    setting.options.reexplore_threshold = threshold;
    Driven planner("sep", setting);
    Pairs chosen;
    for (int t = 0; t < 8; ++t) {
      chosen.push_back(planner.choose({0})[0]);
      planner.observe({chosen.back() == 0 ? -1.0 : 0.0}, {chosen.back() == 1 ? 1 : 0});
    }
    const std::int32_t burst = threshold == .8 ? 1 : 2;
    EXPECT_EQ(chosen, (Pairs{0, 0, burst, burst, 1, 1, 1, 1})) << threshold;
  }
}

}  // namespace kg_sep_test
}  // namespace mindgap::planner
