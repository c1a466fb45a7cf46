#include "mindgap/planner/optimism.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/planner/ucbvi.h"
#include "planner/small_models.h"

// UCRL2 and UCBVI.
namespace mindgap::planner {
namespace optimism_test {

using Pairs = std::vector<std::int32_t>;

struct Sample {
  std::int32_t pair;
  double reward;
  std::int32_t next_state;
};

Counts counts_of(const mdp::Mdp& mdp, const std::vector<Sample>& samples) {
  Counts counts(mdp);
  for (const Sample& one : samples) {
    const Pairs state{mdp.state_of_pair(one.pair)}, pair{one.pair}, next{one.next_state};
    const std::vector<double> reward{one.reward};
    counts.add({state, pair, reward, next});
  }
  return counts;
}

TEST(RewardRange, FromTheSimulator) {
  EXPECT_EQ(reward_range(arms({.2, .7})).low, 0);
  EXPECT_EQ(reward_range(arms({.2, .7})).high, .7);
  EXPECT_EQ(reward_range(arms({.2, -.7})).low, -.7);
  EXPECT_EQ(reward_range(arms({.2, -.7})).width(), 1.4);
}

TEST(Counts, MeansAndRows) {
  const mdp::Mdp mdp = uneven();
  const Counts counts = counts_of(mdp, {{1, .5, 2}, {1, .1, 0}, {1, .6, 2}, {3, 1, 1}});
  EXPECT_EQ(counts.total(), 4);
  EXPECT_EQ(counts.count(1), 3);
  EXPECT_NEAR(counts.mean_reward(1), .4, 1e-15);
  EXPECT_EQ(counts.row(1).next_state, (Pairs{0, 2}));
  EXPECT_EQ(counts.row(1).count, (std::vector<double>{1, 2}));
  EXPECT_EQ(counts.count(0), 0);
  EXPECT_EQ(counts.possible(1), 3);
}

TEST(Counts, ElementsCountByTheirWeights) {
  const mdp::Mdp mdp = uneven();
  Counts counts(mdp);
  const Pairs state(3, mdp.state_of_pair(1)), pair(3, 1), next{2, 0, 2};
  const std::vector<double> reward{1, 0, 1}, weight{.25, .5, .25};
  counts.add({state, pair, reward, next, weight});
  EXPECT_DOUBLE_EQ(counts.total(), 1);
  EXPECT_DOUBLE_EQ(counts.mean_reward(1), .5);
  EXPECT_EQ(counts.row(1).count, (std::vector<double>{.5, .5}));
}

// S = A = 3, delta = .05, four observations: t = 5. Pair 1 with n = 3, mean .4, range [-.5, .5]:
// reward .4 + c sqrt(7 log(2*3*3*5/.05) / 6) = .4 + c sqrt(7 * 7.495542 / 6) = .4 + 2.957161 c, cut at .5;
// with c = .01: .4295716. Radius c sqrt(14 * 3 * log(2*3*5/.05) / 3) = c sqrt(14 * 6.396930) = 9.463457 c.
TEST(Ucrl2Confidence, HandValues) {
  const mdp::Mdp mdp = uneven();
  const Counts counts = counts_of(mdp, {{1, .5, 2}, {1, .1, 0}, {1, .6, 2}, {3, 1, 1}});
  const RewardRange range = reward_range(mdp);
  EXPECT_EQ(range.high, .5);
  const Confidence wide = ucrl2_confidence(counts, range, .05, 1);
  EXPECT_EQ(wide.reward[1], .5);
  EXPECT_NEAR(wide.radius[1], 9.463457, 1e-6);
  EXPECT_NEAR(wide.radius[0], 9.463457 * std::sqrt(3.0), 1e-6);  // n = 0 counts as 1
  const Confidence narrow = ucrl2_confidence(counts, range, .05, .01);
  EXPECT_NEAR(narrow.reward[1], .4295716, 1e-7);
  EXPECT_EQ(narrow.reward[0], .5);
  EXPECT_NEAR(narrow.radius[1], .09463457, 1e-8);
}

// 7 * .1 * (1 / .1) * log(5*3*3*20/.05) / sqrt(4) = 7 * log(18000) / 2 = 3.5 * 9.798127 = 34.293444.
TEST(UcbviBonus, HandValue) {
  EXPECT_NEAR(ucbvi_bonus(uneven(), {-.5, .5}, 4, 20, .05, .1), 34.293444, 1e-6);
}

// By hand: p = (.5, .3, .2), V = (1, 2, 4), radius .4: .2 moves from state 0 to state 2: .3 + .6 + 1.6 = 2.5.
// Radius 1.4: .7 to state 2 would leave all of .5 and .2 of state 1: .1 * 2 + .9 * 4 = 3.8.
TEST(OptimisticMean, HandValues) {
  const Pairs next{0, 1, 2};
  const std::vector<double> p{.5, .3, .2}, v{1, 2, 4};
  EXPECT_NEAR(optimistic_mean(next, p, 0, v, 2), 1.9, 1e-15);
  EXPECT_NEAR(optimistic_mean(next, p, .4, v, 2), 2.5, 1e-15);
  EXPECT_NEAR(optimistic_mean(next, p, 1.4, v, 2), 3.8, 1e-15);
  EXPECT_EQ(optimistic_mean(next, p, 2, v, 2), 4);
  // A state that was never seen may be the best one: V(3) = 10, radius .2.
  EXPECT_NEAR(optimistic_mean(next, p, .2, std::vector<double>{1, 2, 4, 10}, 3), 1.9 + .1 * (10 - 1), 1e-14);
}

// The largest p.V over the ball is attained at a corner: a linear program in p. On three states the corners
// lie where two of its faces meet; a fine grid over the simplex finds them to within its width.
TEST(OptimisticMean, BeatsEveryDistributionOfTheBall) {
  constexpr int kGrid = 200;
  for (std::uint64_t i = 0; i < 40; ++i) {
    base::Stream stream({42, base::Purpose::test, i});
    std::vector<double> p(3), v(3);
    base::dirichlet(stream, std::vector<double>{1, 1, 1}, p);
    for (double& x : v) x = base::uniform(stream);
    const double radius = 1.5 * base::uniform(stream);
    const auto best = static_cast<std::int32_t>(std::max_element(v.begin(), v.end()) - v.begin());
    const double found = optimistic_mean(Pairs{0, 1, 2}, p, radius, v, best);
    double most = 0;
    for (int a = 0; a <= kGrid; ++a) {
      for (int b = 0; a + b <= kGrid; ++b) {
        const double x = a / double{kGrid}, y = b / double{kGrid}, z = 1 - x - y;
        if (std::abs(x - p[0]) + std::abs(y - p[1]) + std::abs(z - p[2]) > radius) continue;
        most = std::max(most, x * v[0] + y * v[1] + z * v[2]);
      }
    }
    EXPECT_GE(found, most - 1e-12);
    EXPECT_LE(found, most + 4.0 / kGrid);
  }
}

// Corners of the ball around p on the states: all ways to move at most radius/2 between ordered pairs of
// states, chained, cover the extreme points on two states: p +- radius/2, cut to [0, 1].
double best_of_two(double p, double radius, double v0, double v1) {
  const double low = std::max(0.0, p - radius / 2), high = std::min(1.0, p + radius / 2);
  return std::max(low * v0 + (1 - low) * v1, high * v0 + (1 - high) * v1);
}

// On two states with every deterministic policy and, for each of its pairs, every corner of the ball: the
// best of all these Markov chains' values is the fixed point.
TEST(ExtendedValueIteration, IsTheBestOfAllPoliciesAndModels) {
  mdp::MdpBuilder builder(.8, 2, 2);
  for (std::int32_t s = 0; s < 2; ++s) {
    for (std::int32_t a = 0; a < 2; ++a) {
      builder.set_reward(s, a, .5);
      builder.add_transition(s, a, 0, .5);
      builder.add_transition(s, a, 1, .5);
    }
  }
  const mdp::Mdp mdp = builder.build();
  const Counts counts = counts_of(
      mdp, {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}, {2, 0, 0}, {2, 0, 0}, {3, 0, 1}});
  const double p[] = {2.0 / 3, .5, 1, 0};
  const Confidence confidence{{.3, .1, .7, .65}, {.2, .6, .5, 1.2}};
  double best[2] = {0, 0};
  for (int choice = 0; choice < 4; ++choice) {
    const int k[2] = {choice % 2, 2 + choice / 2};
    for (int corner = 0; corner < 4; ++corner) {
      double to_0[2];
      for (int s = 0; s < 2; ++s) {
        const double half = confidence.radius[k[s]] / 2;
        to_0[s] = std::clamp(p[k[s]] + ((corner >> s) % 2 == 0 ? half : -half), 0.0, 1.0);
      }
      // V = r + .8 P V for two states, by Cramer's rule.
      const double a = 1 - .8 * to_0[0], b = -.8 * (1 - to_0[0]), c = -.8 * to_0[1],
                   d = 1 - .8 * (1 - to_0[1]);
      const double r0 = confidence.reward[k[0]], r1 = confidence.reward[k[1]], det = a * d - b * c;
      best[0] = std::max(best[0], (r0 * d - b * r1) / det);
      best[1] = std::max(best[1], (a * r1 - c * r0) / det);
    }
  }
  const OptimisticPlan plan = extended_value_iteration(counts, confidence, 1e-10);
  for (int s = 0; s < 2; ++s) {
    EXPECT_NEAR(plan.value[s], best[s], 1e-9);
    double q[2];
    for (int a = 0; a < 2; ++a) {
      const int k = 2 * s + a;
      q[a] =
          confidence.reward[k] + .8 * best_of_two(p[k], confidence.radius[k], plan.value[0], plan.value[1]);
    }
    EXPECT_EQ(plan.pair_of_state[s], 2 * s + (q[1] > q[0] ? 1 : 0));
  }
}

// With radii of 0 and everything seen in the simulator's proportions it is plain value iteration.
TEST(ExtendedValueIteration, WithoutRadiiSolvesTheEmpiricalModel) {
  const mdp::Mdp mdp = uneven();
  std::vector<Sample> samples;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
      const auto times = static_cast<int>(std::lround(10 * mdp.probability()[i]));
      for (int j = 0; j < times; ++j) samples.push_back({k, mdp.reward()[k], mdp.next_state()[i]});
    }
  }
  const Counts counts = counts_of(mdp, samples);
  const Confidence exact{{mdp.reward().begin(), mdp.reward().end()}, std::vector<double>(6, 0)};
  const OptimisticPlan plan = extended_value_iteration(counts, exact, 1e-10);
  const mdp::Solution solution = mdp::solve(mdp);
  for (std::size_t s = 0; s < 3; ++s) EXPECT_NEAR(plan.value[s], solution.value[s], 1e-8);
  EXPECT_TRUE(std::equal(plan.pair_of_state.begin(), plan.pair_of_state.end(),
                         solution.policy.pair_of_state().begin()));
}

