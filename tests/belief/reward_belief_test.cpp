#include "mindgap/belief/reward_belief.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "belief/calibration.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/at_least.h"
#include "mindgap/belief/belief.h"
#include "mindgap/belief/knowledge.h"

namespace mindgap::belief {
namespace reward_belief_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One state with an action per mean reward.
mdp::Mdp arms(std::vector<double> mean) {
  mdp::MdpArrays arrays;
  const auto n = static_cast<std::int32_t>(mean.size());
  arrays.discount = .9;
  arrays.pair_begin = {0, n};
  arrays.row_begin = {0};
  for (std::int32_t k = 0; k < n; ++k) {
    arrays.pair_action.push_back(k);
    arrays.row_begin.push_back(k + 1);
    arrays.next_state.push_back(0);
    arrays.probability.push_back(1);
  }
  arrays.reward = std::move(mean);
  return mdp::Mdp(std::move(arrays));
}

Belief belief_of(std::vector<double> mean, double sd, double variance, const BeliefOptions& options) {
  const std::size_t n = mean.size();
  return {arms(std::move(mean)),
          {std::vector<double>(n, sd), std::vector<double>(n, 1.0)},
          std::vector<double>(n, variance),
          options};
}

// By hand: mean .3 and sd .1 make strength .21/.01 - 1 = 20, so Beta(6, 14). After 3 ones and 1 zero it is
// Beta(9, 15): mean 9/24, variance (9/24)(15/24)/25.
TEST(RewardBelief, BernoulliByHand) {
  EXPECT_NEAR(beta_prior(.3, .1).strength, 20, 1e-12);
  Belief belief = belief_of({.3}, .1, 0, {.rewards = RewardModel::bernoulli});
  EXPECT_EQ(belief.reward_mean(0), .3);
  EXPECT_NEAR(belief.reward_variance(0), .01, 1e-15);
  for (const double reward : {1, 0, 1, 1}) belief.observe({.pair = 0, .reward = reward});
  EXPECT_NEAR(belief.reward_mean(0), 9. / 24, 1e-15);
  EXPECT_NEAR(belief.reward_variance(0), 9. / 24 * 15 / 24 / 25, 1e-15);
  EXPECT_NEAR(belief.observation_precision(0), 24. * 24 / (9 * 15), 1e-12);
}

// The variance that n more observations leave on average, as criteria compute it from the variance and the
// precision of one observation, is that of the Beta law: m(1-m)/(strength + n + 1) at the mean m.
TEST(RewardBelief, BernoulliPrecisionsAddUp) {
  const auto belief = reward_belief(RewardModel::bernoulli);
  const PairReward pair{.3, .1};
  const double n = 7, left = 1 / (1 / belief->variance(pair) + n * belief->observation_precision(pair));
  EXPECT_NEAR(left, .21 / (20 + n + 1), 1e-15);
}

TEST(RewardBelief, AMeanOfZeroOrOneIsDoubted) {
  EXPECT_EQ(beta_prior(0, .2).mean, .01);
  EXPECT_EQ(beta_prior(1, .2).mean, .99);
  EXPECT_EQ(beta_prior(0, .001).mean, .001);  // no further than one sd
  EXPECT_EQ(beta_prior(.5, .2).mean, .5);
  EXPECT_EQ(beta_prior(.5, .49).strength, 2);  // at most as wide as the uniform law
  EXPECT_EQ(beta_prior(0, 5).strength, 2);
  Belief belief = belief_of({0, 1}, .2, 0, {.rewards = RewardModel::bernoulli});
  double largest = 0, smallest = 1;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const mdp::Mdp drawn = belief.sample(1, i);
    for (const double r : drawn.reward()) {
      ASSERT_GE(r, 0);
      ASSERT_LE(r, 1);
    }
    largest = std::max(largest, drawn.reward()[0]);
    smallest = std::min(smallest, drawn.reward()[1]);
  }
  EXPECT_GT(largest, .2);
  EXPECT_LT(smallest, .8);
  const auto kind = reward_belief(RewardModel::bernoulli);
  EXPECT_EQ(kind->mean({0, 0}), 0);
  EXPECT_EQ(kind->variance({0, 0}), 0);
}

