#include "mindgap/design/routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "design/tiny_models.h"
#include "gap/golden_models.h"
#include "mindgap/base/error.h"
#include "mindgap/design/route_search.h"

namespace mindgap::design {
namespace routes_test {

using mdp::Mdp;

// One state, rooms as actions, one step: a route is a room.
struct RoomsOfWeights {
  explicit RoomsOfWeights(const std::vector<double>& weights, double units)
      : mdp(gap::dense_mdp(.9, {1}, static_cast<std::int32_t>(weights.size()),
                           std::vector<double>(weights.size(), 0.0),
                           std::vector<std::vector<double>>(weights.size(), {1}))),
        objective(gap::PvvWeights{.reward = weights, .transition = std::vector<double>(weights.size(), 0.0)},
                  prior_of(mdp, 1, 1, INFINITY)),
        pilot(finite_occupancies(mdp, {units}, 1)) {}
  Mdp mdp;
  Objective objective;
  std::unique_ptr<Occupancy> pilot;
};

// Weights 9, 4, 1 and 9 units: the optimum has 1 + n in proportion to 3, 2, 1, so n = (5, 3, 1).
TEST(Routes, WholeNumbersAreKept) {
  const RoomsOfWeights rooms({9, 4, 1}, 9);
  const auto design = minimise_by_columns(rooms.objective, *rooms.pilot, {}, {.relative_gap = 1e-9});
  ASSERT_EQ(design.corners.size(), 3);
  const std::vector<std::int32_t> units(9, 0);
  const RouteAssignment result = assign_routes(rooms.objective, *rooms.pilot, design, units);
  EXPECT_EQ(result.counts, (std::vector<double>{5, 3, 1}));
  EXPECT_EQ(result.exchanges, 0);
  EXPECT_NEAR(result.ratio, 1, 1e-8);
  std::int32_t given = 0;
  for (const Route& route : result.routes) {
    given += route.units;
    EXPECT_EQ(route.units, std::count(result.route_of_unit.begin(), result.route_of_unit.end(),
                                      static_cast<std::int32_t>(&route - result.routes.data())));
  }
  EXPECT_EQ(given, 9);
}

// Weights .3, .3, .4 of one unit: the largest remainder gives it to the third room, though the first has the
// most to tell: f = 9/(1+n1) + 4/(1+n2) + 1/(1+n3) falls from 13.5 to 9.5.
TEST(Routes, ExchangesMendTheRemainders) {
  const RoomsOfWeights rooms({9, 4, 1}, 1);
  ColumnGenerationResult design;
  for (std::int32_t k = 0; k < 3; ++k) {
    Corner corner;
    corner.pair = {k};
    corner.counts.assign(3, 0.0);
    corner.counts[k] = 1;
    design.corners.push_back(corner);
  }
  design.weights = {.3, .3, .4};
  design.value = 10;
  const RouteAssignment result =
      assign_routes(rooms.objective, *rooms.pilot, design, std::vector<std::int32_t>{0});
  EXPECT_DOUBLE_EQ(result.value_before_exchanges, 13.5);
  EXPECT_DOUBLE_EQ(result.value, 9.5);
  EXPECT_EQ(result.exchanges, 1);
  EXPECT_EQ(result.route_of_unit[0], 0);
  EXPECT_DOUBLE_EQ(result.ratio, .95);
}

// With at most half a visit of the first room on average the exchange above is not allowed; the second is
// left: 9 + 2 + 1. Where the first is the remainders' choice, it is mended even though f rises.
TEST(Routes, ExchangesKeepToConstraints) {
  const RoomsOfWeights rooms({9, 4, 1}, 1);
  ColumnGenerationResult design;
  for (std::int32_t k = 0; k < 3; ++k) {
    Corner corner;
    corner.pair = {k};
    corner.counts.assign(3, 0.0);
    corner.counts[k] = 1;
    design.corners.push_back(corner);
  }
  design.weights = {.3, .3, .4};
  Constraints constraints;
  constraints.linear.push_back(cost_budget(*rooms.pilot, std::vector<double>{1, 0, 0}, .5));
  const std::vector<std::int32_t> unit{0};
  const RouteAssignment kept = assign_routes(rooms.objective, *rooms.pilot, design, unit, constraints);
  EXPECT_EQ(kept.route_of_unit[0], 1);
  EXPECT_DOUBLE_EQ(kept.value, 12);
  EXPECT_EQ(kept.violations[0], 0);
  design.weights = {.4, .3, .3};
  const RouteAssignment mended = assign_routes(rooms.objective, *rooms.pilot, design, unit, constraints);
  EXPECT_EQ(mended.route_of_unit[0], 1);
  EXPECT_GT(mended.value, mended.value_before_exchanges);
  EXPECT_EQ(mended.violations[0], 0);
}

// A unit in room 0 and one in room 1, which it cannot leave; by hand what each step of "go, then stay" can
// be.
TEST(Routes, TableHasOnlyWhatCanHappen) {
  const Mdp mdp = gap::dense_mdp(.9, {1, 0}, 2, {0, 0, 0, 0}, {{1, 0}, {.5, .5}, {0, 1}, {0, 1}});
  const std::vector<std::int32_t> pair{1, 2, 0, 3}, none;
  EXPECT_EQ(reachable_part(mdp, pair, 2, std::vector<std::int32_t>{0}),
            (std::vector<std::int32_t>{1, -1, 0, 3}));
  EXPECT_EQ(reachable_part(mdp, pair, 2, std::vector<std::int32_t>{1}),
            (std::vector<std::int32_t>{-1, 2, -1, 3}));
  EXPECT_EQ(reachable_part(mdp, pair, 2, none), (std::vector<std::int32_t>{-1, -1, -1, -1}));
}

// Exchanges never raise f, the counts are those of the units on their routes, and no single change would
// help.
TEST(Routes, RandomModels) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Mdp mdp = mdp::random_mdp(seed, {.states = 8, .actions = 3});
    const auto pairs = static_cast<std::size_t>(mdp.pairs());
    const std::vector<std::int32_t> units{3, 1, 3, 3, 0, 7, 1};
    std::vector<double> positions(8, 0.0);
    for (const std::int32_t s : units) positions[s] += 1;
    gap::PvvWeights weights;
    weights.transition.assign(pairs, 0.0);
    for (std::size_t k = 0; k < pairs; ++k)
      weights.reward.push_back(1 + std::sin(static_cast<double>(k + seed)));
    const Objective objective(weights, prior_of(mdp, 1, 1, INFINITY));
    const auto pilot = finite_occupancies(mdp, positions, 4);
    const auto design = minimise_by_columns(objective, *pilot, {}, {.relative_gap = 1e-6});
    const RouteAssignment result = assign_routes(objective, *pilot, design, units);
    EXPECT_LE(result.value, result.value_before_exchanges);
    EXPECT_GE(result.ratio, 1 - 2e-6);
    const auto value_of = [&](const std::vector<std::int32_t>& route_of_unit) {
      std::vector<double> counts(pairs, 0.0);
      for (std::size_t u = 0; u < units.size(); ++u) {
        std::vector<double> alone(8, 0.0);
        alone[units[u]] = 1;
        const auto single = finite_occupancies(mdp, alone, 4);
        std::vector<double> pi(pairs * 4, 0.0);
        const auto& pair = design.corners[route_of_unit[u]].pair;
        for (std::size_t i = 0; i < pair.size(); ++i)
          pi[i / 8 * pairs + static_cast<std::size_t>(pair[i])] = 1;
        const std::vector<double> part = single->counts(pi);
        for (std::size_t k = 0; k < pairs; ++k) counts[k] += part[k];
      }
      return objective.value(counts);
    };
    EXPECT_NEAR(value_of(result.route_of_unit), result.value, 1e-12 * result.value);
    EXPECT_NEAR(std::accumulate(result.counts.begin(), result.counts.end(), 0.0), 28, 1e-10);
    if (seed > 5) continue;
    for (std::size_t u = 0; u < units.size(); ++u) {
      for (std::size_t j = 0; j < design.corners.size(); ++j) {
        auto other = result.route_of_unit;
        other[u] = static_cast<std::int32_t>(j);
        EXPECT_GE(value_of(other), result.value * (1 - 1e-11));
      }
    }
  }
}

