#include "mindgap/planner/fisher_listing.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/gap/pvv.h"
#include "mindgap/mdp/solve.h"
#include "planner/small_models.h"

namespace mindgap::planner {
namespace fisher_listing_test {

Setting listed_setting(std::int64_t units) {
  return {.belief = belief_of(uneven(), .3, 3, .25), .units = units, .horizon = 60};
}

std::vector<std::int32_t> sop_of(const mdp::Mdp& mdp) {
  const mdp::Policy policy = mdp::solve(mdp).policy;
  const auto pairs = policy.pair_of_state();
  return {pairs.begin(), pairs.end()};
}

// The listing, from the text: d from the start, discounted; n = T d pi; theta's gradient from the resolvent;
// PVV = sum_u d(u) sum_k R[u,s]^2 pi(k)^2 / (1/v_k + n_k tau_k).
double listed_pvv(const mdp::Mdp& mdp, const std::vector<double>& pi, const std::vector<double>& variance,
                  double tau, double counts) {
  const Eigen::Index states = mdp.states();
  Eigen::MatrixXd p = Eigen::MatrixXd::Zero(states, states);
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    for (const std::int64_t i : mdp.entries_of(k))
      p(mdp.state_of_pair(k), mdp.next_state()[i]) += pi[k] * mdp.probability()[i];
  }
  const Eigen::MatrixXd r = (Eigen::MatrixXd::Identity(states, states) - mdp.discount() * p).inverse();
  Eigen::RowVectorXd start(states);
  for (Eigen::Index s = 0; s < states; ++s) start(s) = mdp.start()[s];
  const Eigen::RowVectorXd d = (1 - mdp.discount()) * start * r;
  double sum = 0;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    const std::int32_t s = mdp.state_of_pair(k);
    const double after = 1 / (1 / variance[k] + counts * d(s) * pi[k] * tau);
    for (Eigen::Index u = 0; u < states; ++u) sum += d(u) * std::pow(r(u, s) * pi[k], 2) * after;
  }
  return sum;
}

// With one explorer step from a given state the policy shows in how often actions are taken: among many units
// in state 2, which has three actions, the shares at step 5 (the first after the pilot) are half the
// explorer's and half the exploiting policy's. The explorer must be better by the listing's own criterion
// than uniform.
TEST(FisherListing, TheExplorerIsBetterThanUniformByTheListingsOwnCriterion) {
  const mdp::Mdp mdp = uneven();
  const std::int64_t units = 6000;
  Setting setting = listed_setting(units);
  setting.options.pilot_steps = 0;
  setting.options.explore_probability = 1;
  const auto planner = make_fisher_listing(setting);
  std::vector<std::int32_t> state, pair(static_cast<std::size_t>(units));
  for (std::int64_t u = 0; u < units; ++u) state.push_back(static_cast<std::int32_t>(u % 3));
  planner->choose(0, state, pair);
  std::vector<double> pi(static_cast<std::size_t>(mdp.pairs()), 0.0);
  for (const std::int32_t k : pair) pi[k] += 3.0 / static_cast<double>(units);
  std::vector<double> uniform;
  uniform.reserve(static_cast<std::size_t>(mdp.pairs()));
  for (std::int32_t k = 0; k < mdp.pairs(); ++k)
    uniform.push_back(1.0 / static_cast<double>(mdp.pairs_of(mdp.state_of_pair(k)).size()));
  // 1/I_0 = v/kappa_0, kappa_0 = 1 + 19 c g: c is near 1 where rollouts draw what is stated, and g only
  // positive at the simulator's policy, which half of them follow.
  const std::vector<double> sensitivity = gap::pvv_weights(mdp, mdp::solve(mdp).policy).reward;
  const double largest = *std::max_element(sensitivity.begin(), sensitivity.end());
  std::vector<double> variance;
  variance.reserve(sensitivity.size());
  for (const double g : sensitivity) variance.push_back(.25 / (1 + 19 * g / largest));
  EXPECT_LT(listed_pvv(mdp, pi, variance, 4, 10), .95 * listed_pvv(mdp, uniform, variance, 4, 10));
}