// More than kFullSupport states in a ring: from a pair never seen only what the simulator says can follow.
TEST(ExtendedValueIteration, LargeModelsKeepToTheSupport) {
  constexpr std::int32_t kStates = kFullSupport + 1;
  mdp::MdpBuilder builder(.5, kStates, 1);
  for (std::int32_t s = 0; s < kStates; ++s) {
    builder.set_reward(s, 0, 0);
    builder.add_transition(s, 0, (s + 1) % kStates, 1);
  }
  const mdp::Mdp mdp = builder.build();
  const Counts counts = counts_of(mdp, {{5, 0, 9}});
  EXPECT_EQ(counts.possible(0), 1);
  EXPECT_EQ(counts.possible(5), 2);
  std::vector<double> reward(kStates, 0);
  reward[9] = 1;
  const OptimisticPlan plan =
      extended_value_iteration(counts, {reward, std::vector<double>(kStates, 2)}, 1e-12);
  EXPECT_NEAR(plan.value[9], 1, 1e-10);
  EXPECT_NEAR(plan.value[8], .5, 1e-10);
  EXPECT_NEAR(plan.value[5], .5, 1e-10);  // was seen to lead to 9
  EXPECT_NEAR(plan.value[4], .25, 1e-10);
}

Setting arm_setting(const std::vector<double>& reward, double optimism) {
  Setting setting{.belief = belief_of(arms(reward), 1, 1, 1), .units = 1, .horizon = 1000};
  setting.options.optimism = optimism;
  setting.options.replan_every = 1;
  return setting;
}

