#include "mindgap/world/history_error.h"

#include <gtest/gtest.h>

#include "world/example_e.h"
#include "world/random_worlds.h"

namespace mindgap::world {
namespace history_error_test {

TEST(HistoryError, IsZeroWhereTheHiddenStateIsRedrawn) {
  const HistoryError error = history_error(example_e::model());
  EXPECT_NEAR(error.reward.value, 0, 1e-15);
  EXPECT_NEAR(error.transition.value, 0, 1e-15);
}

// States x and y, one action, hidden states that stay for ever: h0 moves to the other state, h1 stays where
// it is. P_t is (1/2, 1/2) in x and (1/4, 3/4) in y. After x, being in y tells h0: the reward there is 1, not
// .25 * 1 + .75 * 0, and the next state x for sure, not (.25, .75): differences .75 and 1.5. The others, of
// (x after x), (x after y) and (y after y), are .1 and 1, .1 and 1, .25 and .5.
TEST(HistoryError, ByHand) {
  HiddenArrays arrays;
  arrays.discount = .9;
  arrays.labels.states = mdp::NameTable({"x", "y"});
  arrays.hidden = 2;
  arrays.pair_begin = {0, 1, 2};
  arrays.pair_action = {0, 0};
  arrays.reward = {.2, .4, 1, 0};
  arrays.row_begin = {0, 1, 2, 3, 4};
  arrays.next_state = {1, 0, 0, 1};
  arrays.next_hidden = {0, 1, 0, 1};
  arrays.probability = {1, 1, 1, 1};
  arrays.behaviour = {1, 1, 1, 1};
  arrays.calibration = arrays.deployment = {.5, .5, .25, .75};
  const HistoryError error = history_error(HiddenModel(arrays));
  EXPECT_DOUBLE_EQ(error.reward.value, .75);
  EXPECT_EQ(error.reward.previous_pair, 0);
  EXPECT_EQ(error.reward.pair, 1);
  EXPECT_DOUBLE_EQ(error.transition.value, 1.5);
  EXPECT_EQ(error.transition.previous_pair, 0);
  EXPECT_EQ(error.transition.pair, 1);

  // A y that is never reached from x leaves only what y tells after itself: nothing, as h1 is sure there.
  arrays.deployment = {0, 1, 0, 1};
  EXPECT_EQ(history_error(HiddenModel(arrays)).reward.value, 0);
  EXPECT_EQ(history_error(HiddenModel(arrays)).reward.pair, -1);
}

// Dense arrays over (previous pair, pair, hidden state, next state), straight from the definition.
HistoryError dense(const HiddenModel& world) {
  const auto kernel = [&](std::int32_t k, std::int32_t h, std::int32_t s, std::int32_t g) {
    double sum = 0;
    for (std::int64_t i = world.row_begin()[world.cell(k, h)]; i < world.row_begin()[world.cell(k, h) + 1];
         ++i) {
      if (world.next_state()[i] == s && (g < 0 || world.next_hidden()[i] == g)) sum += world.probability()[i];
    }
    return sum;
  };
  const std::int32_t hidden = world.hidden();
  HistoryError result;
  for (std::int32_t k0 = 0; k0 < world.pairs(); ++k0) {
    for (std::int32_t k = 0; k < world.pairs(); ++k) {
      const std::int32_t s0 = world.state_of_pair(k0), s = world.state_of_pair(k);
      std::vector<double> law(static_cast<std::size_t>(hidden));
      double total = 0;
      for (std::int32_t h = 0; h < hidden; ++h) {
        for (std::int32_t h0 = 0; h0 < hidden; ++h0) {
          law[h] += world.deployment()[world.cell(s0, h0)] * kernel(k0, h0, s, h);
        }
        total += law[h];
      }
      if (total == 0) continue;
      double reward = 0, transition = 0;
      for (std::int32_t h = 0; h < hidden; ++h) {
        law[h] = law[h] / total - world.deployment()[world.cell(s, h)];
        reward += law[h] * world.reward()[world.cell(k, h)];
      }
      for (std::int32_t t = 0; t < world.states(); ++t) {
        double difference = 0;
        for (std::int32_t h = 0; h < hidden; ++h) difference += law[h] * kernel(k, h, t, -1);
        transition += std::abs(difference);
      }
      result.reward.value = std::max(result.reward.value, std::abs(reward));
      result.transition.value = std::max(result.transition.value, transition);
    }
  }
  return result;
}

TEST(HistoryError, ThreadsDoNotMatter) {
  const HiddenModel world(random_world(7, {.states = 300}));
  const HistoryError one = history_error(world, 1), four = history_error(world, 4);
  EXPECT_EQ(one.reward.value, four.reward.value);
  EXPECT_EQ(one.reward.previous_pair, four.reward.previous_pair);
  EXPECT_EQ(one.reward.pair, four.reward.pair);
  EXPECT_EQ(one.transition.value, four.transition.value);
  EXPECT_EQ(one.transition.previous_pair, four.transition.previous_pair);
  EXPECT_EQ(one.transition.pair, four.transition.pair);
}

TEST(HistoryError, IsTheDenseMaximum) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const HiddenModel world(random_world(seed));
    const HistoryError found = history_error(world), wanted = dense(world);
    EXPECT_NEAR(found.reward.value, wanted.reward.value, 1e-12) << seed;
    EXPECT_NEAR(found.transition.value, wanted.transition.value, 1e-12) << seed;
    EXPECT_GT(found.reward.value, 0);
  }
}

}  // namespace history_error_test
}  // namespace mindgap::world
