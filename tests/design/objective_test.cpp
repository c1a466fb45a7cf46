#include "mindgap/design/objective.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gap/golden_models.h"
#include "mindgap/base/error.h"

namespace mindgap::design {
namespace objective_test {

struct Case {
  mdp::Mdp mdp = gap::m3();
  gap::PvvWeights weights = gap::pvv_weights(mdp, gap::m3_target(mdp));
  gap::Precision prior{std::vector<double>(6, .25), std::vector<double>(6, 4.0), std::vector<double>(6, 5.0)};
};

TEST(Objective, IsThePvv) {
  const Case c;
  const std::vector<double> n{1, 2, 0, 4, .5, 7};
  EXPECT_NEAR(Objective(c.weights, c.prior).value(n), gap::pvv(c.mdp, c.weights, c.prior, n).total, 1e-14);
  EXPECT_NEAR(Objective(c.weights, c.prior, Block::rewards).value(n),
              gap::pvv(c.mdp, c.weights, c.prior, n).reward, 1e-14);
  EXPECT_NEAR(Objective(c.weights, c.prior, Block::transitions).value(n),
              gap::pvv(c.mdp, c.weights, c.prior, n).transition, 1e-14);
}

TEST(Objective, DerivativesAgreeWithDifferences) {
  const Case c;
  const std::vector<double> credit{0, 1, 0, 2, 0, 0};
  const Objective objective(c.weights, c.prior, Block::both, credit);
  std::vector<double> n{1, 2, .3, 4, .5, 7}, gradient(6), curvature(6), up(6), down(6);
  EXPECT_NEAR(objective.derivatives(n, gradient, curvature), objective.value(n), 1e-14);
  for (std::size_t k = 0; k < 6; ++k) {
    const double h = 1e-5;
    auto shifted = n;
    shifted[k] += h;
    const double above = objective.derivatives(shifted, up);
    shifted[k] -= 2 * h;
    const double below = objective.derivatives(shifted, down);
    EXPECT_NEAR((above - below) / (2 * h), gradient[k], 1e-7 * std::abs(gradient[k]) + 1e-10);
    EXPECT_NEAR((up[k] - down[k]) / (2 * h), curvature[k], 1e-6 * curvature[k] + 1e-9);
  }
}

TEST(Objective, WorthOfOneMoreIsADifference) {
  const Case c;
  const Objective objective(c.weights, c.prior);
  const std::vector<double> n{1, 2, .3, 0, .5, 7};
  std::vector<double> worth(6);
  objective.worth_of_one_more(n, worth);
  for (std::size_t k = 0; k < 6; ++k) {
    auto more = n;
    more[k] += 1;
    EXPECT_NEAR(worth[k], objective.value(n) - objective.value(more), 1e-14);
  }
}

TEST(Objective, ChangeOfSomeCountsIsADifference) {
  const Case c;
  const Objective objective(c.weights, c.prior);
  const std::vector<double> n{1, 2, .3, 0, .5, 7}, other{1, 0, .3, 2.5, .5, 7}, after{0, 2.5};
  const std::vector<std::int32_t> pairs{1, 3};
  const auto around = objective.around(n);
  EXPECT_NEAR(around->change(pairs, after), objective.value(other) - objective.value(n), 1e-14);
  EXPECT_EQ(around->change({}, {}), 0);
}

TEST(Objective, CreditIsAddedToTheCounts) {
  const Case c;
  const std::vector<double> credit{0, 1, 3, 2, 0, 0}, n{1, 2, .3, 4, .5, 7};
  std::vector<double> both(6);
  for (std::size_t k = 0; k < 6; ++k) both[k] = n[k] + credit[k];
  EXPECT_NEAR(Objective(c.weights, c.prior, Block::both, credit).value(n),
              Objective(c.weights, c.prior).value(both), 1e-14);
}

TEST(Objective, KnownThingsAndNoiselessLooks) {
  Case c;
  c.prior.reward_variance[0] = 0;
  c.prior.observation_precision[1] = INFINITY;
  c.prior.transition_strength.assign(6, INFINITY);
  const Objective objective(c.weights, c.prior);
  std::vector<double> n(6, 0.0), gradient(6);
  const double before = objective.derivatives(n, gradient);
  EXPECT_EQ(gradient[0], 0);
  n[1] = 1;
  EXPECT_NEAR(objective.value(n), before - c.weights.reward[1] * .25, 1e-8);
}

TEST(Objective, BadArguments) {
  Case c;
  EXPECT_THROW(Objective(c.weights, c.prior, Block::both, std::vector<double>(5, 0.0)), InvalidArgument);
  EXPECT_THROW(Objective(c.weights, c.prior, Block::both, std::vector<double>(6, -1.0)), InvalidArgument);
  c.prior.transition_strength[2] = 0;
  EXPECT_THROW(Objective(c.weights, c.prior), InvalidArgument);
}

}  // namespace objective_test
}  // namespace mindgap::design
