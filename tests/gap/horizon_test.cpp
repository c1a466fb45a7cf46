#include "mindgap/gap/horizon.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mindgap/base/error.h"

namespace mindgap::gap {
namespace horizon_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Discount .9: T_eff = 10. 10 * 2 * .1 / .4 = 5.
TEST(Horizon, CrossoverByHand) {
  EXPECT_NEAR(crossover_horizon({.4, .1}, 2, .9), 5, 1e-13);
  EXPECT_EQ(crossover_horizon({.4, 0}, 2, .9), 0);
  EXPECT_EQ(crossover_horizon({0, .1}, 2, .9), kInfinity);
  EXPECT_EQ(crossover_horizon({0, 0}, 2, .9), 0);
  EXPECT_EQ(crossover_horizon({0, .1}, 0, .9), 0);
}

// .4/.1 = 4 and .9 * 2 * .1 / (2 * .01) = 9.
TEST(Horizon, ContributionsByHand) {
  const HorizonContributions parts = horizon_contributions({.4, .1}, 2, .9);
  EXPECT_NEAR(parts.reward, 4, 1e-13);
  EXPECT_NEAR(parts.transition, 9, 1e-12);
  EXPECT_NEAR(parts.ratio, 2.25, 1e-13);
  EXPECT_NEAR(horizon_contributions({.4, .1}, 2, .9, RewardSign::any).transition, 18, 1e-12);
}

TEST(Horizon, ContributionsAddUpToTheBound) {
  for (const double discount : {0.0, .5, .99}) {
    const HorizonContributions parts = horizon_contributions({.3, .7}, 1.5, discount);
    EXPECT_NEAR(parts.reward + parts.transition, simulation_lemma_bound({.3, .7}, 1.5, discount), 1e-9);
  }
}

TEST(Horizon, LimitCasesAreNumbers) {
  EXPECT_EQ(horizon_contributions({0, .1}, 2, .9).ratio, kInfinity);
  EXPECT_EQ(horizon_contributions({0, 0}, 2, .9).ratio, 0);
  EXPECT_EQ(horizon_contributions({0, .1}, 2, 0).ratio, 0);  // with discount 0 transitions do not matter
}

TEST(Horizon, BadArguments) {
  EXPECT_THROW(crossover_horizon({-1, 0}, 1, .9), InvalidArgument);
  EXPECT_THROW(crossover_horizon({1, 3}, 1, .9), InvalidArgument);
  EXPECT_THROW(crossover_horizon({1, 0}, -1, .9), InvalidArgument);
  EXPECT_THROW(crossover_horizon({1, 0}, 1, 1), InvalidArgument);
  EXPECT_THROW(horizon_contributions({std::nan(""), 0}, 1, .9), InvalidArgument);
  EXPECT_THROW(horizon_contributions({0, std::nan("")}, 1, .9), InvalidArgument);
}

}  // namespace horizon_test
}  // namespace mindgap::gap
