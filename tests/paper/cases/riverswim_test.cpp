#include "paper/cases/riverswim/riverswim.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/world/projection.h"

namespace mindgap::cases::riverswim {
namespace riverswim_test {

// The published constants' optimal value at discount .95 from the left end, to ten decimals.
TEST(RiverSwim, OptimalValueOfThePublishedConstants) {
  const mdp::Solution solution = mdp::solve(river({}), {.tolerance = 1e-14});
  EXPECT_NEAR(solution.value_at_start, 4.6693001607, 1e-9);
  EXPECT_LT(solution.half_width, 1e-10);
  for (const std::int32_t pair : solution.policy.pair_of_state()) EXPECT_EQ(pair % 2, 1);  // always right
}

// Two places, discount 1/2, always right: V1 = .2 V1 + .3 V2 and V2 = 1 + .2 V1 + .3 V2, so V1 = .375 V2,
// V2 = 1 + .375 V2 = 1.6, V1 = .6. (To stay left at place 1 is worth .005 + .3.)
TEST(RiverSwim, TwoPlacesByHand) {
  const mdp::Solution solution = mdp::solve(river({.length = 2, .discount = .5}));
  EXPECT_NEAR(solution.value[0], .6, 1e-9);
  EXPECT_NEAR(solution.value[1], 1.6, 1e-9);
}

TEST(RiverSwim, TheTruthIsTheRiver) {
  const trial::Problem problem = riverswim::problem({.length = 9});
  EXPECT_EQ(world::deployment_projection(problem.truth), river({.length = 9}));
  for (const double variance : problem.truth.variance()) EXPECT_EQ(variance, .01);
}

// .005 / (1 - .95) = .1, by never leaving the left end.
TEST(RiverSwim, TheSimulatorStaysLeft) {
  for (const std::int32_t length : {2, 6, 200}) {
    const mdp::Solution solution = mdp::solve(simulator({.length = length}));
    EXPECT_NEAR(solution.value_at_start, .1, 1e-8);
    for (const std::int32_t pair : solution.policy.pair_of_state()) EXPECT_EQ(pair % 2, 0);
  }
}

TEST(RiverSwim, ThePriorIsWideWhereHistoryNeverWas) {
  const belief::Prior known = prior({.noise = .04, .history = 400, .reward_sd = .5});
  ASSERT_EQ(known.reward_sd.size(), 12u);
  EXPECT_DOUBLE_EQ(known.reward_sd[0], .01);  // sqrt(.04 / 400)
  for (std::size_t k = 1; k < 12; ++k) EXPECT_EQ(known.reward_sd[k], .5);
  // One pseudo-observation per place that a swim can end at.
  EXPECT_EQ(known.transition_strength, (std::vector<double>{1, 2, 1, 3, 1, 3, 1, 3, 1, 3, 1, 2}));
}

TEST(RiverSwim, OptionsReachTheCase) {
  const auto made = find_case("riverswim").make({.options = {{"length", "12"}, {"noise", "0"}}});
  const auto& tabular = dynamic_cast<const trial::TabularCase&>(*made);
  EXPECT_EQ(tabular.problem(0).truth.states(), 12);
  EXPECT_EQ(tabular.problem(0).truth.variance()[3], 0);
  // Without noise, 20 units at the left end gather .005 a step each.
  EXPECT_NEAR(made->run("sop", 0, std::vector<std::int64_t>{10})[0], 20 * 10 * .005, 1e-12);
  EXPECT_THROW(find_case("riverswim").make({.options = {{"length", "201"}}}), InvalidArgument);
  EXPECT_THROW(find_case("riverswim").make({.options = {{"width", "2"}}}), InvalidArgument);
}

TEST(RiverSwim, BadOptionsThrow) {
  EXPECT_THROW(problem({.length = 1}), InvalidArgument);
  EXPECT_THROW(problem({.discount = 1}), InvalidArgument);
  EXPECT_THROW(problem({.noise = -1}), InvalidArgument);
  EXPECT_THROW(problem({.history = 0}), InvalidArgument);
  EXPECT_THROW(problem({.reward_sd = -1}), InvalidArgument);
  EXPECT_THROW(problem({.reward_sd = NAN}), InvalidArgument);
}

}  // namespace riverswim_test
}  // namespace mindgap::cases::riverswim
