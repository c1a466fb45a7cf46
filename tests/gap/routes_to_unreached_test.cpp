#include "mindgap/gap/routes_to_unreached.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {
namespace routes_to_unreached_test {

using mdp::Mdp;
using mdp::Policy;

constexpr std::int32_t kStay = 0, kRight = 1;

// Discount 1/2, start in 0. `right` leads along 0 - 1 - 2 - 3 and fails every other time; `stay` pays 1 in
// state 0 only. From 0, staying slips to 5 once in a million, from where all goes back. 4 is an island.
Mdp corridor() {
  mdp::MdpBuilder builder(.5);
  for (int s = 0; s < 6; ++s) builder.add_state("s" + std::to_string(s), {.start = s == 0 ? 1 : 0});
  builder.add_action("stay");
  builder.add_action("right");
  for (int s = 0; s < 6; ++s) builder.set_reward(s, kStay, s == 0 ? 1 : 0);
  builder.add_transition(0, kStay, 0, 1 - 1e-6);
  builder.add_transition(0, kStay, 5, 1e-6);
  for (int s = 1; s < 5; ++s) builder.add_transition(s, kStay, s, 1);
  builder.add_transition(5, kStay, 0, 1);
  for (int s = 0; s < 3; ++s) {
    builder.set_reward(s, kRight, 0);
    builder.add_transition(s, kRight, s, .5);
    builder.add_transition(s, kRight, s + 1, .5);
  }
  return builder.build();
}

// The policy stays. V(0) = 2 but for the slip, Q(0,right) = (1/2)(1/2)V(0) = 1/2, so an attempt loses 3/2 and
// it takes two: 3. From there on V = Q = 0: two attempts a step and nothing to lose.
TEST(Routes, CorridorByHand) {
  const Mdp mdp = corridor();
  const Routes routes = routes_to_unreached(mdp, Policy::deterministic(mdp, {0, 2, 4, 6, 7, 8}));
  ASSERT_EQ(routes.unreached.size(), 5);  // all but 0
  EXPECT_EQ(routes.threshold, mdp::kSupportThreshold);
  for (std::int32_t s = 1; s <= 3; ++s) {
    const Route& route = routes.unreached[s - 1];
    EXPECT_EQ(route.state, s);
    EXPECT_TRUE(route.possible);
    EXPECT_FALSE(route.possible_under_policy);
    EXPECT_TRUE(route.found);
    EXPECT_NEAR(route.loss, 3, 1e-5);
    EXPECT_DOUBLE_EQ(route.expected_steps, 2 * s);
    EXPECT_EQ(route.previous, s - 1);
  }
  EXPECT_EQ(routes.path(3), (std::vector<RouteStep>{{0, kRight}, {1, kRight}, {2, kRight}}));
}

TEST(Routes, IslandIsImpossibleAndSlipIsRare) {
  const Mdp mdp = corridor();
  const Routes routes = routes_to_unreached(mdp, Policy::deterministic(mdp, {0, 2, 4, 6, 7, 8}));
  const Route &island = routes.unreached[3], &slip = routes.unreached[4];
  EXPECT_EQ(island.state, 4);
  EXPECT_FALSE(island.possible);
  EXPECT_FALSE(island.found);
  EXPECT_TRUE(routes.path(4).empty());
  EXPECT_EQ(slip.state, 5);
  EXPECT_TRUE(slip.possible_under_policy);
  EXPECT_EQ(slip.loss, 0);  // what the policy does anyway
  EXPECT_NEAR(slip.expected_steps, 1e6, 1e-3);
  EXPECT_EQ(routes.path(5), (std::vector<RouteStep>{{0, kStay}}));
  EXPECT_THROW(routes.path(0), InvalidArgument);
  EXPECT_THROW(routes.path(6), InvalidArgument);
}

// Transitions (state, action, next) of probability 1; all rewards 0 but those of `reward`.
Mdp deterministic_model(std::int32_t states, const std::vector<std::array<std::int32_t, 3>>& moves,
                        const std::vector<double>& reward) {
  mdp::MdpBuilder builder(.5, states, 3);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    builder.set_reward(moves[i][0], moves[i][1], reward[i]);
    builder.add_transition(moves[i][0], moves[i][1], moves[i][2], 1);
  }
  return builder.build();
}

mdp::Reach visited_only(const Mdp& mdp, const std::vector<std::int32_t>& visited) {
  const auto states = static_cast<std::size_t>(mdp.states());
  mdp::Reach reach{.threshold = 1e-4, .share = std::vector<double>(states, 0.0)};
  reach.possible.assign(states, 0);
  for (const std::int32_t s : visited) {
    reach.share[s] = 1.0 / static_cast<double>(visited.size());
    reach.possible[s] = 1;
  }
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (!reach.possible[s]) reach.unreached.push_back(s);
  }
  return reach;
}

