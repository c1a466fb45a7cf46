#include <gtest/gtest.h>

#include <cmath>

#include "mdp/engines.h"
#include "mdp/random_models.h"
#include "mindgap/belief/belief.h"

namespace mindgap::belief {
namespace batch_draws_test {

using BatchDrawsOn = mdp::OnEngine;
INSTANTIATE_TEST_SUITE_P(Engines, BatchDrawsOn, mdp::every_engine(), mdp::name_of_engine);

constexpr std::int32_t kModels = 40;

Belief belief_of(const mdp::Mdp& mdp, const BeliefOptions& options = {}) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  std::vector<double> strength(pairs);
  for (std::size_t k = 0; k < pairs; ++k)  // from nearly certain rows to shapes far below 1
    strength[k] = std::pow(10.0, static_cast<double>(k % 7) - 3);
  return {mdp, {std::vector<double>(pairs, .4), strength}, std::vector<double>(pairs, 1.0), options};
}

void expect_same_draws(const Belief& belief, const MindgapEngine& engine, double tolerance) {
  mdp::ModelBatch batch(engine, belief.mean(), kModels);
  const base::Threads threads(1);
  belief.sample_batch(batch, 7, 1000, threads);
  for (std::int32_t m = 0; m < kModels; ++m) {
    const mdp::Mdp drawn = batch.read(m), wanted = belief.sample(7, 1000 + static_cast<std::uint64_t>(m));
    for (std::int32_t k = 0; k < drawn.pairs(); ++k)
      ASSERT_NEAR(drawn.reward()[k], wanted.reward()[k], tolerance * (1 + std::abs(wanted.reward()[k])));
    for (std::int64_t i = 0; i < drawn.nonzeros(); ++i)
      ASSERT_NEAR(drawn.probability()[i], wanted.probability()[i], tolerance) << m << " " << i;
  }
}

// An engine draws the models that sample() draws, also after observations.
TEST_P(BatchDrawsOn, AreThoseOfSample) {
  Belief belief = belief_of(mdp::random_mdp(5, {.states = 25, .actions = 4, .successors = 5}));
  ASSERT_TRUE(belief.independent_law());
  expect_same_draws(belief, engine(), 1e-13);
  for (std::int32_t k = 0; k < 20; ++k) {
    for (int i = 0; i < k; ++i) belief.observe(k, .1 * i, belief.simulator().row(k).next_state[0]);
  }
  expect_same_draws(belief, engine(), 1e-13);
}

// What an engine cannot draw is drawn here.
TEST_P(BatchDrawsOn, OfOtherBeliefsAreLoaded) {
  const mdp::Mdp mdp =
      mdp::random_mdp(6, {.states = 12, .successors = 3, .reward_low = .2, .reward_high = .8});
  const Belief bounded = belief_of(mdp, {.bounds = {0, 1}}),
               bernoulli = belief_of(mdp, {.rewards = RewardModel::bernoulli}),
               doubted = belief_of(mdp, {.unseen = {.share = .3}});
  for (const Belief* belief : {&bounded, &bernoulli, &doubted}) {
    EXPECT_FALSE(belief->independent_law());
    expect_same_draws(*belief, engine(), 0);
  }
}

}  // namespace batch_draws_test
}  // namespace mindgap::belief
