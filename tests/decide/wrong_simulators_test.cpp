#include "decide/wrong_simulators.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "decide/following.h"
#include "mindgap/mdp/finite_horizon.h"

namespace mindgap::decide {
namespace wrong_simulators_test {

// The most that a unit earns in so many steps from where it starts.
double most(const mdp::Mdp& model, std::int32_t start, std::int64_t steps) {
  return mdp::solve_finite_horizon(model.with_discount(1), steps, {.keep_policy = false})
      .value[static_cast<std::size_t>(start)];
}

// Up, 11 to the right, down: 13 steps that cost 1, then the goal's 20.
TEST(WrongSimulators, TheCliffByHand) {
  const WrongSimulator cliff = windy_cliff();
  EXPECT_DOUBLE_EQ(most(cliff.simulator, 36, 14), 7);
  EXPECT_DOUBLE_EQ(most(cliff.simulator, 36, 28), 14);
  EXPECT_LT(most(cliff.truth, 36, 28), 0);
}

// 14 moves to the goal and one more to be paid.
TEST(WrongSimulators, TheLakeByHand) {
  const WrongSimulator lake = slippery_lake();
  EXPECT_DOUBLE_EQ(most(lake.simulator, 0, 14), 0);
  EXPECT_DOUBLE_EQ(most(lake.simulator, 0, 15), 1);
  EXPECT_LT(most(lake.truth, 0, 15), .01);
  EXPECT_EQ(lake.truth.row_length_max(), 3);
}

// By the simulator 8 moves through the first row's opening, in truth 10 through the door; by the last row,
// which both know, it would be 16. The goal pays one step later.
TEST(WrongSimulators, TheMazeByHand) {
  const WrongSimulator maze = changed_maze();
  EXPECT_DOUBLE_EQ(most(maze.simulator, 7, 9), 10);
  EXPECT_DOUBLE_EQ(most(maze.truth, 7, 10), 0);
  EXPECT_DOUBLE_EQ(most(maze.truth, 7, 11), 10);
}

// From rest, a push of 10 to the right: pushed = 10/1.1, turn = -pushed/(.5 (4/3 - .1/1.1)) = -14.634,
// acceleration = pushed + .05 * 14.634/1.1 = 9.756; one frame is .02 s. Gymnasium gives the same.
TEST(WrongSimulators, AFrameOfTheCartPoleByHand) {
  const std::array<double, 4> after = cart_pole_frame({0, 0, 0, 0}, 10);
  EXPECT_EQ(after[0], 0);
  EXPECT_NEAR(after[1], .195122, 1e-6);
  EXPECT_EQ(after[2], 0);
  EXPECT_NEAR(after[3], -.292683, 1e-6);
}

// With the force reversed an action does what the other one does by the simulator.
TEST(WrongSimulators, TheReversedCartPoleSwapsActions) {
  const WrongSimulator pole = reversed_cart_pole();
  const mdp::Mdp &right = pole.simulator, &wrong = pole.truth;
  for (std::int32_t s = 0; s < right.states(); s += 7) {
    for (std::int32_t a = 0; a < 2; ++a) {
      const std::int32_t here = right.find_pair(s, a), there = wrong.find_pair(s, 1 - a);
      const std::int64_t length = right.row_begin()[here + 1] - right.row_begin()[here];
      ASSERT_EQ(length, wrong.row_begin()[there + 1] - wrong.row_begin()[there]);
      for (std::int64_t i = 0; i < length; ++i) {
        const auto at = static_cast<std::size_t>(right.row_begin()[here] + i);
        const auto other = static_cast<std::size_t>(wrong.row_begin()[there] + i);
        EXPECT_EQ(right.next_state()[at], wrong.next_state()[other]);
        EXPECT_DOUBLE_EQ(right.probability()[at], wrong.probability()[other]);
      }
    }
  }
}

TEST(WrongSimulators, SpreadRowsReachEveryState) {
  const mdp::Mdp spread = spread_out(changed_maze().simulator, .02);
  EXPECT_EQ(spread.nonzeros(), std::int64_t{spread.pairs()} * spread.states());
  EXPECT_DOUBLE_EQ(spread.probability()[48], .02 / 49);  // up from the corner stays there, not at cell 48
  EXPECT_DOUBLE_EQ(spread.probability()[0], .98 + .02 / 49);
}

void expect_followed(const WrongSimulator& wrong, FollowingOptions options) {
  const Situation situation = situation_of(wrong);
  options.plans = plans_to_follow(situation);
  const FollowingResult result = follow_through(wrong, situation, options);
  std::printf("%s: followed %.1f +- %.1f, %.1f %% of the way from %.1f to %.1f; clairvoyant %.1f\n",
              wrong.name.c_str(), result.followed, result.followed_error, 100 * result.share(),
              result.floor(), result.best(), result.clairvoyant);
  EXPECT_LE(result.behind, 2 * result.behind_error) << wrong.name;
  EXPECT_GE(result.share(), .5) << wrong.name;  // what no luck explains
  EXPECT_GT(result.off_support, 0) << wrong.name;
  ASSERT_EQ(result.fixed_names.front(), "sop-fixed");
  EXPECT_GT(result.followed, result.fixed.front()) << wrong.name
                                                   << ": no better than to go on as if nothing "
                                                      "had been seen";
}

WrongSimulator shorter(WrongSimulator wrong, std::size_t units, std::int64_t horizon) {
  wrong.unit_state.resize(units);
  wrong.horizon = horizon;
  return wrong;
}

TEST(Following, ARefutedSimulatorIsNotFollowed) {
  FollowingOptions options;
  options.trials = 2;
  options.worlds = 8;
  options.replan_every = 5;
  expect_followed(shorter(windy_cliff(), 4, 100), options);
  expect_followed(shorter(changed_maze(), 4, 100), options);
}

TEST(FollowingLong, ARefutedSimulatorIsNotFollowed) {
  for (const std::int64_t decisions : {2, 3}) {
    FollowingOptions options;
    options.trials = 12;
    options.worlds = 32;
    options.decisions = decisions;
    expect_followed(windy_cliff(), options);
    expect_followed(slippery_lake(), options);
    expect_followed(changed_maze(), options);
  }
}

// What learning gains over deploying where the force is reversed: at least half of what it gains with a
// simulator of which 2 % of each row were spread over all states beforehand.
TEST(FollowingLong, LearningTheReversedCartPole) {
  const WrongSimulator pole = reversed_cart_pole();
  WrongSimulator spread = pole;
  spread.simulator = spread_out(pole.simulator, .02);
  double deployed = 0, learnt = 0, reference = 0;
  constexpr std::uint64_t kTrials = 3;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    deployed += earned_by("sop-fixed", pole, situation_of(pole), {}, trial) / kTrials;
    learnt += earned_by("asop", pole, situation_of(pole), {}, trial) / kTrials;
    reference += earned_by("asop", spread, situation_of(spread), {}, trial) / kTrials;
  }
  std::printf("deployed %.0f, asop %.0f, asop with rows spread beforehand %.0f\n", deployed, learnt,
              reference);
  EXPECT_GE(learnt - deployed, .5 * (reference - deployed));
}

}  // namespace wrong_simulators_test
}  // namespace mindgap::decide
