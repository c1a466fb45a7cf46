#include <gtest/gtest.h>

#include "mdp/random_models.h"
#include "mindgap/design/column_generation.h"
#include "mindgap/design/interior_point.h"
#include "mindgap/mdp/policy.h"

// Two minimisers that share nothing but the criterion: the default one against the interior point.
namespace mindgap::design {
namespace agreement_test {

void expect_agreement(std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const mdp::Mdp mdp = mdp::random_mdp(seed, {.states = 6, .actions = 3, .successors = 2, .discount = .9});
    const auto pairs = static_cast<std::size_t>(mdp.pairs());
    gap::PvvWeights weights = gap::pvv_weights(mdp, mdp::Policy::uniform(mdp));
    gap::Precision prior{std::vector<double>(pairs), std::vector<double>(pairs), std::vector<double>(pairs)};
    for (std::size_t k = 0; k < pairs; ++k) {
      prior.reward_variance[k] = .05 + .1 * static_cast<double>((k + seed) % 4);
      prior.observation_precision[k] = 1 + static_cast<double>(k % 3);
      prior.transition_strength[k] = 2 + static_cast<double>((k * seed) % 5);
    }
    const Objective objective(weights, prior);
    std::vector<double> positions(6, 0.0);
    positions[seed % 6] = 3;
    const auto finite = finite_occupancies(mdp, positions, 4);
    const auto discounted = discounted_occupancies(mdp, positions, 12);
    for (const Occupancy* pilot : {finite.get(), discounted.get()}) {
      const Minimum exact = interior_point(objective, *pilot);
      ColumnGenerationOptions options;
      options.relative_gap = 1e-7;
      const ColumnGenerationResult columns = minimise_by_columns(objective, *pilot, {}, options);
      EXPECT_NEAR(columns.value, exact.value, 1e-6 * exact.value) << seed;
      EXPECT_GE(columns.gap + 1e-9 * exact.value, columns.value - exact.value)
          << seed;  // the gap covers the excess
      // And so does a gap certified early, far from the optimum.
      options.max_iterations = 2;
      const ColumnGenerationResult early = minimise_by_columns(objective, *pilot, {}, options);
      EXPECT_GE(early.gap + 1e-9 * exact.value, early.value - exact.value) << seed;
    }
  }
}

TEST(Agreement, ColumnsAndInteriorPoint) {
  expect_agreement(1, 20);
}

TEST(AgreementLong, ColumnsAndInteriorPoint) {
  expect_agreement(1, 200);
}

}  // namespace agreement_test
}  // namespace mindgap::design
