#include "mindgap/stats/share.h"

#include <gtest/gtest.h>

namespace mindgap::stats {
namespace share_test {

// z = 1.95996 and 5 of 10: the centre is .5 and the half z / (1 + .38415) sqrt(.025 + .0096036) = .26341.
TEST(Share, WilsonByHand) {
  const Interval found = share_interval(.5, 10, .95);
  EXPECT_NEAR(found.lower, .5 - .263410, 1e-4);
  EXPECT_NEAR(found.upper, .5 + .263410, 1e-4);
}

// 0 of n: from 0 to z^2 / (n + z^2).
TEST(Share, AtTheEnds) {
  const Interval none = share_interval(0, 30, .95), all = share_interval(1, 30, .95);
  EXPECT_EQ(none.lower, 0);
  EXPECT_NEAR(none.upper, 3.841459 / 33.841459, 1e-6);
  EXPECT_NEAR(all.lower, 1 - none.upper, 1e-12);
  EXPECT_EQ(all.upper, 1);
}

}  // namespace share_test
}  // namespace mindgap::stats