// 0 -> 3 at once costs 1; 0 -> 1 -> 2 -> 3 takes three steps and costs nothing, and is preferred, unless a
// loss of 1 is within the tolerance (a share of 1/(1-g) = 2).
TEST(Routes, LossComesBeforeSteps) {
  const Mdp mdp = deterministic_model(4, {{0, 0, 0}, {0, 1, 1}, {0, 2, 3}, {1, 0, 2}, {2, 0, 3}, {3, 0, 3}},
                                      {0, 0, -1, 0, 0, 0});
  const std::vector<double> value(4, 0.0);
  const mdp::Reach reach = visited_only(mdp, {0});
  EXPECT_EQ(routes_to_unreached(mdp, reach, value).path(3), (std::vector<RouteStep>{{0, 1}, {1, 0}, {2, 0}}));
  const Routes tolerant = routes_to_unreached(mdp, reach, value, {.tie_tolerance = .5});
  EXPECT_EQ(tolerant.tie_tolerance, 1);
  EXPECT_EQ(tolerant.path(3), (std::vector<RouteStep>{{0, 2}}));
}

// Two ways 0 -> 1 -> 3 and 0 -> 2 -> 3, equal in all: by the lower state, and by the lower of equal actions.
TEST(Routes, TiesGoToTheLowerStateAndAction) {
  const Mdp mdp = deterministic_model(
      4, {{0, 0, 0}, {0, 1, 2}, {0, 2, 1}, {1, 0, 1}, {1, 1, 3}, {1, 2, 3}, {2, 0, 3}, {3, 0, 3}},
      std::vector<double>(8, 0.0));
  const Routes routes = routes_to_unreached(mdp, visited_only(mdp, {0}), std::vector<double>(4, 0.0));
  EXPECT_EQ(routes.path(3), (std::vector<RouteStep>{{0, 2}, {1, 1}}));
}

// State 2 can be entered from state 1 alone, where the start is too rare to count as visited.
TEST(Routes, PossibleWithoutARoute) {
  const Mdp mdp = deterministic_model(3, {{0, 0, 0}, {1, 0, 0}, {1, 1, 2}, {2, 0, 2}}, {1, 0, 0, 0})
                      .with_start({1 - 1e-6, 1e-6, 0});
  const Routes routes = routes_to_unreached(mdp, Policy::deterministic(mdp, {0, 1, 3}));
  ASSERT_EQ(routes.unreached.size(), 2);
  EXPECT_TRUE(routes.unreached[0].possible_under_policy);
  EXPECT_FALSE(routes.unreached[0].found);
  EXPECT_TRUE(routes.unreached[1].possible);
  EXPECT_FALSE(routes.unreached[1].possible_under_policy);
  EXPECT_FALSE(routes.unreached[1].found);
}

using LossAndSteps = std::pair<double, double>;

// Sweeps over all transitions until nothing improves.
std::vector<LossAndSteps> bellman_ford(const Mdp& mdp, const std::vector<std::int32_t>& unreached,
                                       const std::vector<double>& value, double tolerance) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<LossAndSteps> cost(static_cast<std::size_t>(mdp.states()), {0, 0});
  for (const std::int32_t s : unreached) cost[s] = {infinity, infinity};
  const std::vector<double> q = mdp::action_values(mdp, value);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      const std::int32_t s = mdp.state_of_pair(k);
      const double loss = value[s] - q[k] > tolerance ? value[s] - q[k] : 0;
      for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
        const double p = mdp.probability()[i];
        const LossAndSteps offer{cost[s].first + loss / p, cost[s].second + 1 / p};
        if (offer < cost[mdp.next_state()[i]]) {
          cost[mdp.next_state()[i]] = offer;
          changed = true;
        }
      }
    }
  }
  return cost;
}

TEST(Routes, AgreeWithBellmanFord) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::int32_t states = 5 + static_cast<std::int32_t>(seed % 40);
    std::vector<double> start(static_cast<std::size_t>(states), 0.0);
    start[0] = 1;
    const Mdp mdp =
        mdp::random_mdp(seed, {.states = states, .actions = 3, .successors = 2}).with_start(start);
    const mdp::Solution solution = mdp::solve(mdp);
    const mdp::Reach reach = mdp::policy_reach(mdp, solution.policy, .01);
    const Routes routes = routes_to_unreached(mdp, reach, solution.value);
    const auto wanted = bellman_ford(mdp, reach.unreached, solution.value, routes.tie_tolerance);
    ASSERT_EQ(routes.unreached.size(), reach.unreached.size());
    for (const Route& route : routes.unreached) {
      const auto place = ::testing::Message() << "seed " << seed << " state " << route.state;
      EXPECT_EQ(route.found, wanted[route.state].first < std::numeric_limits<double>::infinity()) << place;
      EXPECT_EQ(route.found, route.possible) << place;  // with a single start state
      if (!route.found) continue;
      EXPECT_NEAR(route.loss, wanted[route.state].first, 1e-9 * (1 + route.loss)) << place;
      EXPECT_NEAR(route.expected_steps, wanted[route.state].second, 1e-9 * route.expected_steps) << place;
      const std::vector<RouteStep> path = routes.path(route.state);
      ASSERT_FALSE(path.empty()) << place;
      EXPECT_GE(reach.share[path.front().state], .01) << place;
      for (const RouteStep& step : path) EXPECT_GE(mdp.find_pair(step.state, step.action), 0) << place;
      ++compared;
    }
  }
  EXPECT_GT(compared, 500);
}