// The truth pays 0 on arm 0 and 1 on arm 1; the simulator says the contrary, and is not asked.
std::vector<double> share_of_arm_1(const char* name, double optimism, int steps) {
  Driven planner(name, arm_setting({1, 0}, optimism));
  double first = 0, second = 0;
  for (int t = 0; t < steps; ++t) {
    const std::int32_t k = planner.choose({0})[0];
    planner.observe({k == 1 ? 1.0 : 0.0}, {0});
    (t < steps / 2 ? first : second) += k == 1 ? 2.0 / steps : 0;
  }
  return {first, second};
}

TEST(Optimism, BothTryEverythingAndFindTheBestArm) {
  for (const char* name : {"ucrl2", "ucbvi"}) {
    const std::vector<double> share = share_of_arm_1(name, .1, 2000);
    EXPECT_GT(share[1], .9) << name;
    EXPECT_LT(share[0], 1) << name;  // arm 0 is tried
  }
}

// Ties go to arm 0 first. UCRL2: one observation doubles an episode from nothing: the next begins at step 1,
// with arm 0 at min(1, mean + radius) and arm 1 at the top of the range 1. With a small factor arm 0, seen at
// 0, lies below.
// The simulator knows of rewards up to .3; the first arm pays .2, the second 1. What is seen counts for more
// than the range.
TEST(Optimism, ARewardAboveTheStatedRangeIsFound) {
  for (const char* name : {"ucrl2", "ucbvi"}) {
    Setting setting{.belief = belief_of(arms({.3, .1}), 1, 1, .25), .units = 1, .horizon = 3000};
    setting.options.optimism = .01;
    Driven driven(name, setting);
    Pairs last;
    for (int step = 0; step < 3000; ++step) {
      last = driven.choose({0});
      driven.observe({last[0] == 0 ? .2 : 1.}, {0});
    }
    EXPECT_EQ(last[0], 1) << name;
  }
}

