#include "mindgap/design/minimum.h"

#include <gtest/gtest.h>

#include "design/cases.h"
#include "mindgap/base/error.h"
#include "mindgap/design/interior_point.h"

namespace mindgap::design {
namespace minimum_test {

// One state, two actions, one unit, one step: n = (q, 1-q), f = 1/(1+q) + 1/(2-q), least at q = 1/2 with 4/3.
// At n = (1, 0): f = 3/2, -grad f = (1/4, 1), so the bound is 3/2 + 1/4 - 1 = 3/4; at (1/2, 1/2) it is tight.
TEST(Certificate, ByHand) {
  const mdp::Mdp mdp = gap::dense_mdp(.9, {1}, 2, {0, 0}, {{1}, {1}});
  gap::PvvWeights weights;
  weights.reward = {1, 1};
  weights.transition = {0, 0};
  const Objective objective(weights, same_prior(mdp, 1, 1, INFINITY));
  const auto finite = finite_occupancies(mdp, {1}, 1), discounted = discounted_occupancies(mdp, {1}, 1);
  for (const Occupancy* pilot : {finite.get(), discounted.get()}) {
    Certificate certificate(objective, *pilot);
    EXPECT_EQ(certificate.lower_bound(), 0);
    EXPECT_EQ(certificate.relative_gap(1.5), 1);
    certificate.raise(std::vector<double>{1, 0}, 1e-12);
    EXPECT_NEAR(certificate.lower_bound(), .75, 1e-11);
    EXPECT_NEAR(certificate.gap(1.5), .75, 1e-11);
    certificate.raise(std::vector<double>{.5, .5}, 1e-12);
    EXPECT_NEAR(certificate.lower_bound(), 4.0 / 3, 1e-11);
    certificate.raise(std::vector<double>{1, 0}, 1e-12);  // a worse one does not lower it
    EXPECT_NEAR(certificate.lower_bound(), 4.0 / 3, 1e-11);
  }
}

// The bound holds at any n >= 0, also where no policy has these counts, and for any accuracy of the solve.
TEST(Certificate, NeverAboveTheMinimum) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const RandomDesign design(seed);
    for (const Occupancy* pilot : {design.discounted.get(), design.finite.get()}) {
      const double optimum = interior_point(*design.objective, *pilot).value;
      Certificate certificate(*design.objective, *pilot);
      std::vector<double> n(static_cast<std::size_t>(design.mdp.pairs()));
      for (int trial = 0; trial < 10; ++trial) {
        for (std::size_t k = 0; k < n.size(); ++k) {
          n[k] = std::exp(3 * std::sin(static_cast<double>(17 * k) + trial + static_cast<double>(seed)));
        }
        certificate.raise(n, trial % 2 == 0 ? 1e-9 : 1);
        EXPECT_LE(certificate.lower_bound(), optimum) << seed;
      }
      certificate.raise(interior_point(*design.objective, *pilot).counts, 1e-12);
      EXPECT_NEAR(certificate.lower_bound(), optimum, 2e-9 * optimum) << seed;
    }
  }
}

// Where no policy comes the price is 0: what could be learnt there does not count.
TEST(Certificate, PricesOnlyWhatCanBeReached) {
  const mdp::Mdp mdp = gap::dense_mdp(.9, {1, 0}, 1, {0, 0}, {{1, 0}, {1, 0}});
  gap::PvvWeights weights;
  weights.reward = {1, 1};
  weights.transition = {0, 0};
  const Objective objective(weights, same_prior(mdp, 1, 1, INFINITY));
  const auto pilot = discounted_occupancies(mdp, {1, 0}, 3);
  const Certificate certificate(objective, *pilot);
  std::vector<double> price(2), curvature(2);
  EXPECT_EQ(certificate.price(std::vector<double>{3, 0}, price, curvature), 1.25);
  EXPECT_EQ(price, (std::vector<double>{1.0 / 16, 0}));
  EXPECT_EQ(curvature[0], 2.0 / 64);
  EXPECT_EQ(certificate.reachable()[1], 0);
}

// All that is uncertain lies where no policy comes: every pilot leaves f = 1, and the bound says so.
TEST(Certificate, NothingToLearnLeavesAll) {
  const mdp::Mdp mdp = gap::dense_mdp(.9, {1, 0}, 1, {0, 0}, {{1, 0}, {1, 0}});
  gap::PvvWeights weights;
  weights.reward = {0, 1};
  weights.transition = {0, 0};
  const Objective objective(weights, same_prior(mdp, 1, 1, INFINITY));
  const auto finite = finite_occupancies(mdp, {1, 0}, 3), discounted = discounted_occupancies(mdp, {1, 0}, 3);
  for (const Occupancy* pilot : {finite.get(), discounted.get()}) {
    Certificate certificate(objective, *pilot);
    certificate.raise(std::vector<double>{3, 0}, 1e-9);
    EXPECT_NEAR(certificate.lower_bound(), 1, 1e-12);
  }
}

TEST(Certificate, BadArguments) {
  const M3Design m3;
  EXPECT_THROW(Certificate(Objective(m3.weights, m3.prior), *TreasureDesign().pilot), InvalidArgument);
}

TEST(Minimum, StatusesHaveNames) {
  EXPECT_EQ(to_string(MinimumStatus::converged), "converged");
  EXPECT_EQ(to_string(MinimumStatus::iteration_limit), "iteration_limit");
  EXPECT_EQ(to_string(MinimumStatus::time_limit), "time_limit");
  EXPECT_EQ(to_string(MinimumStatus::precision_limit), "precision_limit");
}

}  // namespace minimum_test
}  // namespace mindgap::design
