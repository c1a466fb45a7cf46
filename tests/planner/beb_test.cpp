#include "mindgap/planner/beb.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/error.h"
#include "planner/small_models.h"

namespace mindgap::planner {
namespace beb_test {

using Pairs = std::vector<std::int32_t>;

// Two states; the first action is a fair coin between them, the second one stays.
mdp::Mdp coin(double scale = 1) {
  mdp::MdpBuilder builder(.9, 2, 2);
  for (std::int32_t s = 0; s < 2; ++s) {
    builder.add_transition(s, 0, 0, .5);
    builder.add_transition(s, 0, 1, .5);
    builder.add_transition(s, 1, s, 1);
    for (std::int32_t a = 0; a < 2; ++a) builder.set_reward(s, a, scale * s);
  }
  return builder.build();
}

// s_0 = .5 and v = 1 make n_0 = 4: the bonus is .5 * 4 / (4 + m), .5 at first and .25 after 4 observations.
TEST(ExplorationBonus, OfRewardsByHand) {
  belief::Belief belief(arms({1, 2}), {{.5, 0}, {1, 1}}, {1, 1});
  const std::vector<double> value = {3};
  EXPECT_NEAR(exploration_bonus(belief, belief.mean(), value)[0], .5, 1e-12);
  for (int i = 0; i < 4; ++i) belief.observe(0, 1, 0);
  EXPECT_NEAR(exploration_bonus(belief, belief.mean(), value)[0], .25, 1e-12);
  EXPECT_EQ(exploration_bonus(belief, belief.mean(), value)[1], 0);  // known, and it leads to one state only
}

// Without noise one observation tells all.
TEST(ExplorationBonus, OfANoiselessRewardIsGoneAfterOneLook) {
  belief::Belief belief(arms({1}), {{.5}, {1}}, {0});
  EXPECT_NEAR(exploration_bonus(belief, belief.mean(), std::vector<double>{0})[0], .5, 1e-12);
  belief.observe(0, 1, 0);
  EXPECT_EQ(exploration_bonus(belief, belief.mean(), std::vector<double>{0})[0], 0);
}

// V = (0, 2) and p = (1/2, 1/2): sd_p(V) = 1. With alpha_0 = 3 the sd of .9 p.V is .9 / sqrt(4) = .45. After
// two observations of each, p as before and alpha = 7: .9 / sqrt(8) * sqrt(4 / 8) = .225.
TEST(ExplorationBonus, OfTransitionsByHand) {
  belief::Belief belief = belief_of(coin(), 0, 3, 1);
  const std::vector<double> value = {0, 2};
  EXPECT_NEAR(exploration_bonus(belief, belief.mean(), value)[0], .45, 1e-12);
  EXPECT_EQ(exploration_bonus(belief, belief.mean(), value)[1], 0);
  EXPECT_EQ(exploration_bonus(belief, belief.mean(), std::vector<double>{2, 2})[0], 0);
  for (const std::int32_t to : {0, 1, 0, 1}) belief.observe({.pair = 0, .next_state = to});
  EXPECT_NEAR(exploration_bonus(belief, belief.mean(), value)[0], .225, 1e-12);
  EXPECT_THROW(exploration_bonus(belief, belief.mean(), std::vector<double>{1}), InvalidArgument);
}

TEST(ExplorationBonus, HasTheScaleOfRewards) {
  const belief::Belief small = belief_of(coin(1), .3, 3, .25), large = belief_of(coin(10), 3, 3, 25);
  const std::vector<double> one = exploration_bonus(small, small.mean(), std::vector<double>{1, 4});
  const std::vector<double> ten = exploration_bonus(large, large.mean(), std::vector<double>{10, 40});
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(ten[k], 10 * one[k], 1e-12);
}

// Arm 0 pays .6 with sd .1, arm 1 .5 with sd .5: .62 and .6 with factor .2, .7 and 1 with factor 1.
TEST(Beb, TriesTheUncertainArmIfTheBonusIsLargeEnough) {
  Setting setting{.belief = {arms({.6, .5}), {{.1, .5}, {1, 1}}, {1, 1}}, .units = 2, .horizon = 10};
  setting.options.bonus = .2;
  EXPECT_EQ(Driven("beb", setting).choose({0, 0}), (Pairs{0, 0}));
  setting.options.bonus = 1;
  EXPECT_EQ(Driven("beb", setting).choose({0, 0}), (Pairs{1, 1}));
  setting.options.bonus = -1;
  EXPECT_THROW(find_planner("beb").make(setting), InvalidArgument);
}

// State 0 pays .5 by staying; leaving leads to state 1 or back, and state 1 pays 1 - or so it is thought, and
// it is known that it pays exactly that. How often leaving succeeds is unknown: only a bonus tries it.
TEST(Beb, TransitionsAttractAsWell) {
  mdp::MdpBuilder builder(.9, 2, 2);
  builder.set_reward(0, 0, .5);
  builder.add_transition(0, 0, 0, 1);
  builder.set_reward(0, 1, 0);
  builder.add_transition(0, 1, 0, .9);
  builder.add_transition(0, 1, 1, .1);
  builder.set_reward(1, 0, 1);
  builder.add_transition(1, 0, 0, .1);
  builder.add_transition(1, 0, 1, .9);
  Setting setting{.belief = belief_of(builder.build(), 0, 1, 1), .units = 1, .horizon = 10};
  EXPECT_EQ(Driven("asop", setting).choose({0}), Pairs{0});
  setting.options.bonus = 0;
  EXPECT_EQ(Driven("beb", setting).choose({0}), Pairs{0});
  setting.options.bonus = 2;
  EXPECT_EQ(Driven("beb", setting).choose({0}), Pairs{1});
}

}  // namespace beb_test
}  // namespace mindgap::planner
