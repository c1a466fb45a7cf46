#include "mindgap/planner/replanner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"
#include "planner/small_models.h"

namespace mindgap::planner {
namespace replanner_test {

// Directly and by sweeps, warm and cold, against mdp::solve.
TEST(Replanner, FindsWhatSolveFinds) {
  for (const std::int32_t states : {12, 150}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Replanner replanner(1e-10);
      mdp::Mdp model = mdp::random_mdp(seed, {.states = states, .discount = seed % 2 == 0 ? .9 : .99});
      for (std::uint64_t i = 0; i < 3; ++i) {
        const auto picked = replanner.plan(model);
        const mdp::Solution wanted = mdp::solve(model);
        EXPECT_TRUE(std::equal(picked.begin(), picked.end(), wanted.policy.pair_of_state().begin()));
        for (std::int32_t s = 0; s < states; ++s) EXPECT_NEAR(replanner.value()[s], wanted.value[s], 1e-6);
        std::vector<double> reward(model.reward().begin(), model.reward().end());
        std::rotate(reward.begin(), reward.begin() + 5, reward.end());
        model = model.with_reward(std::move(reward));
      }
    }
  }
}

TEST(Replanner, TiesGoToTheLowestAction) {
  Replanner replanner;
  EXPECT_EQ(replanner.plan(arms({.1, .7, .7}))[0], 1);
  EXPECT_EQ(replanner.plan(arms({.7, .7, .7}))[0], 0);  // also where the last model's was another
}

TEST(Replanner, RefusesDiscountOneAndValuesBeyondDoubles) {
  Replanner replanner;
  EXPECT_THROW(replanner.plan(arms({1, 2}, 1)), InvalidArgument);
  EXPECT_THROW(replanner.plan(arms({1e308, 1}, .999)), NumericalError);
}

// A square of cells with four moves, too large for policies to be found directly. Rewards are about 1, but
// one action costs 500: nobody takes it.
mdp::Mdp square_with_a_trap(const std::vector<double>& reward) {
  constexpr std::int32_t kSide = 30, kMoves[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  mdp::MdpBuilder builder(.95, kSide * kSide, 4);
  for (std::int32_t s = 0; s < kSide * kSide; ++s) {
    for (std::int32_t a = 0; a < 4; ++a) {
      builder.set_reward(s, a, s == 450 && a == 3 ? -500 : reward[static_cast<std::size_t>(s)]);
      for (std::int32_t m = 0; m < 4; ++m) {
        const std::int32_t row = s / kSide + kMoves[m][0], column = s % kSide + kMoves[m][1];
        const bool inside = std::min(row, column) >= 0 && std::max(row, column) < kSide;
        builder.add_transition(s, a, inside ? row * kSide + column : s, m == a ? .85 : .05);
      }
    }
  }
  return builder.build();
}

// What policies lose is a share of the largest value, however large a reward is that is never earned.
TEST(Replanner, TheToleranceIsAShareOfWhatIsEarned) {
  std::mt19937_64 bits(5);
  std::vector<double> reward(900);
  for (double& r : reward) r = static_cast<double>(bits() % 1000) / 1000;
  constexpr double kTolerance = 3e-4;
  Replanner replanner(kTolerance);
  for (int look = 0; look < 6; ++look) {
    const mdp::Mdp model = square_with_a_trap(reward);
    const auto pairs = replanner.plan(model);
    ASSERT_NE(replanner.rolling(), nullptr);
    ASSERT_FALSE(replanner.rolling()->is_direct());
    const std::vector<double> value =
        mdp::evaluate(model, mdp::Policy::deterministic(model, {pairs.begin(), pairs.end()})).value;
    const std::vector<double> best = mdp::solve(model, {.tolerance = 1e-12}).value;
    double most = 0, loss = 0;
    for (std::size_t s = 0; s < best.size(); ++s) {
      most = std::max(most, std::abs(best[s]));
      loss = std::max(loss, best[s] - value[s]);
    }
    EXPECT_LT(most, 25);
    EXPECT_LE(loss, kTolerance * most) << look;
    for (int i = 0; i < 20; ++i) reward[bits() % 900] = static_cast<double>(bits() % 1000) / 1000;
  }
}

}  // namespace replanner_test
}  // namespace mindgap::planner
