#include "decide/bayes_optimal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "decide/situations.h"
#include "mindgap/trial/loop.h"

namespace mindgap::decide {
namespace bayes_optimal_test {

// Two arms with uniform priors. One pull: 1/2. Two: 1/2 for the first, then 2/3 after a success (same arm)
// and 1/2 after a failure (the other arm), 1/2 + (2/3 + 1/2)/2 = 13/12.
TEST(BeliefTree, TwoUniformArmsByHand) {
  EXPECT_DOUBLE_EQ(BeliefTree(bandit_tree({{1, 1}, {1, 1}}, 1)).value(), .5);
  EXPECT_DOUBLE_EQ(BeliefTree(bandit_tree({{1, 1}, {1, 1}}, 2)).value(), 13.0 / 12);
}

// A known arm of 1/2 beside a uniform one, three pulls. Trying the uniform arm first: after a success 2/3 and
// then 3/4 or 1/2 (two more pulls on it: 2/3 + 2/3 * 3/4 + 1/3 * 1/2 = 4/3), after a failure the known arm
// twice, 1. So 1/2 + (4/3 + 1)/2 = 5/3 > 3/2. The known arm's strength is so large that what it shows is
// nothing.
TEST(BeliefTree, AKnownArmByHand) {
  EXPECT_NEAR(BeliefTree(bandit_tree({{1e12, 1e12}, {1, 1}}, 3)).value(), 5.0 / 3, 1e-9);
}

// The same value without memory or keys: every history walked one by one.
double brute_force(const TreeModel& model, std::int32_t state,
                   std::vector<std::vector<std::vector<double>>>& alpha, std::int64_t left) {
  if (left == 0) return 0;
  double best = -1e300;
  const auto s = static_cast<std::size_t>(state);
  for (std::size_t a = 0; a < model.actions[s].size(); ++a) {
    const TreeAction& action = model.actions[s][a];
    double all = 0, sum = action.reward;
    for (const double one : alpha[s][a]) all += one;
    for (std::size_t i = 0; i < action.next.size(); ++i) {
      const double probability = alpha[s][a][i] / all;
      alpha[s][a][i] += 1;
      sum += probability * brute_force(model, action.next[i], alpha, left - 1);
      alpha[s][a][i] -= 1;
    }
    best = std::max(best, sum);
  }
  return best;
}

TEST(BeliefTree, AgreesWithEveryHistoryWalkedOneByOne) {
  for (std::uint64_t number = 0; number < 8; ++number) {
    const TreeModel model = draw_tree_problem(7, number, 5, 5).model;
    std::vector<std::vector<std::vector<double>>> alpha;
    for (const auto& actions : model.actions) {
      alpha.emplace_back();
      for (const TreeAction& action : actions) alpha.back().push_back(action.alpha);
    }
    BeliefTree tree(model);
    EXPECT_NEAR(tree.value(), brute_force(model, 0, alpha, model.horizon), 1e-12) << number;
  }
}

// Follows one action for ever.
class Stubborn final : public planner::Planner {
 public:
  void choose(std::int64_t, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    pair[0] = state[0] == 0 ? 0 : state[0] + 1;  // two arms: the first; on the way back there is no choice
  }
  void observe(std::int64_t, const planner::StepSeen&) override {}
};

// The first of two arms for ever earns its prior mean at each pull, so in expectation it gives up the optimal
// value less that.
TEST(UrnWorld, WhatIsGivenUpIsTheDistanceToTheOptimum) {
  BeliefTree tree(bandit_tree({{1, 2}, {1, 1}}, 6));
  double sum = 0, squares = 0;
  constexpr int kTrials = 4'000;
  const std::array<std::int64_t, 1> horizon = {12};
  for (int trial = 0; trial < kTrials; ++trial) {
    UrnWorld world(tree, 3, static_cast<std::uint64_t>(trial));
    Stubborn planner;
    trial::run_trial(world, planner, horizon);
    sum += world.given_up();
    squares += world.given_up() * world.given_up();
  }
  const double mean = sum / kTrials;
  const double error = std::sqrt((squares / kTrials - mean * mean) / kTrials);
  EXPECT_NEAR(mean, tree.value() - 6.0 / 3, 4 * error);
}

void expect_near_optimal(const BayesOptions& options) {
  double sum = 0, worst = 1;
  std::string which;
  for (const BayesResult& one : against_bayes_optimal(options)) {
    sum += one.share;
    if (one.share < worst) which = one.family + ", number " + std::to_string(one.number);
    worst = std::min(worst, one.share);
    EXPECT_LE(one.share, 1 + 1e-9) << one.number;  // nothing beats the optimum
  }
  const double mean = sum / static_cast<double>(options.problems);
  std::printf("of the Bayes-optimal value: mean %.3f %%, worst %.3f %% (%s)\n", 100 * mean, 100 * worst,
              which.c_str());
  EXPECT_GE(mean, .985);
  EXPECT_GE(worst, .96) << which;
}

// Those of the default plans that cost next to nothing to follow.
std::vector<Plan> quick_plans() {
  return plans_named({"sop", "asop", "thompson", "beb-1", "beb-2", "pilot-1x1"});
}

TEST(BayesOptimal, TheRecommendationEarnsNearlyAsMuch) {
  BayesOptions options;
  options.problems = 8;
  options.most_pulls = 10;
  options.most_steps = 6;
  options.worlds = 128;
  options.trials = 100;
  options.plans = quick_plans();
  expect_near_optimal(options);
}

// Rewards of 0 or 1 with Beta beliefs are the same bandits.
void expect_near_optimal_arms(const BayesOptions& options) {
  double sum = 0, worst = 1;
  for (std::uint64_t number = 0; number < options.problems; ++number) {
    const BayesResult one = arms_against_bayes_optimal(options, number);
    sum += one.share;
    worst = std::min(worst, one.share);
    EXPECT_LE(one.share, 1 + 1e-9) << number;
  }
  const double mean = sum / static_cast<double>(options.problems);
  std::printf("arms of 0 or 1, of the Bayes-optimal value: mean %.3f %%, worst %.3f %%\n", 100 * mean,
              100 * worst);
  EXPECT_GE(mean, .985);
  EXPECT_GE(worst, .96);
}

TEST(BayesOptimal, SoItDoesOnArmsThatPayZeroOrOne) {
  BayesOptions options;
  options.problems = 4;
  options.most_pulls = 10;
  options.worlds = 128;
  options.trials = 100;
  options.plans = quick_plans();
  expect_near_optimal_arms(options);
}

TEST(BayesOptimalLong, SoItDoesOnArmsThatPayZeroOrOne) {
  BayesOptions options;
  options.problems = 20;
  expect_near_optimal_arms(options);
}

TEST(BayesOptimalLong, TheRecommendationEarnsNearlyAsMuch) {
  expect_near_optimal({});
}

}  // namespace bayes_optimal_test
}  // namespace mindgap::decide