// With a unit in every place many times over, whole units cost next to nothing.
TEST(Routes, ManyUnitsCostLittle) {
  const Small small(3);
  std::vector<double> positions(small.pilot->positions().begin(), small.pilot->positions().end());
  std::vector<std::int32_t> units;
  for (std::size_t s = 0; s < positions.size(); ++s) {
    positions[s] *= 200;
    for (int i = 0; i < static_cast<int>(positions[s]); ++i) units.push_back(static_cast<std::int32_t>(s));
  }
  const auto pilot = finite_occupancies(*small.mdp, positions, small.steps);
  const auto design = minimise_by_columns(*small.objective, *pilot, {}, {.relative_gap = 1e-8});
  const RouteAssignment result = assign_routes(*small.objective, *pilot, design, units);
  EXPECT_LT(result.ratio, 1.0001);
  EXPECT_GE(result.ratio, 1 - 1e-7);
}

TEST(Routes, BadArguments) {
  const RoomsOfWeights rooms({9, 4, 1}, 2);
  const auto design = minimise_by_columns(rooms.objective, *rooms.pilot);
  EXPECT_THROW(assign_routes(rooms.objective, *rooms.pilot, design, std::vector<std::int32_t>{0}),
               InvalidArgument);
  EXPECT_THROW(assign_routes(rooms.objective, *rooms.pilot, design, std::vector<std::int32_t>{0, 1}),
               InvalidArgument);
  EXPECT_THROW(assign_routes(rooms.objective, *discounted_occupancies(rooms.mdp, {1}, 5), design,
                             std::vector<std::int32_t>{0}),
               InvalidArgument);
  ColumnGenerationResult broken = design;
  broken.weights.pop_back();
  EXPECT_THROW(assign_routes(rooms.objective, *rooms.pilot, broken, std::vector<std::int32_t>{0, 0}),
               InvalidArgument);
  EXPECT_THROW(reachable_part(rooms.mdp, std::vector<std::int32_t>{7}, 1, {}), InvalidArgument);
}

