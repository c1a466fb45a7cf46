#include "mindgap/planner/ways.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mdp/random_models.h"
#include "mindgap/mdp/solve.h"
#include "planner/small_models.h"

namespace mindgap::planner {
namespace ways_test {

// States in a row: action 0 stays, action 1 goes right with probability `success`, else stays; the last one
// has action 0 only. State s pays s.
mdp::Mdp row(std::int32_t states, double success, double discount = .9) {
  mdp::MdpBuilder builder(discount, states, 2);
  for (std::int32_t s = 0; s < states; ++s) {
    builder.set_reward(s, 0, s);
    builder.add_transition(s, 0, s, 1);
    if (s + 1 == states) continue;
    builder.set_reward(s, 1, s);
    builder.add_transition(s, 1, s + 1, success);
    if (success < 1) builder.add_transition(s, 1, s, 1 - success);
  }
  return builder.build();
}

TEST(Predecessors, AreTheStatesThatLeadThere) {
  const mdp::Mdp mdp = row(3, .5);
  const mdp::Predecessors predecessors(mdp);
  const auto of = [&](std::int32_t s) {
    return std::vector<std::int32_t>(predecessors.of(s).begin(), predecessors.of(s).end());
  };
  EXPECT_EQ(of(0), (std::vector<std::int32_t>{0}));
  EXPECT_EQ(of(1), (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(of(2), (std::vector<std::int32_t>{1, 2}));
}

// Three steps to state 3, which pay 0, 1 and 2: .9 + 2 * .81 on the way; nothing leads back from state 3
// to 2.
TEST(QuickestWay, ByHandWithoutChance) {
  const mdp::Mdp mdp = row(4, 1);
  const mdp::Predecessors predecessors(mdp);
  const Way to = quickest_way(mdp, predecessors, 3, std::vector<double>(4, 7.0));
  EXPECT_NEAR(to.discount[0], .729, 1e-12);
  EXPECT_NEAR(to.reward[0], .9 + 1.62, 1e-12);
  EXPECT_EQ(to.discount[3], 1);
  EXPECT_EQ(to.reward[3], 0);
  EXPECT_EQ(to.pair_of_state, (std::vector<std::int32_t>{1, 3, 5, -1}));
  const Way back = quickest_way(mdp, predecessors, 1, std::vector<double>(4, 7.0));
  EXPECT_EQ(back.discount[3], 0);
  EXPECT_EQ(back.reward[3], 7);
  EXPECT_EQ(back.pair_of_state[3], -1);
  EXPECT_NEAR(back.discount[0], .9, 1e-12);
}

// A step succeeds after a geometric time: E[g^T] = g p / (1 - g (1 - p)), and the place pays 1 / (1 - g (1 -
// p)) times its reward while the unit waits.
TEST(QuickestWay, ByHandWithSlips) {
  const mdp::Mdp mdp = row(3, .5);
  const Way way = quickest_way(mdp, mdp::Predecessors(mdp), 2, std::vector<double>(3));
  const double d = .45 / .55, wait = 1 / .55;
  EXPECT_NEAR(way.discount[1], d, 1e-5);
  EXPECT_NEAR(way.discount[0], d * d, 1e-5);
  EXPECT_NEAR(way.reward[1], wait, 1e-5);
  EXPECT_NEAR(way.reward[0], d * wait, 1e-5);
}

// The discounts are the optimal values of the model that pays (1 - g) at the target for good and else
// nothing.
TEST(QuickestWay, IsTheOptimalPolicyOfAModelThatPaysAtTheTarget) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const mdp::Mdp mdp = mdp::random_mdp(seed, {.states = 12, .discount = .9});
    mdp::MdpBuilder builder(.9, 12, mdp.actions());
    for (std::int32_t s = 0; s < 12; ++s) {
      for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
        const std::int32_t a = mdp.pair_action()[k];
        builder.set_reward(s, a, s == 5 ? .1 : 0);
        if (s == 5) builder.add_transition(s, a, 5, 1);
        for (std::int64_t i = mdp.row_begin()[k]; s != 5 && i < mdp.row_begin()[k + 1]; ++i)
          builder.add_transition(s, a, mdp.next_state()[i], mdp.probability()[i]);
      }
    }
    const mdp::Solution wanted = mdp::solve(builder.build());
    const Way way = quickest_way(mdp, mdp::Predecessors(mdp), 5, std::vector<double>(12));
    for (std::size_t s = 0; s < 12; ++s) EXPECT_NEAR(way.discount[s], wanted.value[s], 2e-5);
  }
}

}  // namespace ways_test
}  // namespace mindgap::planner
