#include "mindgap/decide/batch_information.h"

#include <gtest/gtest.h>

#include <cmath>

#include "decide/situations.h"
#include "mdp/engines.h"
#include "mdp/random_models.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::decide {
namespace batch_information_test {

using BatchInformationOn = mdp::OnEngine;
INSTANTIATE_TEST_SUITE_P(Engines, BatchInformationOn, mdp::every_engine(), mdp::name_of_engine);

Situation random_situation(std::uint64_t seed) {
  const mdp::Mdp mdp = mdp::random_mdp(seed, {.states = 30, .actions = 3, .successors = 4, .discount = .95});
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return situation_of(mdp, {std::vector<double>(pairs, .5), std::vector<double>(pairs, 4.0)}, 1, {0, 3, 3},
                      25);
}

// Each model's split is the one that split_information() finds.
TEST_P(BatchInformationOn, IsThatOfModelsOneByOne) {
  const Situation situation = random_situation(21);
  const mdp::Policy deployed = mdp::solve(situation.belief().mean()).policy;
  std::vector<double> positions(30, 0.0);
  positions[0] = 1;
  positions[3] = 2;
  constexpr std::int32_t kModels = 35;
  mdp::ModelBatch batch(engine(), situation.belief().mean(), kModels);
  const base::Threads threads(1);
  situation.belief().sample_batch(batch, 42, 0, threads);
  for (const double discount : {1.0, .95}) {
    for (const double threshold : {1e-4, .03}) {
      const auto splits = split_batch(batch, deployed, positions, 25, discount, threshold, 0);
      const auto values = values_of_batch(batch, deployed, positions, 25, discount);
      double reach = 0;
      for (std::int32_t m = 0; m < kModels; ++m) {
        const mdp::Mdp truth =
            situation.belief().sample(42, static_cast<std::uint64_t>(m)).with_discount(discount);
        const InformationSplit alone = split_information(truth, deployed, positions, 25, threshold, 0);
        const double near = 1e-9 * (1 + std::abs(alone.optimal));
        EXPECT_NEAR(splits[m].deployed, alone.deployed, near) << m;
        EXPECT_NEAR(splits[m].local, alone.local, near) << m;
        EXPECT_NEAR(splits[m].optimal, alone.optimal, near) << m;
        EXPECT_NEAR(values[m].optimal, alone.optimal, near) << m;
        EXPECT_NEAR(values[m].deployed, alone.deployed, near) << m;
        reach += alone.optimal - alone.local;
      }
      EXPECT_TRUE(threshold < 1e-3 || reach > 1);
    }
  }
}

TEST_P(BatchInformationOn, ValueOfInformationIsTheSame) {
  const Situation situation = random_situation(22);
  const mdp::Policy deployed = mdp::solve(situation.belief().mean()).policy;
  for (const Objective objective : {Objective::total, Objective::discounted}) {
    SimulationOptions options;
    Information alone = value_of_information(situation, deployed, objective, 100, options);
    add_draws(alone, situation, deployed, objective, 150, options);
    options.engine = &engine();
    Information batch = value_of_information(situation, deployed, objective, 100, options);
    add_draws(batch, situation, deployed, objective, 150, options);
    EXPECT_EQ(batch.draws, alone.draws);
    ASSERT_EQ(batch.gain.size(), 150);
    const double near = 2e-3 * alone.total.mean;  // the local value is found to a thousandth
    EXPECT_NEAR(batch.total.mean, alone.total.mean, 1e-9);
    EXPECT_NEAR(batch.local.mean, alone.local.mean, near);
    EXPECT_NEAR(batch.reach.mean, alone.reach.mean, near);
    for (std::size_t i = 0; i < 150; ++i) EXPECT_NEAR(batch.gain[i], alone.gain[i], 1e-9) << i;
  }
}

}  // namespace batch_information_test
}  // namespace mindgap::decide