// The route by backward induction over all states at every step, also those that the unit cannot be in.
std::vector<std::int32_t> route_over_all_states(const Objective& objective, const Occupancy& pilot,
                                                std::vector<double> counts, std::int32_t state) {
  const Mdp& mdp = pilot.mdp();
  const auto states = static_cast<std::size_t>(mdp.states());
  std::vector<std::int32_t> route(states * static_cast<std::size_t>(pilot.steps()), -1);
  std::vector<double> price(counts.size()), position(states);
  position[state] = 1;
  for (std::int64_t t = 0; t < pilot.steps(); ++t) {
    objective.worth_of_one_more(counts, price);
    std::vector<double> after(states), now(states), next(states);
    std::vector<std::int32_t> best(states);
    for (std::int64_t left = 0; left < pilot.steps() - t; ++left) {
      for (std::int32_t s = 0; s < mdp.states(); ++s) {
        now[s] = -INFINITY;
        for (const std::int32_t k : mdp.pairs_of(s)) {
          double q = price[k];
          for (const std::int64_t i : mdp.entries_of(k))
            q += mdp.probability()[i] * after[mdp.next_state()[i]];
          if (q > now[s]) now[s] = q, best[s] = k;
        }
      }
      std::swap(now, after);
    }
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      if (position[s] == 0) continue;
      const std::int32_t k = route[static_cast<std::size_t>(t) * states + static_cast<std::size_t>(s)] =
          best[s];
      counts[k] += position[s];
      for (const std::int64_t i : mdp.entries_of(k))
        next[mdp.next_state()[i]] += position[s] * mdp.probability()[i];
    }
    position = next;
  }
  return route;
}

TEST(Routes, StatesOutOfReachDoNotMatter) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Mdp mdp = mdp::random_mdp(seed, {.states = 30, .successors = 2});
    const auto pairs = static_cast<std::size_t>(mdp.pairs());
    gap::PvvWeights weights;
    for (std::size_t k = 0; k < pairs; ++k) {
      weights.reward.push_back(1 + std::sin(static_cast<double>(seed + 3 * k)));
      weights.transition.push_back(0);
    }
    const Objective objective(weights, prior_of(mdp, .5, 2, 3));
    std::vector<double> positions(30, 0.0);
    positions[4] = 2;
    for (const std::int64_t steps : {1, 2, 5}) {
      const auto pilot = finite_occupancies(mdp, positions, steps);
      const std::vector<double> others(pairs, .3);
      EXPECT_EQ(greedy_route(objective, *pilot, others, 4),
                route_over_all_states(objective, *pilot, others, 4));
    }
  }
}

// Three states in a row; action 0 stays, action 1 goes on. From state 0: on, stay, on; from 1: on, on.
TEST(LikelyWay, FollowsTheLikeliestMoves) {
  const Mdp mdp = gap::dense_mdp(.9, {1, 0, 0}, 2, std::vector<double>(6, 0.0),
                                 {{1, 0, 0}, {.2, .8, 0}, {0, 1, 0}, {0, .3, .7}, {0, 0, 1}, {.4, 0, .6}});
  const Route route{.pair = {1, 3, -1, /**/ -1, 2, 5, /**/ -1, 3, -1}};
  const auto words = [&](std::int32_t state) {
    std::vector<std::pair<std::int32_t, std::int32_t>> legs;
    for (const Leg& leg : likely_way(mdp, route, state)) legs.emplace_back(leg.state, leg.action);
    return legs;
  };
  EXPECT_EQ(words(0), (std::vector<std::pair<std::int32_t, std::int32_t>>{{0, 1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(words(1), (std::vector<std::pair<std::int32_t, std::int32_t>>{{1, 1}, {2, 1}}));
  EXPECT_TRUE(words(2).empty());
}

}  // namespace routes_test
}  // namespace mindgap::design