TEST(RewardBelief, DrawsKeepToTheirBounds) {
  Belief belief = belief_of({.1, .9, .5}, 3, 1, {.bounds = {0, 1}});
  belief.observe({.pair = 2, .reward = 50});  // noise, far beyond what the mean can be
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const mdp::Mdp drawn = belief.sample(3, i);
    for (const double r : drawn.reward()) {
      ASSERT_GE(r, 0);
      ASSERT_LE(r, 1);
    }
  }
  // sd 3 on an interval of length 1 is almost uniform
  EXPECT_NEAR(belief.reward_mean(0), .5, .01);
  EXPECT_NEAR(belief.reward_variance(0), 1 / 12., .001);
  EXPECT_GT(belief.reward_mean(2), .9);
}

// The law within its bounds is the Gaussian posterior cut off: observing changes the Gaussian alone.
TEST(RewardBelief, BoundsCutOffTheGaussianPosterior) {
  const BeliefOptions options{.bounds = {0, kInfinity}};
  Belief belief = belief_of({.2}, .5, .3, options), plain = belief_of({.2}, .5, .3, {});
  for (const double x : {-.4, .3, .1}) {
    belief.observe({.pair = 0, .reward = x});
    plain.observe({.pair = 0, .reward = x});
  }
  const TruncatedMoments wanted =
      truncated_moments(plain.reward_mean(0), std::sqrt(plain.reward_variance(0)), options.bounds);
  EXPECT_EQ(belief.reward_mean(0), wanted.mean);
  EXPECT_EQ(belief.reward_variance(0), wanted.variance);
  EXPECT_GT(belief.reward_mean(0), plain.reward_mean(0));
}

TEST(RewardBelief, BoundsThatDoNotBindChangeNothing) {
  const mdp::Mdp simulator = arms({1, -2});
  const Prior prior{{.5, .5}, {1, 1}};
  const Belief plain(simulator, prior, {1, 1}), wide(simulator, prior, {1, 1}, {.bounds = {-100, 100}});
  for (std::uint64_t i = 0; i < 50; ++i) {
    const mdp::Mdp a = plain.sample(9, i), b = wide.sample(9, i);
    EXPECT_TRUE(std::ranges::equal(a.reward(), b.reward()));
  }
  EXPECT_TRUE(std::ranges::equal(plain.mean().reward(), wide.mean().reward()));
}

// Truth from the belief, four rewards from the truth, then the posterior: its draws and the truth are
// exchangeable.
Replication replicate(base::Stream& stream, int draws, const BeliefOptions& options) {
  Belief belief = belief_of({.2, .5}, .4, .5, options);
  const mdp::Mdp truth = belief.sample(stream.next(), 0);
  for (std::int32_t k = 0; k < 2; ++k) {
    for (int i = 0; i < 4; ++i) {
      const double mean = truth.reward()[k];
      belief.observe({.pair = k, .reward = belief.rewards()->draw_reward(mean, .5, stream)});
    }
  }
  Replication replication{{truth.reward()[0], truth.reward()[1]}, {}};
  const std::uint64_t seed = stream.next();
  for (int i = 0; i < draws; ++i) {
    const mdp::Mdp model = belief.sample(seed, static_cast<std::uint64_t>(i));
    replication.draws.push_back({model.reward()[0], model.reward()[1]});
  }
  return replication;
}

TEST(RewardBeliefCalibration, EveryVariant) {
  for (const BeliefOptions& options :
       {BeliefOptions{.rewards = RewardModel::bernoulli}, BeliefOptions{.bounds = {0, 1}},
        BeliefOptions{.bounds = {.1, kInfinity}}})
    expect_calibrated({}, [&](base::Stream& stream, int draws) { return replicate(stream, draws, options); });
}

TEST(RewardBelief, BoundsOfABernoulliRewardTellItApart) {
  const auto belief = reward_belief(RewardModel::bernoulli);
  const PairReward pair{.3, .1};
  EXPECT_EQ(belief->after_at_least(pair, .5).mean, 1);
  EXPECT_EQ(belief->after_at_least(pair, 0).count, 0);
  EXPECT_EQ(belief->after_at_most(pair, .5).count, 1);
  EXPECT_EQ(belief->after_at_most(pair, .5).mean, 0);
  EXPECT_EQ(belief->after_at_most(pair, .5, .25).count, .25);
  EXPECT_EQ(belief->after_at_most(pair, 1).count, 0);
  EXPECT_THROW(belief->after_at_least(pair, 1.5), InvalidArgument);
  EXPECT_THROW(belief->after_at_most(pair, -.5), InvalidArgument);
}

