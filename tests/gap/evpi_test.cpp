#include "mindgap/gap/evpi.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gap/golden_models.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/gap/delta_check.h"
#include "mindgap/gap/gap_decomposition.h"
#include "mindgap/gap/stateless.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {
namespace evpi_test {

using belief::Belief;
using mdp::Mdp;
using mdp::Policy;

Belief even_belief(const Mdp& mdp, double sd, double strength) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {mdp,
          {std::vector<double>(pairs, sd), std::vector<double>(pairs, strength)},
          std::vector<double>(pairs, 1.0)};
}

// One state, two actions with mean rewards d0 and 0 for ever: knowing the truth is worth
// E[max(theta_1, theta_2) - theta_1] / (1-g) = sqrt(2) s psi(d0 / (sqrt(2) s)) / (1-g), all of it local.
TEST(Evpi, OneStateInClosedForm) {
  const Mdp mdp = dense_mdp(.5, {1}, 2, {.3, 0}, {{1}, {1}});
  const Belief belief = even_belief(mdp, .4, 5);
  const Policy sop = mdp::solve(mdp).policy;
  const Evpi evpi = expected_value_of_perfect_information(belief, sop, {.draws = 4000});
  const double spread = std::sqrt(2.0) * .4;
  const double exact = spread * unit_normal_loss(.3 / spread) / (1 - .5);
  EXPECT_NEAR(evpi.total.mean, exact, 4 * evpi.total.standard_error);
  EXPECT_LT(evpi.total.standard_error, .05 * exact);
  EXPECT_EQ(evpi.reach.mean, 0);
  EXPECT_EQ(evpi.local.mean, evpi.total.mean);
}

// Two rooms without a way back: at home action 0 stays and action 1 leaves for a room of unknown reward. What
// is not known lies in the room alone: all of the value of information is reach.
TEST(Evpi, WhatLiesBehindADoorIsReach) {
  const Mdp mdp = dense_mdp(.8, {1, 0}, 2, {1, 1, .5, .5}, {{1, 0}, {0, 1}, {0, 1}, {0, 1}});
  const Belief belief(mdp, {{0, 0, 1, 1}, {1, 1, 1, 1}}, {1, 1, 1, 1});
  const Evpi evpi = expected_value_of_perfect_information(belief, mdp::solve(mdp).policy, {.draws = 2000});
  EXPECT_NEAR(evpi.local.mean, 0, 1e-12);
  EXPECT_GT(evpi.reach.mean, 10 * evpi.reach.standard_error);
}

TEST(Evpi, SplitAddsUpAndDoesNotDependOnThreads) {
  const Mdp mdp = mdp::random_mdp(11, {.states = 40, .actions = 3, .successors = 4});
  const Belief belief = even_belief(mdp, .3, 4);
  const Policy sop = mdp::solve(mdp).policy;
  const Evpi one = expected_value_of_perfect_information(belief, sop, {.draws = 60, .run = {.threads = 1}});
  const Evpi two = expected_value_of_perfect_information(belief, sop, {.draws = 60, .run = {.threads = 2}});
  EXPECT_EQ(one.total.mean, two.total.mean);
  EXPECT_EQ(one.reach.standard_error, two.reach.standard_error);
  EXPECT_NEAR(one.local.mean + one.reach.mean, one.total.mean, 1e-12);
  EXPECT_LT(one.error_bound, 1e-6);
  // Each draw is the decomposition of that drawn model.
  double total = 0;
  for (std::uint64_t draw = 0; draw < 60; ++draw) {
    const Mdp model = belief.sample(42, draw);
    total += (mdp::solve(model).value_at_start - mdp::evaluate(model, sop).value_at_start) / 60;
  }
  EXPECT_NEAR(one.total.mean, total, 1e-6);
}

TEST(Evpi, DefaultDrawsShrinkWithTheModel) {
  EXPECT_EQ(default_draws(m3()), 1000);
  EXPECT_EQ(default_draws(
                mdp::random_mdp(1, {.states = 20000, .actions = 2, .successors = 5, .all_actions = true})),
            100);
}

// Known transitions make the value linear in the rewards: the delta method is exact.
TEST(DeltaCheck, ExactWhereTheValueIsLinear) {
  const Mdp mdp = m3();
  const DeltaCheck check = delta_method_check(even_belief(mdp, .5, 1e12), m3_target(mdp), {.draws = 4000});
  EXPECT_NEAR(check.ratio, 1, 4 * check.ratio_standard_error);
  EXPECT_LT(check.ratio_standard_error, .05);
}

// Weak rows: the Dirichlet's covariance is (diag p - pp')/(alpha+1), not /alpha, and second-order terms
// matter.
TEST(DeltaCheck, SeesThatItIsNotExactForWeakRows) {
  const Mdp mdp = m3();
  const DeltaCheck check = delta_method_check(even_belief(mdp, .01, .5), m3_target(mdp), {.draws = 4000});
  EXPECT_GT(std::abs(check.ratio - 1), 6 * check.ratio_standard_error);
}

// Nothing varies where everything is known: there is nothing to compare.
TEST(DeltaCheck, OfWhatIsKnown) {
  const Mdp mdp = dense_mdp(.5, {1}, 2, {1, 0}, {{1}, {1}});
  const DeltaCheck check = delta_method_check(even_belief(mdp, 0, 1), Policy::uniform(mdp), {.draws = 4});
  EXPECT_EQ(check.variance.mean, 0);
  EXPECT_EQ(check.ratio, 1);
  EXPECT_EQ(check.ratio_standard_error, 0);
}

TEST(Evpi, BadArguments) {
  const Mdp mdp = m3();
  EXPECT_THROW(
      expected_value_of_perfect_information(even_belief(mdp, 1, 1), Policy::uniform(mdp), {.draws = -1}),
      InvalidArgument);
  EXPECT_THROW(delta_method_check(even_belief(mdp, 1, 1), Policy::uniform(mdp), {.draws = 1}),
               InvalidArgument);
}

}  // namespace evpi_test
}  // namespace mindgap::gap
