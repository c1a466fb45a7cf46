#include "mindgap/gap/simulation_lemma.h"

#include <gtest/gtest.h>

#include "mindgap/base/error.h"

namespace mindgap::gap {
namespace simulation_lemma_test {

// spec/tabular.md 5, example E: eps_r .1133333333, eps_p .098, Rmax 1, discount .9.
TEST(SimulationLemma, ExampleE) {
  const ModelError error{.34 / 3, .098};
  EXPECT_NEAR(simulation_lemma_bound(error, 1, .9), 5.5433333, 1e-7);
  EXPECT_NEAR(simulation_lemma_bound_paper(error, 1, .9), 19.9066667, 1e-7);
}

// One state that pays 1 and stays against one that leaves for an absorbing 0 with probability q: V = 1/(1-g)
// and 1/(1-g(1-q)). As q -> 0 the difference is g q / (1-g)^2, and eps_p = 2q: the bound is attained.
TEST(SimulationLemma, IsSharpForSmallErrors) {
  const double g = .9, q = 1e-6;
  const double difference = 1 / (1 - g) - 1 / (1 - g * (1 - q));
  EXPECT_NEAR(simulation_lemma_bound({0, 2 * q}, 1, g) / difference, 1, 1e-4);
}

TEST(SimulationLemma, RewardsOfEitherSignDoubleTheSecondTerm) {
  EXPECT_DOUBLE_EQ(simulation_lemma_bound({0, .1}, 1, .9, RewardSign::any),
                   2 * simulation_lemma_bound({0, .1}, 1, .9));
  EXPECT_DOUBLE_EQ(simulation_lemma_bound({.1, 0}, 1, .9, RewardSign::any),
                   simulation_lemma_bound({.1, 0}, 1, .9));
}

TEST(SimulationLemma, BadArguments) {
  EXPECT_THROW(simulation_lemma_bound({-1, 0}, 1, .9), InvalidArgument);
  EXPECT_THROW(simulation_lemma_bound({0, 2.1}, 1, .9), InvalidArgument);
  EXPECT_THROW(simulation_lemma_bound({0, 0}, -1, .9), InvalidArgument);
  EXPECT_THROW(simulation_lemma_bound({0, 0}, 1, 1), InvalidArgument);
  EXPECT_THROW(simulation_lemma_bound_paper({0, 0}, 1, 1.5), InvalidArgument);
}

}  // namespace simulation_lemma_test
}  // namespace mindgap::gap
