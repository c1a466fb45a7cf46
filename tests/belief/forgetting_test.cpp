#include "mindgap/belief/forgetting.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::belief {
namespace forgetting_test {

// One state, two arms that pay .4 and .5.
mdp::Mdp two_arms() {
  mdp::MdpBuilder builder(.9, 1, 2);
  builder.set_reward(0, 0, .4);
  builder.set_reward(0, 1, .5);
  for (std::int32_t a : {0, 1}) builder.add_transition(0, a, 0, 1);
  return builder.build();
}

Belief arms_belief(double sd, double variance, const BeliefOptions& options = {}) {
  return {two_arms(), {{sd, sd}, {1, 1}}, {variance, variance}, options};
}

void see(ForgettingBelief& belief, std::int32_t pair, double reward) {
  belief.observe({.pair = pair, .reward = reward, .next_state = 0});
}

// The law of theta at the last step given rewards y_i seen at steps t_i, by conditioning a joint Gaussian:
// Cov(theta_s, theta_t) = sd^2 a^|s-t|.
TEST(Forgetting, IsTheConditionalLawOfAnAutoregression) {
  const double sd = .7, variance = .3, rate = .2, a = 1 - rate;
  const std::vector<std::pair<int, double>> seen = {{0, 1.2}, {0, .1}, {1, .9}, {4, -.5}};
  const int last = 6;
  const auto n = static_cast<Eigen::Index>(seen.size());
  Eigen::MatrixXd among(n, n);
  Eigen::VectorXd with(n), off(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto& [t, y] = seen[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < n; ++j)
      among(i, j) = sd * sd * std::pow(a, std::abs(t - seen[static_cast<std::size_t>(j)].first)) +
                    (i == j ? variance : 0);
    with(i) = sd * sd * std::pow(a, last - t);
    off(i) = y - .4;
  }
  const Eigen::VectorXd weights = among.ldlt().solve(with);

  ForgettingBelief belief(arms_belief(sd, variance), rate);
  std::size_t next = 0;
  for (int t = 0; t < last; ++t) {
    for (; next < seen.size() && seen[next].first == t; ++next) see(belief, 0, seen[next].second);
    belief.pass(1);
  }
  const Belief now = belief.now();
  EXPECT_NEAR(now.reward_mean(0), .4 + weights.dot(off), 1e-12);
  EXPECT_NEAR(now.reward_variance(0), sd * sd - weights.dot(with), 1e-12);
  EXPECT_EQ(now.reward_mean(1), .5);
  EXPECT_DOUBLE_EQ(now.reward_variance(1), sd * sd);
}

TEST(Forgetting, RateZeroIsTheStaticBelief) {
  ForgettingBelief belief(arms_belief(.7, .3), 0);
  Belief still = arms_belief(.7, .3);
  for (const double y : {1.0, .2, -.4}) {
    see(belief, 1, y);
    belief.pass(5);
    still.observe(1, y, 0);
  }
  EXPECT_NEAR(belief.now().reward_mean(1), still.reward_mean(1), 1e-14);
  EXPECT_NEAR(belief.now().reward_variance(1), still.reward_variance(1), 1e-14);
}

TEST(Forgetting, EverythingIsForgottenInTheEnd) {
  ForgettingBelief belief(arms_belief(.7, .3), .1);
  see(belief, 0, 5);
  belief.pass(1000);
  EXPECT_EQ(belief.now().reward_mean(0), .4);
  EXPECT_DOUBLE_EQ(belief.now().reward_variance(0), .49);
}

// What was known before the first step is not forgotten: it is what the truth returns to.
TEST(Forgetting, ReturnsToWhatWasKnownAtFirst) {
  Belief known = arms_belief(.7, .3);
  for (int i = 0; i < 10; ++i) known.observe(0, 1, 0);
  ForgettingBelief belief(known, .3);
  see(belief, 0, -3);
  belief.pass(500);
  EXPECT_DOUBLE_EQ(belief.now().reward_mean(0), known.reward_mean(0));
  EXPECT_DOUBLE_EQ(belief.now().reward_variance(0), known.reward_variance(0));
}

// Without noise the last observation says it all until a^2t < 1/2: for a = .9 that is t = 4 (.81^3 = .53,
// .81^4 = .43).
TEST(Forgetting, WithoutNoiseAnObservationCountsOrNot) {
  ForgettingBelief belief(arms_belief(.7, 0), .1);
  see(belief, 0, 2);
  see(belief, 0, 1);
  belief.pass(3);
  EXPECT_EQ(belief.now().reward_mean(0), 1);
  EXPECT_EQ(belief.now().reward_variance(0), 0);
  belief.pass(1);
  EXPECT_EQ(belief.now().reward_mean(0), .4);
}

TEST(Forgetting, MovesAreNotForgotten) {
  mdp::MdpBuilder builder(.9, 2, 1);
  for (std::int32_t s : {0, 1}) {
    builder.set_reward(s, 0, 0);
    for (std::int32_t to : {0, 1}) builder.add_transition(s, 0, to, .5);
  }
  const mdp::Mdp mdp = builder.build();
  ForgettingBelief belief(Belief(mdp, {{1, 1}, {2, 2}}, {1, 1}), .2);
  for (int i = 0; i < 8; ++i) belief.observe({.pair = 0, .reward = 0.0, .next_state = 1});
  belief.pass(100);
  EXPECT_DOUBLE_EQ(belief.now().transition_strength(0), 10);
  EXPECT_DOUBLE_EQ(belief.now().mean().row(0).probability[1], .9);
}

// Other kinds discount their counts: after one step n = (1 - rate)^2 of what it was, with the same mean.
TEST(Forgetting, OtherKindsDiscountCounts) {
  ForgettingBelief unsure(arms_belief(.7, .3, {.rewards = RewardModel::estimated_variance}), .5);
  for (const double y : {1.0, 3.0, 1.0, 3.0}) see(unsure, 0, y);
  unsure.pass(1);
  const SampleSummary left = unsure.now().rewards_seen()[0];
  EXPECT_NEAR(left.count, 1, 1e-12);
  EXPECT_NEAR(left.mean, 2, 1e-12);
  EXPECT_NEAR(left.squared_deviations, 1, 1e-12);  // of 4
  ForgettingBelief coin(arms_belief(.2, .25, {.rewards = RewardModel::bernoulli}), .5);
  for (const double y : {1.0, 1.0, 0.0, 1.0}) see(coin, 0, y);
  coin.pass(1);
  EXPECT_NEAR(coin.now().rewards_seen()[0].count, 1, 1e-12);
  EXPECT_NEAR(coin.now().rewards_seen()[0].mean, .75, 1e-12);
}

TEST(Forgetting, RefusesWhatCannotBe) {
  EXPECT_THROW(ForgettingBelief(arms_belief(.7, .3), 1), InvalidArgument);
  EXPECT_THROW(ForgettingBelief(arms_belief(.7, .3), -.1), InvalidArgument);
  ForgettingBelief belief(arms_belief(.7, .3), .1);
  EXPECT_THROW(belief.pass(-1), InvalidArgument);
  EXPECT_THROW(belief.observe({.pair = 2, .reward = 1.0, .next_state = 0}), InvalidArgument);
  EXPECT_THROW(belief.observe({.pair = 0, .reward = std::nan(""), .next_state = 0}), InvalidArgument);
  EXPECT_THROW(belief.observe({.pair = 0, .reward = 1.0, .censored = mdp::Censoring::at_least}),
               InvalidArgument);
}

}  // namespace forgetting_test
}  // namespace mindgap::belief
