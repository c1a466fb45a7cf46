#include "mindgap/decide/drawn_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "decide/situations.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"

namespace mindgap::decide {
namespace drawn_world_test {

const std::vector<std::int32_t> kUnits = {0, 0, 2};
const std::vector<double> kNone(6, 0.0);
const auto kGaussian = belief::reward_belief(belief::RewardModel::known_variance);
const std::vector<double> kVariance = {.25, .25, 0, 1, 1, 4};

DrawnWorld world(std::uint64_t seed = 42, std::uint64_t number = 7) {
  return {corridor(1, 3), kVariance, kUnits, 5, seed, number, kGaussian};
}

bool same(const world::Observation& a, const world::Observation& b) {
  return a.reward == b.reward && a.next_state == b.next_state;
}

TEST(DrawnWorld, UnitsBeginWhereTheyAre) {
  DrawnWorld drawn = world();
  EXPECT_EQ(drawn.units(), 3);
  EXPECT_EQ(drawn.states(), 3);
  for (std::size_t u = 0; u < kUnits.size(); ++u) {
    EXPECT_EQ(drawn.state(static_cast<std::int64_t>(u)), kUnits[u]);
    EXPECT_EQ(drawn.reset(static_cast<std::int64_t>(u)), kUnits[u]);
  }
}

// The stream's first word places the next state in its row (slip .1 stays, so from state 0 by `go` the row is
// {0: .1, 1: .9}), the next ones make the reward's noise.
TEST(DrawnWorld, WhatAUnitMeetsIsAFunctionOfSeedNumberUnitAndStep) {
  DrawnWorld drawn = world();
  base::Stream stream({42, base::Purpose::world, 7, 1, 0});
  const std::int32_t next = base::uniform(stream) < .1 ? 0 : 1;
  const double noise = base::normal(stream);
  const world::Observation seen = drawn.step(1, 1);
  EXPECT_EQ(seen.next_state, next);
  EXPECT_DOUBLE_EQ(seen.reward, .5 * noise);
}

TEST(DrawnWorld, PlansMeetTheSameLuckWhateverTheOthersDo) {
  DrawnWorld one = world(), two = world();
  two.step(0, 0);
  two.step(0, 0);
  two.step(2, 5);
  const world::Observation first = one.step(1, 1), other = two.step(1, 1);
  EXPECT_TRUE(same(first, other));
}

TEST(DrawnWorld, OtherKeysAreOtherLuck) {
  const world::Observation first = world().step(0, 0);
  EXPECT_FALSE(same(first, world(43).step(0, 0)));
  EXPECT_FALSE(same(first, world(42, 8).step(0, 0)));
  EXPECT_FALSE(same(first, world().step(1, 0)));
  DrawnWorld drawn = world();
  EXPECT_TRUE(same(first, drawn.step(0, 0)));
  EXPECT_FALSE(same(first, drawn.step(0, 0)));
}

// Rows are drawn when a unit first takes them: units meet what they would meet in the whole model, drawn at
// once, whatever way they go.
TEST(DrawnWorld, RowsDrawnOnTheWayAreThoseOfTheWholeModel) {
  const Situation situation = half_known(5);
  for (const belief::RewardModel kind :
       {belief::RewardModel::known_variance, belief::RewardModel::estimated_variance}) {
    const mdp::Mdp& simulator = situation.belief().simulator();
    const auto pairs = static_cast<std::size_t>(simulator.pairs());
    const belief::Belief belief(simulator, even_prior(simulator, .3, 5), std::vector<double>(pairs, .25),
                                {.rewards = kind});
    DrawnWorld whole(belief.sample(42, 9), belief.observation_variance(), kUnits, 60, 42, 9,
                     belief.rewards());
    DrawnWorld rows(belief::DrawnRows(belief, 42, 9), belief.observation_variance(), kUnits, 60, 42, 9,
                    belief.rewards());
    base::Stream choice({1, base::Purpose::test, 0, 0, 0});
    for (int step = 0; step < 60; ++step) {
      for (std::int64_t unit = 0; unit < 3; ++unit) {
        const std::int32_t first = simulator.pair_begin()[whole.state(unit)];
        const auto pair = first + static_cast<std::int32_t>(4 * base::uniform(choice));
        EXPECT_TRUE(same(whole.step(unit, pair), rows.step(unit, pair)));
        EXPECT_EQ(whole.state(unit), rows.state(unit));
      }
    }
    EXPECT_TRUE(std::ranges::equal(whole.earned(), rows.earned()));
    EXPECT_NE(whole.earned()[0], 0);
  }
}

TEST(DrawnWorld, WithoutVarianceTheRewardIsTheMean) {
  DrawnWorld drawn(corridor(1, 3, .9, 0), kNone, kUnits, 5, 1, 1, kGaussian);
  EXPECT_EQ(drawn.step(0, 0).reward, 1);
  EXPECT_EQ(drawn.step(2, 5).reward, 3);
}

// Step 0: 1 (home) + 0 (go) + 3 (far) = 4; step 1: 1 for unit 0, 3 for unit 2.
// Where rewards are 0 or 1 a unit sees 1 as often as the mean says, and the account is of means as ever.
TEST(DrawnWorld, BernoulliRewardsAreZeroOrOne) {
  const std::vector<std::int32_t> units(2000, 0);
  DrawnWorld drawn(corridor(.3, .3, .9, 0), kNone, units, 1, 5, 1,
                   belief::reward_belief(belief::RewardModel::bernoulli));
  double ones = 0;
  for (std::int64_t u = 0; u < 2000; ++u) {
    const double reward = drawn.step(u, 0).reward;
    ASSERT_TRUE(reward == 0 || reward == 1);
    ones += reward;
  }
  const double mean = .3;
  EXPECT_NEAR(ones / 2000, mean, 4 * std::sqrt(.25 / 2000));
  EXPECT_NEAR(drawn.earned()[0], 2000 * mean, 1e-9);
}

TEST(DrawnWorld, EarnedIsTheSumOfMeanRewardsByStep) {
  DrawnWorld drawn = world();
  drawn.step(0, 0);
  drawn.step(1, 1);
  drawn.step(2, 5);
  drawn.step(0, 0);
  drawn.step(2, 5);
  const std::vector<double> wanted = {4, 4, 0, 0, 0};
  EXPECT_EQ(std::vector<double>(drawn.earned().begin(), drawn.earned().end()), wanted);
}

TEST(DrawnWorld, ForgetBeginsAgain) {
  DrawnWorld drawn = world();
  const world::Observation first = drawn.step(0, 1);
  drawn.step(0, first.next_state == 1 ? 2 : 0);
  drawn.forget();
  EXPECT_EQ(drawn.state(0), 0);
  for (const double earned : drawn.earned()) EXPECT_EQ(earned, 0);
  EXPECT_TRUE(same(first, drawn.step(0, 1)));
}

// A unit's reset() begins its luck again, not only its place.
TEST(DrawnWorld, ResetBeginsOneUnitAgain) {
  DrawnWorld drawn = world();
  const world::Observation first = drawn.step(2, 4);
  EXPECT_EQ(drawn.reset(2), 2);
  EXPECT_TRUE(same(first, drawn.step(2, 4)));
}

TEST(DrawnWorld, RefusesAPairOfAnotherState) {
  DrawnWorld drawn = world();
  EXPECT_THROW(drawn.step(0, 2), InvalidArgument);
  EXPECT_THROW(drawn.step(0, -1), InvalidArgument);
  EXPECT_THROW(drawn.step(2, 3), InvalidArgument);
  EXPECT_THROW(drawn.step(2, 6), InvalidArgument);
}

}  // namespace drawn_world_test
}  // namespace mindgap::decide