// Optimality of a large one by its certificate: no transition offers less than what its end has.
TEST(Routes, HundredThousandStates) {
  const Mdp mdp = mdp::random_mdp(9, {.states = 100'000, .actions = 2, .successors = 3, .all_actions = true});
  const Routes routes =
      routes_to_unreached(mdp, visited_only(mdp, {0, 17, 4711}), std::vector<double>(100'000, 0.0));
  ASSERT_EQ(routes.unreached.size(), 100'000 - 3);
  std::vector<LossAndSteps> cost(100'000, {0, 0});
  for (const Route& route : routes.unreached) {
    cost[route.state] = route.found ? LossAndSteps{route.loss, route.expected_steps}
                                    : LossAndSteps{std::numeric_limits<double>::infinity(), 0};
  }
  std::int64_t violated = 0;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    const double loss = std::max(0.0, -mdp.reward()[k]);
    const LossAndSteps from = cost[mdp.state_of_pair(k)];
    for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
      const double p = mdp.probability()[i];
      const LossAndSteps offer{from.first + loss / p, from.second + 1 / p};
      if (offer < cost[mdp.next_state()[i]]) ++violated;
    }
  }
  EXPECT_EQ(violated, 0);
}

// A chain in which every state but the first is unreached: the tree is linear in size, a path is made on
// demand.
TEST(Routes, LongChain) {
  const std::int32_t states = 20'000;
  mdp::MdpBuilder builder(.5, states, 1);
  for (std::int32_t s = 0; s < states; ++s) {
    builder.set_reward(s, 0, 0);
    builder.add_transition(s, 0, std::min(s + 1, states - 1), 1);
  }
  const Mdp mdp = builder.build();
  const Routes routes = routes_to_unreached(mdp, visited_only(mdp, {0}), std::vector<double>(states, 0.0));
  EXPECT_EQ(routes.path(states - 1).size(), states - 1);
  EXPECT_EQ(routes.unreached.back().expected_steps, states - 1);
}

TEST(Routes, BadArguments) {
  const Mdp mdp = corridor();
  const mdp::Reach good = visited_only(mdp, {0});
  const std::vector<double> value(6, 0.0);
  EXPECT_THROW(routes_to_unreached(mdp, good, std::vector<double>(5, 0.0)), InvalidArgument);
  EXPECT_THROW(routes_to_unreached(mdp, good, std::vector<double>(6, std::nan(""))), InvalidArgument);
  EXPECT_THROW(routes_to_unreached(mdp, good, value, {.tie_tolerance = -1}), InvalidArgument);
  EXPECT_THROW(routes_to_unreached(mdp.with_discount(1), good, value), InvalidArgument);
  mdp::Reach bad = good;
  bad.share.pop_back();
  EXPECT_THROW(routes_to_unreached(mdp, bad, value), InvalidArgument);
  bad = good;
  bad.possible.pop_back();
  EXPECT_THROW(routes_to_unreached(mdp, bad, value), InvalidArgument);
  bad = good;
  bad.unreached.push_back(6);
  EXPECT_THROW(routes_to_unreached(mdp, bad, value), InvalidArgument);
}

TEST(Positivity, ListsWhatTheTargetSeesAlone) {
  const std::vector<double> target{.5, .4, .1 - 1e-6, 1e-6}, deployed{.9, 1e-6, .1 - 1e-6, 0};
  EXPECT_EQ(positivity_violations(target, deployed), (std::vector<std::int32_t>{1}));
  EXPECT_FALSE(positivity_holds(target, deployed));
  EXPECT_EQ(positivity_violations(target, deployed, 0), (std::vector<std::int32_t>{3}));
  EXPECT_TRUE(positivity_holds(deployed, target));
  EXPECT_TRUE(positivity_holds(target, target, 0));
  EXPECT_THROW(positivity_holds(target, std::vector<double>{1}), InvalidArgument);
  EXPECT_THROW(positivity_holds(std::vector<double>{-1}, std::vector<double>{1}), InvalidArgument);
  EXPECT_THROW(positivity_holds(std::vector<double>{1}, std::vector<double>{std::nan("")}), InvalidArgument);
  EXPECT_THROW(positivity_holds(target, deployed, 2), InvalidArgument);
}

}  // namespace routes_to_unreached_test
}  // namespace mindgap::gap
