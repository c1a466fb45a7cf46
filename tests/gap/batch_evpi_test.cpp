#include "mindgap/gap/batch_evpi.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gap/golden_models.h"
#include "mdp/engines.h"
#include "mdp/random_models.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {
namespace batch_evpi_test {

using BatchEvpiOn = mdp::OnEngine;
INSTANTIATE_TEST_SUITE_P(Engines, BatchEvpiOn, mdp::every_engine(), mdp::name_of_engine);

belief::Belief belief_of(const mdp::Mdp& mdp, double sd, double strength) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {mdp,
          {std::vector<double>(pairs, sd), std::vector<double>(pairs, strength)},
          std::vector<double>(pairs, 1.0)};
}

// The models one by one are the oracle: local and reach apart, where many states are practically unreached.
TEST_P(BatchEvpiOn, IsThatOfModelsOneByOne) {
  for (const double threshold : {1e-4, .02}) {
    const mdp::Mdp mdp = mdp::random_mdp(11, {.states = 40, .actions = 3, .successors = 4, .discount = .93});
    const belief::Belief belief = belief_of(mdp, .3, 4);
    const mdp::Policy sop = mdp::solve(mdp).policy;
    EvpiOptions options{.draws = 50, .support_threshold = threshold};
    const Evpi alone = expected_value_of_perfect_information(belief, sop, options);
    options.engine = &engine();
    const Evpi batch = expected_value_of_perfect_information(belief, sop, options);
    const double near = 1e-7;
    EXPECT_EQ(batch.draws, 50);
    EXPECT_NEAR(batch.total.mean, alone.total.mean, near);
    EXPECT_NEAR(batch.total.standard_error, alone.total.standard_error, near);
    const double part = 1e-4 * alone.total.mean + near;  // the local value is found to so much
    EXPECT_NEAR(batch.local.mean, alone.local.mean, part);
    EXPECT_NEAR(batch.reach.mean, alone.reach.mean, part);
    EXPECT_NEAR(batch.local.standard_error, alone.local.standard_error, part);
    if (threshold > 1e-3) {
      EXPECT_GT(alone.reach.mean, .01);
      EXPECT_GT(alone.local.mean, .01);
    }
    EXPECT_LE(batch.error_bound, 1e-4 * alone.total.mean * 5);
    for (std::size_t s = 0; s < 40; ++s)
      EXPECT_NEAR(batch.optimal_visitation[s], alone.optimal_visitation[s], 1e-7);
  }
}

// With a small discount few steps matter, and each of them does: a share of 1e-7 of the visits may be left
// out.
TEST_P(BatchEvpiOn, SmallDiscounts) {
  for (const double discount : {0.0, .0999}) {
    const mdp::Mdp mdp =
        mdp::random_mdp(14, {.states = 10, .actions = 3, .successors = 3, .discount = discount});
    const belief::Belief belief = belief_of(mdp, .3, 4);
    const mdp::Policy sop = mdp::solve(mdp).policy;
    EvpiOptions options{.draws = 20};
    const Evpi alone = expected_value_of_perfect_information(belief, sop, options);
    options.engine = &engine();
    const Evpi batch = expected_value_of_perfect_information(belief, sop, options);
    EXPECT_NEAR(batch.total.mean, alone.total.mean, 1e-9);
    double left_out = 0;
    for (std::size_t s = 0; s < 10; ++s)
      left_out += std::abs(batch.optimal_visitation[s] - alone.optimal_visitation[s]);
    EXPECT_LE(left_out, 1e-7);
  }
}

// A room behind a door: all is reach.
TEST_P(BatchEvpiOn, WhatLiesBehindADoorIsReach) {
  const mdp::Mdp mdp = dense_mdp(.8, {1, 0}, 2, {1, 1, .5, .5}, {{1, 0}, {0, 1}, {0, 1}, {0, 1}});
  const belief::Belief belief(mdp, {{0, 0, 1, 1}, {1, 1, 1, 1}}, {1, 1, 1, 1});
  const Evpi evpi = expected_value_of_perfect_information(belief, mdp::solve(mdp).policy,
                                                          {.draws = 400, .engine = &engine()});
  EXPECT_NEAR(evpi.local.mean, 0, 1e-4 * evpi.total.mean);
  EXPECT_GT(evpi.reach.mean, 5 * evpi.reach.standard_error);
}

// Memory for few models: parts of the draws, with the same result.
TEST(BatchEvpi, PartsMakeNoDifference) {
  const mdp::Mdp mdp = mdp::random_mdp(12, {.states = 15, .actions = 3, .successors = 3});
  const belief::Belief belief = belief_of(mdp, .3, 4);
  const mdp::Policy sop = mdp::solve(mdp).policy;
  static MindgapEngine small = *engine::host_engine();
  small.capacity = [](const MindgapShape*) -> std::int64_t { return 32; };
  const Evpi whole = batch_evpi(belief, sop, 70, {.engine = engine::host_engine()});
  const Evpi parts = batch_evpi(belief, sop, 70, {.engine = &small});
  EXPECT_EQ(whole.total.mean, parts.total.mean);
  EXPECT_EQ(whole.reach.standard_error, parts.reach.standard_error);
  for (std::size_t s = 0; s < 15; ++s)
    EXPECT_NEAR(whole.optimal_visitation[s], parts.optimal_visitation[s], 1e-14);
}

TEST(BatchEvpi, RefusesWhatItCannotDo) {
  const mdp::Mdp mdp = mdp::random_mdp(13, {});
  const belief::Belief belief = belief_of(mdp, .3, 4);
  EXPECT_THROW(batch_evpi(belief, mdp::Policy::uniform(mdp), 4, {.engine = engine::host_engine()}),
               InvalidArgument);
}

}  // namespace batch_evpi_test
}  // namespace mindgap::gap
