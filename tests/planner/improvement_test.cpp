#include "mindgap/planner/improvement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mindgap/gap/stateless.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/planner/explorers.h"
#include "planner/small_models.h"

namespace mindgap::planner {
namespace improvement_test {

using Pairs = std::vector<std::int32_t>;
using Errands = std::vector<std::optional<Errand>>;

Errands errands_of(const belief::Belief& belief, std::int64_t left, const Pairs& unit_state,
                   std::size_t candidates = 256) {
  const mdp::Mdp mean = belief.mean(), patient = mean.with_discount(patience(left));
  const mdp::Policy policy = mdp::solve(mean).policy;
  const std::vector<double> value = mdp::evaluate(patient, policy).value;
  const std::vector<double> anyway =
      design::expected_observations(mean, policy, positions_of(unit_state, mean.states()), 10);
  return plan_errands({belief, patient, value, anyway, left, candidates}, unit_state);
}

// Cells in a row: left, stay, right, without chance. A cell pays what `reward` says for all three.
mdp::Mdp cells(const std::vector<double>& reward) {
  const auto states = static_cast<std::int32_t>(reward.size());
  mdp::MdpBuilder builder(.9, states, 3);
  for (std::int32_t s = 0; s < states; ++s) {
    for (std::int32_t a = 0; a < 3; ++a) {
      builder.set_reward(s, a, reward[static_cast<std::size_t>(s)]);
      builder.add_transition(s, a, std::clamp(s + a - 1, 0, states - 1), 1);
    }
  }
  return builder.build();
}

belief::Belief unknown_at(const mdp::Mdp& mdp, std::int32_t state, double sd, double variance) {
  std::vector<double> reward_sd(static_cast<std::size_t>(mdp.pairs()), 0.0);
  for (std::int32_t k = mdp.pair_begin()[state]; k < mdp.pair_begin()[state + 1]; ++k) reward_sd[k] = sd;
  return {mdp,
          {reward_sd, std::vector<double>(reward_sd.size(), 1.0)},
          std::vector<double>(reward_sd.size(), variance)};
}

// Arm 0 pays 1, arm 1 pays .6 with sd .5, one reward has variance .25, 10 units, 50 steps left: g = .98. n
// looks move the mean by t = .5 sqrt(n / (n + 1)), so staying at arm 1 for good by 50 t; a unit gains 50 t
// psi(20 / (50 t)). Nobody has a way to go. n looks cost .4 (1 + g + ... + g^(n-1)) and come after g^n.
TEST(PlanErrands, TwoArmsAreTheClosedForm) {
  const belief::Belief belief(arms({1, .6}), {{0, .5}, {1, 1}}, {.25, .25});
  double most = 0;
  std::int64_t looks = 0;
  for (const int n : {1, 2, 4, 8, 16}) {
    const double t = .5 * std::sqrt(n / (n + 1.0)), late = std::pow(.98, n);
    const double worth = late * 10 * 50 * t * gap::unit_normal_loss(.4 / t) - .4 * (1 - late) / .02;
    if (worth > most) most = worth, looks = n;
  }
  const Errands errands = errands_of(belief, 50, Pairs(10, 0));
  ASSERT_TRUE(errands[0]);
  EXPECT_EQ(errands[0]->pair, 1);
  EXPECT_EQ(errands[0]->looks, looks);
  EXPECT_NEAR(errands[0]->worth, most, 1e-9);
}

// Three doors of equal promise and a single look that tells all: one unit each; nobody goes where somebody
// else looks already.
TEST(PlanErrands, UnitsSpreadOverTargets) {
  const belief::Belief belief(arms({1, .9, .9, .9}), {{0, .5, .5, .5}, {1, 1, 1, 1}}, {0, 0, 0, 0});
  std::multiset<std::int32_t> sent;
  for (const auto& errand : errands_of(belief, 100, Pairs(8, 0))) {
    if (!errand) continue;
    sent.insert(errand->pair);
    EXPECT_EQ(errand->looks, 1);
  }
  EXPECT_EQ(sent, (std::multiset<std::int32_t>{1, 2, 3}));
}

TEST(PlanErrands, NobodyIsSentWhereThereIsNothingToFindOrAllWillSeeItAnyway) {
  for (const auto& errand : errands_of(belief_of(arms({1, .6}), 0, 1, .25), 100, Pairs(3, 0)))
    EXPECT_FALSE(errand);
  const belief::Belief used(arms({1, .6}), {{.5, 0}, {1, 1}}, {0, 0});
  for (const auto& errand : errands_of(used, 100, Pairs(3, 0))) EXPECT_FALSE(errand);
}

// The unknown cell is five steps away: .5 a step is given up on the way there and back. With many steps left
// that pays, with few it does not; and a unit that is near is sent instead of one that is far.
TEST(PlanErrands, TheWayThereCounts) {
  const belief::Belief belief = unknown_at(cells({.5, 0, 0, 0, 0, 0}), 5, .5, 0);
  EXPECT_TRUE(errands_of(belief, 200, {0})[0]);
  EXPECT_FALSE(errands_of(belief, 12, {0})[0]);
  const Errands two = errands_of(belief, 200, {0, 3});
  ASSERT_TRUE(two[1]);
  EXPECT_EQ(two[1]->way->target, 5);
  EXPECT_GT(two[1]->worth, two[0] ? two[0]->worth : 0.0);
  // By hand, one look by staying there: g = .995 and V(0) = .5 / (1 - g) = 100. The way has g^5 and earns .5,
  // the look earns 0, and from cell 5 the way back has g^5 again.
  const Errand one = *errands_of(belief, 200, {0})[0];
  const double g = .995, way = std::pow(g, 5), value = 100, after = g * way * value;
  const double t = .5 / (1 - g);  // all of the sd: rewards are noiseless
  // Staying at the far cell for good: mean .5 on the first step, then 0.
  const double gained = way * t * gap::unit_normal_loss((value - .5) / (way * t));
  EXPECT_EQ(one.looks, 1);
  EXPECT_NEAR(one.worth, way * g * gained - (value - .5 - way * after), 1e-3);
}

// Of states of equal promise the candidates are spread, and as many as allowed.
TEST(PlanErrands, ThinksOfSoManyStatesOnly) {
  const belief::Belief belief = belief_of(cells(std::vector<double>(40, 0.0)), 1, 1, 0);
  std::set<std::int32_t> targets;
  for (const auto& errand : errands_of(belief, 100, Pairs(40, 20), 3)) {
    if (errand) targets.insert(errand->way->target);
  }
  EXPECT_GT(targets.size(), 1u);
  EXPECT_LE(targets.size(), 3u);
}

// Cell 7 pays 5 and nobody knows: A-SOP stays where it is, `improvement` sends one unit, and then all come.
TEST(Improvement, FindsWhatIsFarAndEverybodyComes) {
  const std::vector<double> reward = {.5, 0, 0, 0, 0, 0, 0, 5};
  const mdp::Mdp simulator = cells({.5, 0, 0, 0, 0, 0, 0, .2});
  Setting setting{.belief = unknown_at(simulator, 7, 2, .01), .units = 3, .horizon = 100};
  setting.options.replan_every = 2;
  for (const bool improves : {false, true}) {
    Driven planner(improves ? "improvement" : "asop", setting);
    Pairs state(3, 0);
    for (int t = 0; t < 40; ++t) {
      const Pairs pair = planner.choose(state);
      std::vector<double> got;
      for (std::size_t u = 0; u < 3; ++u) {
        got.push_back(reward[static_cast<std::size_t>(state[u])]);
        state[u] = simulator.next_state()[simulator.row_begin()[pair[u]]];
      }
      planner.observe(got, state);
    }
    EXPECT_EQ(state, improves ? Pairs({7, 7, 7}) : Pairs({0, 0, 0}));
  }
}

}  // namespace improvement_test
}  // namespace mindgap::planner
