#include "paper/cases/deepsea/deepsea.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/world/projection.h"

namespace mindgap::cases::deepsea {
namespace deepsea_test {

double best_dive(const Options& options) {
  return mdp::solve_finite_horizon(sea(options, right_actions(options, 42, 0), 1), options.size)
      .value_at_start;
}

// The treasure, 1, less N steps to the right at .01 / N.
TEST(DeepSea, ADiveIsWorth99) {
  for (const std::int32_t size : {2, 10, 20, 30}) {
    EXPECT_NEAR(best_dive({.size = size, .discount = 1}), .99, 1e-12) << size;
  }
  // Ten dives in a row: a unit starts again at the top.
  const Options options{.discount = 1};
  EXPECT_NEAR(mdp::solve_finite_horizon(sea(options, right_actions(options, 1, 2), 1), 100).value_at_start,
              9.9, 1e-11);
}

// Who slips once cannot reach the corner any more and goes left at no cost. So the k-th step (k = 0 .. N-1)
// is paid for with probability (1-q)^k, and the corner is reached with (1-q)^(N-1):
//   (1-q)^(N-1) - .01/N (1 - (1-q)^N) / q.
TEST(DeepSea, ADiveThatSlips) {
  for (const std::int32_t size : {2, 10, 30}) {
    for (const double q : {.05, .1, 1.0 / size}) {
      const double stays = std::pow(1 - q, size - 1);
      EXPECT_NEAR(best_dive({.size = size, .slip = q, .discount = 1}),
                  stays - .01 / size * (1 - stays * (1 - q)) / q, 1e-12)
          << size << " " << q;
    }
  }
}

// A coin per step is in the corner after N-1 heads.
TEST(DeepSea, ACoinFindsTheCornerOnceIn2ToTheN) {
  const Options options{.size = 10};
  const mdp::Mdp mdp = sea(options, right_actions(options, 42, 0), 1);
  EXPECT_NEAR(mdp::finite_occupancy(mdp, mdp::Policy::uniform(mdp), 10)[99], std::exp2(-9), 1e-15);
}

TEST(DeepSea, TheSimulatorKnowsNoTreasure) {
  const trial::Problem problem = deepsea::problem({}, 42, 3);
  const mdp::Mdp& simulator = problem.belief.simulator();
  const mdp::Solution solution = mdp::solve(simulator);
  EXPECT_NEAR(solution.value_at_start, 0, 1e-9);
  const auto right = right_actions({}, 42, 3);
  for (std::int32_t s = 0; s < 100; ++s) {
    EXPECT_EQ(solution.policy.pair_of_state()[static_cast<std::size_t>(s)],
              simulator.find_pair(s, 1 - right[static_cast<std::size_t>(s)]));
  }
  // They differ by the treasure alone.
  const mdp::Mdp truth = world::deployment_projection(problem.truth);
  for (std::int32_t k = 0; k < truth.pairs(); ++k) {
    const bool treasure = k == truth.find_pair(99, right[99]);
    EXPECT_NEAR(truth.reward()[k] - simulator.reward()[k], treasure ? 1 : 0, 1e-15) << k;
  }
  EXPECT_TRUE(std::ranges::equal(truth.probability(), simulator.probability()));
}

TEST(DeepSea, TheMappingIsACoinPerCellAndTrial) {
  std::int64_t rights = 0;
  for (std::uint64_t trial = 0; trial < 100; ++trial) {
    const auto right = right_actions({}, 42, trial);
    rights += std::ranges::count(right, 1);
    EXPECT_NE(right, right_actions({}, 42, trial + 1));
  }
  EXPECT_NEAR(static_cast<double>(rights), 5000, 5 * 50);  // binomial, sd 50
  const auto plain = right_actions({.shuffle = false}, 42, 0);
  EXPECT_EQ(std::ranges::count(plain, 1), 100);
}

TEST(DeepSea, OptionsReachTheCase) {
  const auto made = find_case("deepsea").make(
      {.units = 2, .options = {{"size", "12"}, {"slip", "0.25"}, {"noise", "0"}, {"shuffle", "no"}}});
  const auto& tabular = dynamic_cast<const trial::TabularCase&>(*made);
  EXPECT_EQ(tabular.problem(0).truth.states(), 144);
  EXPECT_EQ(tabular.problem(0).truth, tabular.problem(1).truth);
  EXPECT_EQ(made->default_horizons().front(), 60);
  EXPECT_EQ(made->run("sop", 0, std::vector<std::int64_t>{24})[0], 0);
  const auto calm = find_case("deepsea").make({.units = 2, .options = {{"noise", "0"}}});
  EXPECT_NEAR(calm->run("oracle", 0, std::vector<std::int64_t>{30})[0], 2 * 3 * .99, 1e-12);
  EXPECT_THROW(find_case("deepsea").make({.options = {{"size", "9"}}}), InvalidArgument);
  EXPECT_THROW(find_case("deepsea").make({.options = {{"shuffle", "maybe"}}}), InvalidArgument);
}

TEST(DeepSea, BadOptionsThrow) {
  EXPECT_THROW(problem({.size = 1}, 1, 1), InvalidArgument);
  EXPECT_THROW(problem({.slip = 1}, 1, 1), InvalidArgument);
  EXPECT_THROW(problem({.discount = 1.1}, 1, 1), InvalidArgument);
  EXPECT_THROW(problem({.noise = -1}, 1, 1), InvalidArgument);
  EXPECT_THROW(problem({.reward_sd = -1}, 1, 1), InvalidArgument);
  EXPECT_THROW(problem({.strength = 0}, 1, 1), InvalidArgument);
  EXPECT_THROW(sea({}, {1, 0}, 1), InvalidArgument);
}

}  // namespace deepsea_test
}  // namespace mindgap::cases::deepsea