TEST(FisherListing, EverybodyIsOnTheRandomPilotThenOnCoins) {
  Setting setting = listed_setting(300);
  const auto planner = make_fisher_listing(setting);
  const std::vector<std::int32_t> state(300, 2);
  const std::int32_t first = uneven().pair_begin()[2];
  for (std::int64_t t = 0; t < 21; ++t) {
    std::vector<std::int32_t> pair(300, -1);
    planner->choose(t, state, pair);
    std::vector<int> count(3, 0);
    for (const std::int32_t k : pair) ++count[static_cast<std::size_t>(k - first)];
    if (t < 5) {
      for (const int n : count) EXPECT_NEAR(n, 100, 35) << t;  // 4 standard deviations
    }
    if (t == 20) {
      EXPECT_EQ(*std::max_element(count.begin(), count.end()), 300);  // all exploit
    }
    planner->observe(t, {state, pair, std::vector<double>(300, .1), state});
  }
}

TEST(FisherListing, OfDedicatedExplorersNobodyElseLeavesTheSimulatorsPolicy) {
  const std::vector<std::int32_t> sop = sop_of(uneven());
  for (const auto& make : {make_fisher_listing_explorers, make_fisher_trace}) {
    const auto planner = make(listed_setting(100));
    const std::vector<std::int32_t> state(100, 2);
    bool explored = false;
    for (std::int64_t t = 0; t < 15; ++t) {
      std::vector<std::int32_t> pair(100, -1);
      planner->choose(t, state, pair);
      for (std::size_t u = 15; u < 100; ++u) EXPECT_EQ(pair[u], sop[2]);
      for (std::size_t u = 0; u < 15; ++u) explored = explored || pair[u] != sop[2];
      planner->observe(t, {state, pair, std::vector<double>(100, .1), state});
    }
    EXPECT_TRUE(explored);
  }
}

// Rows are Dirichlet(1 + 2 p): before data the mean row of a chain of 40 states is uniform but for 2 of 42
// parts, so that in the posterior-mean model where an action leads hardly matters and the action that pays
// most at once is taken; the simulator's policy waits for the end.
TEST(FisherListing, ThePriorOfOnesForgetsWhereActionsLead) {
  const std::int32_t states = 40;
  mdp::MdpBuilder builder(.95, states, 2);
  for (std::int32_t s = 0; s < states; ++s) {
    builder.set_reward(s, 0, s == states - 1 ? 1 : 0);     // goes on
    builder.set_reward(s, 1, s == states - 1 ? 0 : .001);  // stays
    builder.add_transition(s, 0, std::min(s + 1, states - 1), 1);
    builder.add_transition(s, 1, s, 1);
  }
  const mdp::Mdp mdp = builder.build();
  ASSERT_EQ(mdp.pair_action()[sop_of(mdp)[0]], 0);
  Setting setting{.belief = belief_of(mdp, .3, 1e9, 1e6), .units = 1, .horizon = 60};
  setting.options.pilot_steps = setting.options.explore_steps = 0;
  const auto planner = make_fisher_listing(setting);
  std::vector<std::int32_t> pair(1, -1);
  const std::vector<std::int32_t> state = {0};
  planner->choose(0, state, pair);
  EXPECT_EQ(mdp.pair_action()[pair[0]], 0);  // the listing begins with the simulator's policy
  planner->observe(0, {state, pair, std::vector<double>{0}, std::vector<std::int32_t>{1}});
  planner->choose(1, state, pair);  // and looks after step 0
  EXPECT_EQ(mdp.pair_action()[pair[0]], 1);
}

TEST(FisherListing, RefusesLargeModels) {
  mdp::MdpBuilder builder(.9, kMostListedStates + 1, 1);
  for (std::int32_t s = 0; s <= kMostListedStates; ++s) {
    builder.set_reward(s, 0, 0);
    builder.add_transition(s, 0, s, 1);
  }
  EXPECT_THROW(make_fisher_listing({.belief = belief_of(builder.build(), 1, 1, 1), .units = 1, .horizon = 2}),
               InvalidArgument);
}

}  // namespace fisher_listing_test
}  // namespace mindgap::planner
