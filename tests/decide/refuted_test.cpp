#include "mindgap/decide/refuted.h"

#include <gtest/gtest.h>

#include "decide/situations.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::decide {
namespace refuted_test {

// Two states. Action 1 of state 0 leads to state 1 for certain, where every action pays 2.
mdp::Mdp sure_way() {
  mdp::MdpBuilder builder(.9, 2, 2);
  for (std::int32_t a = 0; a < 2; ++a) {
    builder.set_reward(0, a, 0);
    builder.add_transition(0, a, a, 1);
    builder.set_reward(1, a, 2);
    builder.add_transition(1, a, 1, 1);
  }
  return builder.build();
}

Situation situation(double variance = 1) {
  const mdp::Mdp mdp = sure_way();
  return situation_of(mdp, even_prior(mdp, 1, 5), variance, {0, 0}, 10);
}

TEST(Refuted, NothingObservedSaysNothing) {
  const Situation before = situation();
  EXPECT_FALSE(refuted_by_log(before.knowledge, mdp::solve(sure_way()).policy));
}

// 40 of 40 tries stayed.
TEST(Refuted, MovesThatTheSimulatorCallsImpossible) {
  Situation after = situation();
  for (int i = 0; i < 40; ++i) after.knowledge.now.observe(1, 0, 0);
  for (int i = 0; i < 5; ++i) after.knowledge.now.observe(0, 0, 0);
  const auto found = refuted_by_log(after.knowledge, mdp::solve(sure_way()).policy);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->moves, 45);
  EXPECT_EQ(found->off_support, 40);
  EXPECT_EQ(found->visited_pairs, 2);
  EXPECT_EQ(found->refuted_pairs, 1);
  EXPECT_EQ(found->policy_pairs, 1);
  EXPECT_EQ(found->pairs, (std::vector<std::int32_t>{1}));
  // The same, where the policy does not go there.
  EXPECT_EQ(refuted_by_log(after.knowledge, mdp::Policy::deterministic(sure_way(), {0, 2}))->policy_pairs, 0);
}

// Rewards of 0 where the simulator says 2: one of them is 2 standard errors off (p .046, twice that for two
// tests), 25 of them 10.
TEST(Refuted, RewardsThatAreFarFromTheSimulators) {
  Situation after = situation(1);
  const mdp::Policy policy = mdp::solve(sure_way()).policy;
  after.knowledge.now.observe(2, 0, 1);
  EXPECT_EQ(refuted_by_log(after.knowledge, policy)->refuted_pairs, 0);
  for (int i = 0; i < 24; ++i) after.knowledge.now.observe(2, 0, 1);
  EXPECT_EQ(refuted_by_log(after.knowledge, policy)->refuted_pairs, 1);
}

// What was censored shows where it led, and no reward.
TEST(Refuted, CensoredRewardsAreNotTested) {
  Situation after = situation(1);
  const mdp::Policy policy = mdp::solve(sure_way()).policy;
  for (int i = 0; i < 30; ++i) after.knowledge.now.observe({.pair = 2, .next_state = 1});
  const auto found = refuted_by_log(after.knowledge, policy);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->moves, 30);
  EXPECT_EQ(found->refuted_pairs, 0);
  for (int i = 0; i < 3; ++i) after.knowledge.now.observe({.pair = 2, .next_state = 0});
  EXPECT_EQ(refuted_by_log(after.knowledge, policy)->refuted_pairs, 1);
}

}  // namespace refuted_test
}  // namespace mindgap::decide
