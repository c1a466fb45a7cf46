#include "mindgap/gap/value_decomposition.h"

#include <gtest/gtest.h>

#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/world/projection.h"
#include "world/example_e.h"

namespace mindgap::gap {
namespace value_decomposition_test {

namespace example_e = world::example_e;

double sum(const ValueDecomposition& parts) {
  return parts.reward + parts.transition + parts.policy + parts.interaction;
}

// spec/tabular.md 5, E2: the first residual is .45.
TEST(ValueDecomposition, ExampleE2) {
  const mdp::Mdp truth = world::deployment_projection(example_e::model());
  const ValueDecomposition parts = value_decomposition(example_e::simulator(.45), truth);
  EXPECT_NEAR(parts.reward, -1.4767560033, 1e-9);
  EXPECT_NEAR(parts.transition, -.0974808571, 1e-9);
  EXPECT_NEAR(parts.policy, 1.1731965790, 1e-9);
  EXPECT_NEAR(parts.interaction, .1836706134, 1e-9);
  EXPECT_NEAR(sum(parts), parts.optimal - parts.promised, 1e-12);
  EXPECT_LT(parts.error_bound, 1e-8);
}

TEST(ValueDecomposition, NothingBetweenEqualModels) {
  const mdp::Mdp truth = world::deployment_projection(example_e::model());
  const ValueDecomposition parts = value_decomposition(truth, truth);
  EXPECT_EQ(parts.reward, 0);
  EXPECT_EQ(parts.transition, 0);
  EXPECT_EQ(parts.interaction, 0);
  EXPECT_EQ(parts.policy, 0);
}

// One state that stays, two actions; the simulator pays 1 and 0, the truth 0 and 1/2, discount 1/2. The
// simulator's policy promises 2, earns 0; the truth's earns 1.
TEST(ValueDecomposition, RewardOnlyByHand) {
  mdp::MdpArrays arrays;
  arrays.discount = .5;
  arrays.pair_begin = {0, 2};
  arrays.pair_action = {0, 1};
  arrays.row_begin = {0, 1, 2};
  arrays.next_state = {0, 0};
  arrays.probability = {1, 1};
  arrays.reward = {1, 0};
  const mdp::Mdp simulator(arrays);
  const ValueDecomposition parts = value_decomposition(simulator, simulator.with_reward({0, .5}));
  EXPECT_NEAR(parts.promised, 2, 1e-12);
  EXPECT_NEAR(parts.achieved, 0, 1e-12);
  EXPECT_NEAR(parts.optimal, 1, 1e-12);
  EXPECT_NEAR(parts.reward, -2, 1e-12);
  EXPECT_NEAR(parts.transition, 0, 1e-12);
  EXPECT_NEAR(parts.policy, 1, 1e-12);
  EXPECT_NEAR(parts.interaction, 0, 1e-12);
}

TEST(ValueDecomposition, ClosesAndPolicyLossIsNotNegative) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const mdp::Mdp simulator = mdp::random_mdp(seed, {.all_actions = true});
    const mdp::Mdp truth =
        mdp::random_mdp(seed + 1000, {.all_actions = true}).with_start({.1, .2, .3, .4, 0});
    const ValueDecomposition parts = value_decomposition(simulator, truth);
    EXPECT_NEAR(sum(parts), parts.optimal - parts.promised, 1e-12);
    EXPECT_GE(parts.policy, -parts.error_bound);
    // Against solve() and evaluate(), at the truth's start.
    const mdp::Solution own = mdp::solve(simulator.with_start({.1, .2, .3, .4, 0}));
    EXPECT_NEAR(parts.promised, own.value_at_start, 1e-8);
    EXPECT_NEAR(parts.optimal, mdp::solve(truth).value_at_start, 1e-8);
    EXPECT_NEAR(parts.achieved, mdp::evaluate(truth, own.policy).value_at_start, 1e-8);
  }
}

TEST(ValueDecomposition, BadArguments) {
  const mdp::Mdp one = mdp::random_mdp(1, {.all_actions = true});
  EXPECT_THROW(value_decomposition(one, one.with_discount(.8)), InvalidArgument);
  EXPECT_THROW(value_decomposition(one.with_discount(1), one.with_discount(1)), InvalidArgument);
  EXPECT_THROW(value_decomposition(one, mdp::random_mdp(1, {.states = 4, .all_actions = true})),
               InvalidArgument);
}

}  // namespace value_decomposition_test
}  // namespace mindgap::gap
