#include "mindgap/gap/prior_implies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::gap {
namespace prior_implies_test {

// One state, an action per mean reward.
mdp::Mdp arms(const std::vector<double>& mean, double discount = .9) {
  mdp::MdpBuilder builder(discount, 1, static_cast<std::int32_t>(mean.size()));
  for (std::size_t a = 0; a < mean.size(); ++a) {
    builder.set_reward(0, static_cast<std::int32_t>(a), mean[a]);
    builder.add_transition(0, static_cast<std::int32_t>(a), 0, 1);
  }
  return builder.build();
}

belief::Belief belief_of(const mdp::Mdp& mdp, double sd, const belief::BeliefOptions& options = {}) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {mdp,
          {std::vector<double>(pairs, sd), std::vector<double>(pairs, 1.0)},
          std::vector<double>(pairs, 1.0),
          options};
}

// Each member's best arm pays 1, the mean model's .625: that members differ is no invention of the prior.
TEST(PriorImplies, AnEnsembleImpliesItsMembers) {
  belief::BeliefOptions options;
  options.members.emplace(std::vector<mdp::Mdp>{arms({1, .25}), arms({.25, 1})});
  const PriorImplies found = prior_implies(belief_of(options.members->mean(), 0, options));
  EXPECT_TRUE(found.of_members);
  EXPECT_NEAR(found.simulator_best, 10, 1e-6);
  EXPECT_NEAR(found.mean, 10, 1e-6);
  EXPECT_EQ(found.shown, (std::array<double, 2>{.25, 1}));
  EXPECT_EQ(found.outside, 0);
  EXPECT_TRUE(found.invented.empty());
  EXPECT_FALSE(found.too_good);
}

TEST(PriorImplies, AKnownModelImpliesItself) {
  const PriorImplies found = prior_implies(belief_of(arms({1, .25}), 0));
  EXPECT_EQ(found.draws, kImpliedDraws);
  EXPECT_NEAR(found.simulator_best, 10, 1e-6);
  EXPECT_NEAR(found.simulator_worst, 2.5, 1e-6);
  EXPECT_NEAR(found.mean, 10, 1e-6);
  EXPECT_NEAR(found.lower, found.upper, 1e-9);
  EXPECT_EQ(found.outside, 0);
  EXPECT_TRUE(found.invented.empty());
  EXPECT_FALSE(found.too_good);
}

// By hand: two arms with the same simulated mean 1 and sd s: the better one has mean 1 + s/sqrt(pi), for ever
// at discount .9 ten times that. All of the difference is the two arms' rewards.
TEST(PriorImplies, TwoArmsByHand) {
  const belief::Belief belief = belief_of(arms({1, 1}), 2);
  const PriorImplies found = prior_implies(belief, {.draws = 4000});
  EXPECT_NEAR(found.mean, 10 * (1 + 2 / std::sqrt(std::numbers::pi)), 4 * found.standard_error);
  EXPECT_LT(found.standard_error, .5);
  ASSERT_EQ(found.invented.size(), 2u);
  EXPECT_NEAR(found.invented[0].value + found.invented[1].value, found.mean - found.simulator_best, 1e-4);
  EXPECT_EQ(found.outside, 1);  // the simulator has shown 1 only
  EXPECT_TRUE(found.too_good);
  // Percentiles of the larger of two normal variates: Phi(z)^2 = .1 and .9.
  EXPECT_NEAR(found.lower, 10 * (1 + 2 * -.4781), 1.2);
  EXPECT_NEAR(found.upper, 10 * (1 + 2 * 1.6322), 1.6);
}

// Ten undiscounted steps of one unit, or five of two, weigh as much as a discount of .9 for ever.
TEST(PriorImplies, OverAHorizonAndForSeveralUnits) {
  const belief::Belief belief = belief_of(arms({1, .5, .2}), .3);
  const PriorImplies ever = prior_implies(belief);
  for (const auto& [steps, units] : {std::pair{10, 1.0}, {5, 2.0}}) {
    const PriorImplies over =
        prior_implies(belief, {.steps = steps, .discounted = false, .positions = {units}});
    EXPECT_NEAR(over.mean, ever.mean, 1e-4);
    EXPECT_NEAR(over.upper, ever.upper, 1e-4);
    ASSERT_EQ(over.invented.size(), ever.invented.size());
    for (std::size_t i = 0; i < ever.invented.size(); ++i) {
      EXPECT_EQ(over.invented[i].pair, ever.invented[i].pair);
      EXPECT_NEAR(over.invented[i].value, ever.invented[i].value, 1e-4);
    }
  }
}

// Costs: the value is -10; half again is 5 more, whatever the sign. Values near 0 are judged by a tenth of
// the range between the best and the worst policy.
TEST(PriorImplies, WhatIsTooGoodForNegativeValuesAndNearZero) {
  EXPECT_FALSE(prior_implies(belief_of(arms({-1, -1}), .5)).too_good);  // + 10 * .5 * .56 = 2.8
  EXPECT_TRUE(prior_implies(belief_of(arms({-1, -1}), 2)).too_good);    // + 11.3
  EXPECT_FALSE(prior_implies(belief_of(arms({0, -1}), .01)).too_good);  // + .01, half of a tenth of 10 is .5
  EXPECT_TRUE(prior_implies(belief_of(arms({0, -1}), .6)).too_good);
}

TEST(PriorImplies, ALogWidensWhatWasShown) {
  belief::Belief belief = belief_of(arms({1, 1}), 1);
  belief.observe(0, 3, 0);
  belief.observe(1, -4, 0);
  const PriorImplies found = prior_implies(belief);
  EXPECT_EQ(found.shown[0], -4);
  EXPECT_EQ(found.shown[1], 3);
  EXPECT_LT(found.outside, .1);
}

TEST(PriorImplies, BoundsKeepThePromise) {
  const mdp::Mdp mdp = arms({.5, .5, .5});
  EXPECT_GT(prior_implies(belief_of(mdp, 1)).mean, 10);
  EXPECT_LE(prior_implies(belief_of(mdp, 1, {.bounds = {0, 1}})).upper, 10 + 1e-6);
  EXPECT_LE(prior_implies(belief_of(mdp, 1, {.rewards = belief::RewardModel::bernoulli})).upper, 10 + 1e-6);
}

TEST(PriorImplies, TheSameForAnyNumberOfThreads) {
  const belief::Belief belief = belief_of(arms({1, .8, .2}), .5);
  const PriorImplies one = prior_implies(belief, {.run = {.threads = 1}}),
                     two = prior_implies(belief, {.run = {.threads = 2}});
  EXPECT_EQ(one.mean, two.mean);
  EXPECT_EQ(one.invented[0].value, two.invented[0].value);
}

TEST(PriorImplies, BadArguments) {
  const belief::Belief belief = belief_of(arms({1}), 1), undiscounted = belief_of(arms({1}, 1), 1);
  EXPECT_THROW(prior_implies(belief, {.draws = -1}), InvalidArgument);
  EXPECT_THROW(prior_implies(belief, {.steps = -1}), InvalidArgument);
  EXPECT_THROW(prior_implies(belief, {.positions = {1, 2}}), InvalidArgument);
  EXPECT_THROW(prior_implies(belief, {.positions = {-1}}), InvalidArgument);
  try {
    prior_implies(undiscounted);
    ADD_FAILURE() << "a discount of 1 without steps was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "prior_implies: the discount is 1: expected steps");
  }
  EXPECT_NO_THROW(prior_implies(undiscounted, {.steps = 3}));
}

}  // namespace prior_implies_test
}  // namespace mindgap::gap
