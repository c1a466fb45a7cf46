#include "mindgap/world/belief_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/world/projection.h"
#include "mindgap/world/without_hidden_state.h"

namespace mindgap::world {
namespace belief_state_test {

// The hidden state stays. In state 0 actions a, b pay 1 where h is 0, 1, and `look` pays nothing and leads to
// state 1 + h, which tells h; there a and b pay the same and stay. P_t(h|s) = 1/2 everywhere.
HiddenModel look_first(double variance) {
  HiddenArrays arrays;
  arrays.discount = .9;
  arrays.hidden = 2;
  arrays.actions = 3;
  arrays.pair_begin = {0, 3, 5, 7};
  arrays.pair_action = {0, 1, 2, 0, 1, 0, 1};
  arrays.row_begin = {0};
  for (std::int32_t k = 0; k < 7; ++k) {
    const std::int32_t s = k < 3 ? 0 : k < 5 ? 1 : 2, a = arrays.pair_action[static_cast<std::size_t>(k)];
    for (std::int32_t h = 0; h < 2; ++h) {
      arrays.reward.push_back(a == h ? 1 : 0);
      arrays.variance.push_back(variance);
      arrays.next_state.push_back(a == 2 ? 1 + h : s);
      arrays.next_hidden.push_back(h);
      arrays.probability.push_back(1);
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
      arrays.behaviour.push_back(s == 0 ? 1.0 / 3 : .5);
    }
  }
  arrays.calibration = arrays.deployment = std::vector<double>(6, .5);
  arrays.start = {1, 0, 0};
  return HiddenModel(arrays);
}

// By hand, at even odds: a or b for ever is worth .5/.1 = 5, what a policy of the state alone can get;
// looking first .9 * 10 = 9; knowing h 10. QMDP thinks that h will be seen anyway: a is worth .5 + .9 * 10
// = 9.5 to it, looking 9, so that it never looks.
TEST(BeliefState, LooksWhereQmdpDoesNot) {
  const HiddenModel world = look_first(100);
  const BeliefStatePlans plans(world);
  EXPECT_NEAR(plans.observed_value_at_start(), 5, 1e-6);
  EXPECT_NEAR(plans.value_at_start(), 9, 1e-6);
  EXPECT_NEAR(plans.known_value_at_start(), 10, 1e-6);
  const std::vector<double> even = {.5, .5};
  EXPECT_EQ(plans.best(0, even), 2);
  EXPECT_NE(plans.qmdp(0, even), 2);
  // Surer than .9 of h it does not look: 10 p against 9.
  EXPECT_EQ(plans.best(0, std::vector<double>{.92, .08}), 0);
  EXPECT_EQ(plans.best(0, std::vector<double>{.12, .88}), 2);
  EXPECT_EQ(plans.best(1, std::vector<double>{1, 0}), 3);
}

TEST(BeliefState, WithoutBackupsItHasTheObservedPolicies) {
  const BeliefStatePlans plans(look_first(100), {.rounds = 0});
  EXPECT_EQ(plans.rounds(), 0);
  EXPECT_NEAR(plans.value_at_start(), 5, 1e-6);
  // One-step improvement needs none: after looking the plans of the next states are told apart by the state.
  EXPECT_EQ(plans.best(0, std::vector<double>{.5, .5}), 2);
}

// b' by hand: rewards 0 or 1 with variance v: the odds of h = 0 after a paid y are exp((2 y - 1)/(2 v)).
TEST(HiddenFilter, ByHand) {
  const HiddenModel world = look_first(.5);
  HiddenFilter filter(world, 0);
  filter.observe(world, 0, .8, 0);
  const double odds = std::exp((2 * .8 - 1) / (2 * .5));
  EXPECT_NEAR(filter.belief()[0], odds / (1 + odds), 1e-12);
  filter.observe(world, 2, 0, 2);  // only h = 1 leads there
  EXPECT_EQ(filter.belief()[0], 0);
  filter.observe(world, 5, .3, 1);  // nothing leads there: back to P_t
  EXPECT_EQ(filter.belief()[0], .5);
  const HiddenModel exact = look_first(0);
  HiddenFilter sure(exact, 0);
  sure.observe(exact, 0, 1, 0);
  EXPECT_EQ(sure.belief()[0], 1);
  sure.observe(exact, 0, 7, 0);  // a reward that nothing explains is left out
  EXPECT_EQ(sure.belief()[0], 1);
}

// One state, a hidden one that stays, and a reward whose mean is 1 where the action is h, else 0, with
// variance v. Bins by hand: quarters of the even mixture, the middle one at .5.
HiddenModel guess(double variance, double stays = 1) {
  HiddenArrays arrays;
  arrays.discount = .9;
  arrays.hidden = 2;
  arrays.actions = 2;
  arrays.pair_begin = {0, 2};
  arrays.pair_action = {0, 1};
  arrays.row_begin = {0};
  for (std::int32_t a = 0; a < 2; ++a) {
    for (std::int32_t h = 0; h < 2; ++h) {
      arrays.reward.push_back(a == h ? 1 : 0);
      arrays.variance.push_back(variance);
      for (std::int32_t to = 0; to < 2; ++to) {
        arrays.next_state.push_back(0);
        arrays.next_hidden.push_back(to);
        arrays.probability.push_back(to == h ? stays : 1 - stays);
      }
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
      arrays.behaviour.push_back(.5);
    }
  }
  arrays.calibration = arrays.deployment = {.5, .5};
  return HiddenModel(arrays);
}

TEST(RewardBins, ByHand) {
  const RewardBins exact = reward_bins(guess(0), 0);
  EXPECT_EQ(exact.cuts, std::vector<double>{.5});
  EXPECT_EQ(exact.probability, (std::vector<std::vector<double>>{{0, 1}, {1, 0}}));
  const RewardBins noisy = reward_bins(guess(1), 0);
  ASSERT_EQ(noisy.size(), 4u);
  EXPECT_NEAR(noisy.cuts[1], .5, 1e-12);
  EXPECT_NEAR(noisy.cuts[0] + noisy.cuts[2], 1, 1e-12);
  // P(r < .5 | h = 0) is Phi(-.5), each bin has 1/4 on average, and all of h's sum to 1.
  EXPECT_NEAR(noisy.probability[0][0] + noisy.probability[1][0], .5 * std::erfc(.5 / std::sqrt(2.0)), 1e-12);
  for (const std::vector<double>& bin : noisy.probability) EXPECT_NEAR(bin[0] + bin[1], .5, 1e-9);
  for (const std::size_t h : {0u, 1u}) {
    double sum = 0;
    for (const std::vector<double>& bin : noisy.probability) sum += bin[h];
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  EXPECT_EQ(reward_bins(look_first(1), 2).size(), 1u);  // looking pays nothing whatever h is
}

// Without noise the first reward tells h: .5 + .9 * 10 = 9.5 where a plan that forgets earns 5.
TEST(BeliefState, PlansWithWhatRewardsTell) {
  const BeliefStatePlans plans(guess(0));
  EXPECT_NEAR(plans.observed_value_at_start(), 5, 1e-6);
  EXPECT_NEAR(plans.value_at_start(), 9.5, 1e-4);
  // Looking costs a step that the reward of a guess does not: 9.5 against 9.
  EXPECT_NE(BeliefStatePlans(look_first(0)).best(0, std::vector<double>{.5, .5}), 2);
  EXPECT_EQ(BeliefStatePlans(look_first(100)).best(0, std::vector<double>{.5, .5}), 2);
}

// The best plan that sees bins, by the whole tree of actions and bins, lies within the tail of its depth.
double tree_of_bins(const HiddenModel& world, const std::vector<double>& belief, int depth) {
  if (depth == 0) return 0;
  double best = 0;
  for (const std::int32_t k : {0, 1}) {
    const RewardBins bins = reward_bins(world, k);
    double value = 0;
    for (const std::size_t h : {0u, 1u})
      value += belief[h] * world.reward()[world.cell(k, static_cast<std::int32_t>(h))];
    for (const std::vector<double>& bin : bins.probability) {
      std::vector<double> next(2, 0.0);
      for (const std::size_t h : {0u, 1u}) {
        for (const std::int64_t i : world.entries_of(world.cell(k, static_cast<std::int32_t>(h))))
          next[world.next_hidden()[i]] += belief[h] * bin[h] * world.probability()[i];
      }
      const double mass = next[0] + next[1];
      for (double& p : next) p /= mass;
      value += world.discount() * mass * tree_of_bins(world, next, depth - 1);
    }
    best = std::max(best, value);
  }
  return best;
}

TEST(BeliefState, LiesWithinTheWholeTreeOfRewards) {
  const HiddenModel world = guess(1, .9);
  const BeliefStatePlans plans(world);
  const int depth = 6;
  for (const double p : {.5, .7, .95}) {
    const double low = tree_of_bins(world, {p, 1 - p}, depth);
    EXPECT_LE(plans.value(0, std::vector<double>{p, 1 - p}), low + std::pow(.9, depth) / .1 + 1e-9);
    EXPECT_GE(plans.value(0, std::vector<double>{p, 1 - p}), low) << p;
  }
  // More than any plan earns that does not look at rewards.
  EXPECT_GT(plans.value_at_start(), 5.5);
}

TEST(BeliefState, WithoutAHiddenStateItIsTheOptimum) {
  const mdp::Mdp mdp = deployment_projection(look_first(1));
  const BeliefStatePlans plans(without_hidden_state(mdp, 1));
  const mdp::Solution best = mdp::solve(mdp);
  EXPECT_NEAR(plans.value_at_start(), best.value_at_start, 1e-6);
  EXPECT_NEAR(plans.known_value_at_start(), best.value_at_start, 1e-6);
}

// The best that any plan can do that sees states but not rewards, by the whole tree: max over actions of the
// mean reward and of what comes after each next state, to a depth d; between that and that + g^d max|r|/(1-g)
// lies the truth, the plans' value below it.
double tree(const HiddenModel& world, std::int32_t state, const std::vector<double>& belief, int depth) {
  if (depth == 0) return 0;
  double best = -1e300;
  for (const std::int32_t k : world.pairs_of(state)) {
    double value = 0;
    std::vector<std::vector<double>> next(static_cast<std::size_t>(world.states()),
                                          std::vector<double>(belief.size(), 0.0));
    for (std::size_t h = 0; h < belief.size(); ++h) {
      const std::size_t c = world.cell(k, static_cast<std::int32_t>(h));
      value += belief[h] * world.reward()[c];
      for (const std::int64_t i : world.entries_of(c))
        next[world.next_state()[i]][world.next_hidden()[i]] += belief[h] * world.probability()[i];
    }
    for (std::int32_t s = 0; s < world.states(); ++s) {
      double mass = 0;
      for (const double p : next[s]) mass += p;
      if (mass <= 0) continue;
      for (double& p : next[s]) p /= mass;
      value += world.discount() * mass * tree(world, s, next[s], depth - 1);
    }
    best = std::max(best, value);
  }
  return best;
}

TEST(BeliefState, LiesWithinTheWholeTree) {
  const HiddenModel world = look_first(100);
  const BeliefStatePlans plans(world);
  const int depth = 9;
  for (const double p : {0.0, .3, .5, .75, 1.0}) {
    const std::vector<double> belief = {p, 1 - p};
    const double low = tree(world, 0, belief, depth);  // rewards are 0 or more
    EXPECT_LE(plans.value(0, belief), low + std::pow(.9, depth) / .1 + 1e-9);
    EXPECT_GE(plans.value(0, belief), low - 1e-9) << p;
    EXPECT_LE(plans.value(0, belief), plans.known_value(0, belief) + 1e-9);
    EXPECT_GE(plans.value(0, belief), plans.observed_value(0, belief) - 1e-9);
  }
}

TEST(BeliefState, RefusesADiscountOfOne) {
  const mdp::Mdp mdp = deployment_projection(look_first(1)).with_discount(1);
  EXPECT_THROW(BeliefStatePlans(without_hidden_state(mdp, 1)), InvalidArgument);
  EXPECT_THROW(BeliefStatePlans(look_first(1), {.tolerance = 0}), InvalidArgument);
}

}  // namespace belief_state_test
}  // namespace mindgap::world
