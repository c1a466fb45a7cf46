#include "mindgap/world/drifting_world.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/world/without_hidden_state.h"

namespace mindgap::world {
namespace drifting_world_test {

HiddenModel one_state(double variance) {
  mdp::MdpBuilder builder(.9, 1, 2);
  builder.set_reward(0, 0, 1);
  builder.set_reward(0, 1, 2);
  for (std::int32_t a : {0, 1}) builder.add_transition(0, a, 0, 1);
  return without_hidden_state(builder.build(), variance);
}

TEST(DriftingWorld, StandsStillWithoutDrift) {
  const HiddenModel model = one_state(.25);
  DriftingWorld moving(model, 7, 3, 2, {.rate = 0, .first = {.5, 0}, .sd = {1, 1}});
  TabularWorld still(model, 7, 3, 2);
  for (int t = 0; t < 20; ++t) EXPECT_EQ(moving.step(t % 2, t % 2).reward, still.step(t % 2, t % 2).reward);
}

TEST(DriftingWorld, AllUnitsMeetTheSamePathAndAResetBeginsItAgain) {
  DriftingWorld world(one_state(0), 7, 3, 2, {.rate = .1, .first = {.5, 0}, .sd = {1, .1}});
  std::vector<double> path;
  path.reserve(30);
  for (int t = 0; t < 30; ++t) path.push_back(world.step(0, 0).reward);
  EXPECT_EQ(path[0], 1);  // nothing has moved yet
  EXPECT_NE(path[1], path[0]);
  for (int t = 0; t < 30; ++t) EXPECT_EQ(world.step(1, 0).reward, path[static_cast<std::size_t>(t)]);
  world.reset(0);
  EXPECT_EQ(world.step(0, 0).reward, 1);
  EXPECT_EQ(world.step(0, 0).reward, path[1]);
}

TEST(DriftingWorld, PairsMayMoveTogether) {
  DriftingWorld world(one_state(0), 7, 3, 1,
                      {.rate = .1, .first = {0, 0}, .sd = {1, 1}, .moves_with = {0, 0}});
  for (std::int64_t t = 0; t < 10; ++t) EXPECT_EQ(world.shift(t)[0], world.shift(t)[1]);
}

// From a first deviation d the mean at step t is a^t d and the variance (1 - a^2t) sd^2: 4,000 trials.
TEST(DriftingWorld, HasTheLawOfAnAutoregression) {
  const double d = 2, sd = .5;
  const int trials = 4000;
  for (const std::int64_t t : {1, 10, 60}) {
    double sum = 0, squares = 0;
    for (int trial = 0; trial < trials; ++trial) {
      DriftingWorld world(one_state(0), 11, static_cast<std::uint64_t>(trial), 1,
                          {.rate = .05, .first = {d, 0}, .sd = {sd, 0}});
      const double deviation = d + world.shift(t)[0];
      sum += deviation;
      squares += deviation * deviation;
      EXPECT_EQ(world.shift(t)[1], 0);
    }
    const double mean = sum / trials, variance = squares / trials - mean * mean;
    const double wanted = (1 - std::pow(.95, 2 * t)) * sd * sd;
    EXPECT_NEAR(mean, std::pow(.95, t) * d, 4 * std::sqrt(wanted / trials));
    EXPECT_NEAR(variance / wanted, 1, 4 * std::sqrt(2.0 / trials));
  }
}

TEST(DriftingWorld, RefusesWhatDoesNotFit) {
  const HiddenModel model = one_state(0);
  EXPECT_THROW(DriftingWorld(model, 1, 1, 1, {.rate = 1, .first = {0, 0}, .sd = {1, 1}}), InvalidArgument);
  EXPECT_THROW(DriftingWorld(model, 1, 1, 1, {.rate = .1, .first = {0}, .sd = {1, 1}}), InvalidArgument);
  EXPECT_THROW(DriftingWorld(model, 1, 1, 1, {.rate = .1, .first = {0, 0}, .sd = {1, -1}}), InvalidArgument);
  EXPECT_THROW(
      DriftingWorld(model, 1, 1, 1, {.rate = .1, .first = {0, 0}, .sd = {1, 1}, .moves_with = {0, 2}}),
      InvalidArgument);
}

}  // namespace drifting_world_test
}  // namespace mindgap::world