TEST(Ucrl2, EpisodesDouble) {
  Driven planner("ucrl2", arm_setting({1, 0}, 1e-3));
  EXPECT_EQ(planner.choose({0}), Pairs{0});
  planner.observe({0}, {0});
  EXPECT_EQ(planner.choose({0}), Pairs{1});
  planner.observe({0}, {0});
  // Both seen once, both at 0 + radius: arm 0 again, for one step only (n = 1), then arm 1 ...
  EXPECT_EQ(planner.choose({0}), Pairs{0});
  planner.observe({.9}, {0});
  // Arm 0: mean .45 of 2. The episode now lasts until it was seen twice more, whatever comes.
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(planner.choose({0}), Pairs{0}) << i;
    planner.observe({-9}, {0});
  }
  EXPECT_EQ(planner.choose({0}), Pairs{1});
}

TEST(Ucbvi, AnActionNeverSeenIsWorthTheMost) {
  Driven planner("ucbvi", arm_setting({1, 0}, 1e-3));
  EXPECT_EQ(planner.choose({0}), Pairs{0});
  planner.observe({0}, {0});
  EXPECT_EQ(planner.choose({0}), Pairs{1});
  planner.observe({.5}, {0});
  EXPECT_EQ(planner.choose({0}), Pairs{1});
}

}  // namespace optimism_test
}  // namespace mindgap::planner