std::string refusal(const std::function<void()>& deed) {
  try {
    deed();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(RewardBelief, WhatCannotBeIsRefusedByName) {
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(refusal([] {
         belief_of({.2, 1.5}, 1, 1, {.bounds = {0, 1}});
       }),
       "the simulated mean reward of state '0', action '1' is 1.5, but true mean rewards are said to lie "
       "from 0 "
       "to 1 (reward_min, reward_max)");
  says(refusal([] { belief_of({-1}, 1, 1, {.rewards = RewardModel::bernoulli}); }),
       "rewards = \"bernoulli\"");
  says(refusal([] { belief_of({.2}, 1, 1, {.bounds = {1, 0}}); }), "reward_min is 1, but must be below");
  says(refusal([] {
         belief_of({.2}, 1, 1, {.rewards = RewardModel::estimated_variance, .bounds = {0, 1}});
       }),
       "need a variance that is not estimated");
  Belief bernoulli = belief_of({.2}, .1, 0, {.rewards = RewardModel::bernoulli});
  says(refusal([&] { bernoulli.observe({.pair = 0, .reward = .4}); }), "is 0.4, but must be 0 or 1");
  Belief noiseless = belief_of({.2}, 1, 0, {.bounds = {0, 1}});
  says(refusal([&] { noiseless.observe({.pair = 0, .reward = 2}); }), "is 2, but must be from 0 to 1");
}

// What the model's prior says reaches the belief, and what is said instead of it.
TEST(RewardBelief, KnowledgeCarriesBoundsAndKind) {
  mdp::Model model{"m", arms({.25, .5})};
  model.reward_variance = .1;
  model.prior = mdp::PriorSpec{.reward_sd = .2, .reward_min = 0};
  const auto gathered = [&](const PriorOverrides& overrides) {
    return gather_knowledge(model, std::nullopt, std::nullopt, overrides);
  };
  EXPECT_EQ(gathered({}).now.rewards()->support().mean,
            (RewardBounds{0, std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(gathered({.reward_max = .75}).now.rewards()->support().mean, (RewardBounds{0, .75}));
  const Knowledge bernoulli = gathered({.rewards = mdp::RewardKind::bernoulli});
  EXPECT_EQ(bernoulli.now.rewards()->support().values, (std::vector<double>{0, 1}));
  EXPECT_EQ(bernoulli.variance, (std::vector<double>{.1875, .25}));  // m (1 - m), not what is stated
  EXPECT_THROW(gathered({.reward_max = .3}), InvalidArgument);       // the second arm is at .5
  EXPECT_THROW(gathered({.reward_max = 2, .rewards = mdp::RewardKind::bernoulli}), InvalidArgument);
  EXPECT_THROW(gathered({.estimate_variance = true}), InvalidArgument);
  EXPECT_THROW(gathered({.reward_min = std::nan("")}), InvalidArgument);
}

// By hand: v = 1 and sd = 1 make kappa = 2, alpha = 2, beta = 2. A reward 3 above the mean leaves kappa = 3,
// alpha = 2.5, beta = 2 + 2 * 9 / (2 * 3) = 5: mean .2 + 1, variance 5 / (1.5 * 3).
TEST(RewardBelief, EstimatedVarianceByHand) {
  Belief belief = belief_of({.2}, 1, 1, {.rewards = RewardModel::estimated_variance});
  EXPECT_NEAR(belief.reward_variance(0), 1, 1e-15);
  belief.observe({.pair = 0, .reward = 3.2});
  EXPECT_NEAR(belief.reward_mean(0), 1.2, 1e-15);
  EXPECT_NEAR(belief.reward_variance(0), 10. / 9, 1e-14);
}

TEST(RewardBelief, RewardsOnTheirBoundsArePossible) {
  Belief noiseless = belief_of({.2}, 1, 0, {.bounds = {0, 1}});
  EXPECT_NO_THROW(noiseless.observe({.pair = 0, .reward = 0}));
  Belief other = belief_of({.2}, 1, 0, {.bounds = {0, 1}});
  EXPECT_NO_THROW(other.observe({.pair = 0, .reward = 1}));
}

}  // namespace reward_belief_test
}  // namespace mindgap::belief
