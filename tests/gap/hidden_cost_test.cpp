#include "mindgap/gap/hidden_cost.h"

#include <gtest/gtest.h>

namespace mindgap::gap {
namespace hidden_cost_test {

// One state; action h pays 1 where the hidden state is h, which stays with probability `stays`. P_t = 1/2.
world::HiddenModel guess(double stays, double discount) {
  world::HiddenArrays arrays;
  arrays.discount = discount;
  arrays.hidden = 2;
  arrays.actions = 2;
  arrays.pair_begin = {0, 2};
  arrays.pair_action = {0, 1};
  arrays.row_begin = {0};
  for (std::int32_t a = 0; a < 2; ++a) {
    for (std::int32_t h = 0; h < 2; ++h) {
      arrays.reward.push_back(a == h ? 1 : 0);
      for (std::int32_t to = 0; to < 2; ++to) {
        arrays.next_state.push_back(0);
        arrays.next_hidden.push_back(to);
        arrays.probability.push_back(to == h ? stays : 1 - stays);
      }
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
      arrays.behaviour.push_back(.5);
    }
  }
  arrays.calibration = arrays.deployment = {.5, .5};
  return world::HiddenModel(arrays);
}

// The chain of h has the eigenvalues 1 and 2 stays - 1. By hand, g = .9: either action is worth .5/.1 = 5
// from even odds, seeing h 10. A reward tells h exactly, which then stays with .9: remembering is worth
// .5 + .9 * .9/.1 = 8.6.
TEST(HiddenCost, ByHand) {
  const HiddenCost stays = hidden_cost(guess(.9, .9));
  EXPECT_NEAR(stays.slowest, .8, 1e-9);
  EXPECT_EQ(stays.half_life, 4);  // .8^3 = .512, .8^4 = .41
  EXPECT_TRUE(stays.fades());
  EXPECT_NEAR(stays.observed, 5, 1e-6);
  EXPECT_NEAR(stays.remembering, 8.6, 1e-4);
  EXPECT_NEAR(stays.seeing, 10, 1e-6);
  EXPECT_NEAR(stays.least(), 3.6, 1e-4);
  EXPECT_NEAR(stays.most(), 5, 1e-6);
  EXPECT_NEAR(stays.most_share(), 1, 1e-6);
}

TEST(HiddenCost, WhatNeverChangesDoesNotFade) {
  const HiddenCost never = hidden_cost(guess(1, .9));
  EXPECT_NEAR(never.slowest, 1, 1e-12);
  EXPECT_TRUE(std::isinf(never.half_life));
  EXPECT_FALSE(never.fades());
  EXPECT_FALSE(hidden_cost(guess(.99, .9)).fades());      // .98^10 > 1/2
  const HiddenCost at_once = hidden_cost(guess(.5, .9));  // drawn anew at every step
  EXPECT_NEAR(at_once.slowest, 0, 1e-9);
  EXPECT_EQ(at_once.half_life, 1);
}

}  // namespace hidden_cost_test
}  // namespace mindgap::gap
