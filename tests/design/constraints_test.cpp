#include "mindgap/design/constraints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <string>

#include "design/tiny_models.h"
#include "gap/golden_models.h"
#include "mindgap/base/error.h"
#include "mindgap/design/column_generation.h"
#include "mindgap/design/column_master.h"
#include "mindgap/design/constraint_rows.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::design {
namespace constraints_test {

using mdp::Mdp;
using mdp::Policy;

const ColumnGenerationOptions kTight{.relative_gap = 1e-9};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing thrown";
}

// Rooms A and B: "go" (pair 1) leads from A to B, the others stay. Rewards A 1, B .25.
struct Rooms {
  static mdp::Mdp make() {
    mdp::MdpArrays arrays;
    arrays.discount = .9;
    arrays.start = {1, 0};
    arrays.pair_begin = {0, 2, 4};
    arrays.pair_action = {0, 1, 0, 1};
    arrays.row_begin = {0, 1, 2, 3, 4};
    arrays.next_state = {0, 1, 1, 1};
    arrays.probability = {1, 1, 1, 1};
    arrays.reward = {1, 1, .25, .25};
    arrays.labels.states = mdp::NameTable({"a", "b"});
    arrays.labels.groups = mdp::NameTable({"A", "B"});
    arrays.labels.group_of_state = {0, 1};
    return Mdp(std::move(arrays));
  }
  Mdp mdp = make();
  Objective objective{gap::PvvWeights{.reward = {1, 1, 1, 1}, .transition = {0, 0, 0, 0}},
                      prior_of(mdp, 1, 1, INFINITY)};
  std::unique_ptr<Occupancy> pilot = finite_occupancies(mdp, {4, 0}, 3);  // 12 unit steps, at most 8 in B
  auto solve(const Constraints& constraints) const {
    return minimise_by_columns(objective, *pilot, constraints, kTight);
  }
  double share_b(const std::vector<double>& n) const { return (n[2] + n[3]) / 12; }
};

TEST(Constraints, RowsByHand) {
  const Rooms rooms;
  const std::vector<double> n{1, 2, 3, 4};
  const LinearConstraint least = minimum_share(*rooms.pilot, "B", .25);
  EXPECT_EQ(least.left(n), -7);
  EXPECT_EQ(least.bound, -3);
  const LinearConstraint most = maximum_share(*rooms.pilot, "A", .25);
  EXPECT_EQ(most.left(n), 3);
  EXPECT_EQ(most.bound, 3);
  EXPECT_EQ(cost_budget(*rooms.pilot, std::vector<double>{1, 0, 0, 2}, 5).left(n), 9);
  // Staying in A earns 1 a step: each visit of B loses 3/4.
  const LinearConstraint loss = loss_limit(*rooms.pilot, Policy::deterministic(rooms.mdp, {0, 2}), 5);
  EXPECT_NEAR(loss.left(n), 7 * .75, 1e-14);
}

// A visit of B is worth 1/10 and costs a multiplier over the 4 units: at 1 it does not pay, at 1/5 it does.
// Then all go there at once and are there for two of three steps.
TEST(Constraints, CornersCountTheCostOfCapacities) {
  const Rooms rooms;
  const Constraints constraints{.linear = {}, .capacity = {{1, 2}}};
  const ConstraintRows rows(*rooms.pilot, constraints);
  const std::vector<double> price{0, 0, .1, .1};
  const auto visits_of_b = [&](double multiplier) {
    const Corner corner = rows.best(price, std::vector<double>(3, multiplier));
    return corner.counts[2] + corner.counts[3];
  };
  EXPECT_EQ(visits_of_b(0), 8);
  EXPECT_EQ(visits_of_b(.2), 8);
  EXPECT_EQ(visits_of_b(1), 0);
}

// Five units in "a" and one in "b" may go into a room for .9 units. At the corner where the five go, 5 are
// there in step 1; at the one where the one goes and stays, 1 in step 1 and 1 in step 2. Whatever the
// mixture, step 1 is too full; it is least so at the second corner, by .1 of 6 units, where step 2 is as
// full. That is allowed anyway then, so the row of step 2 is not needed.
TEST(Constraints, RowsOfStepsEnterWhereTheyAreBroken) {
  mdp::MdpArrays arrays;
  arrays.discount = .9;
  arrays.start = {1, 0, 0, 0};
  arrays.pair_begin = {0, 2, 4, 6, 7};  // a, b, the room, and where one goes from there
  arrays.pair_action = {0, 1, 0, 1, 0, 1, 0};
  arrays.row_begin = {0, 1, 2, 3, 4, 5, 6, 7};
  arrays.next_state = {0, 2, 1, 2, 2, 3, 3};
  arrays.probability.assign(7, 1);
  arrays.reward.assign(7, 0);
  const Mdp mdp(std::move(arrays));
  const auto pilot = finite_occupancies(mdp, {5, 1, 0, 0}, 3);
  const Constraints constraints{.linear = {}, .capacity = {{2, .9}}};
  const ConstraintRows rows(*pilot, constraints);
  ColumnMaster master(rows, {1, 3});
  // Stay (pair 0, 2, 4) or go (1, 3, 5), in each of three steps and four states.
  const std::vector<std::int32_t> many = {1, 2, 5, 6, 0, 2, 5, 6, 0, 2, 5, 6};
  const std::vector<std::int32_t> one = {0, 3, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6};
  for (const std::vector<std::int32_t>& pair : {many, one}) {
    Corner corner{.pair = pair, .counts = std::vector<double>(7, 0.0)};
    const std::vector<double> visits = pilot->step_visits(pair);
    for (std::size_t i = 0; i < pair.size(); ++i)
      corner.counts[static_cast<std::size_t>(pair[i])] += visits[i];
    ASSERT_TRUE(master.add(std::move(corner)));
  }
  const std::vector<std::uint8_t> yes{1}, no{0};
  EXPECT_NEAR(master.relax(yes, no), .1 / 6, 1e-9);
  EXPECT_NEAR(master.weights()[1], 1, 1e-7);
  EXPECT_NEAR(master.multipliers()[1], 1, 1e-7);
  EXPECT_EQ(master.multipliers()[0], 0);
  EXPECT_EQ(master.multipliers()[2], 0);
}

TEST(Constraints, LossAgreesWithValuesOfPolicies) {
  const Mdp mdp = gap::m3();
  const mdp::Solution sop = mdp::solve(mdp);
  const std::vector<double> own = sop.policy.probability_of_pair(mdp);
  const std::vector<double> uniform = Policy::uniform(mdp).probability_of_pair(mdp);
  // V of M3 under either policy, discounted from state 0, is (1-g) V per step of the budget.
  const auto pilot = discounted_occupancies(mdp, {1, 0, 0}, 10);
  const LinearConstraint loss = loss_limit(*pilot, sop.policy, 1);
  EXPECT_NEAR(loss.left(pilot->counts(own)), 0, 1e-10);
  const double v = mdp::evaluate(mdp, Policy::uniform(mdp)).value[0];
  EXPECT_NEAR(loss.left(pilot->counts(uniform)), 10 * .1 * (sop.value[0] - v), 1e-8);
}

TEST(Constraints, SharesHoldExactlyWhereTheyBind) {
  const Rooms rooms;
  const double free = rooms.share_b(rooms.solve({}).counts);
  const auto most = rooms.solve({.linear = {maximum_share(*rooms.pilot, "B", free - .1)}, .capacity = {}});
  EXPECT_NEAR(rooms.share_b(most.counts), free - .1, 1e-8);
  EXPECT_GT(most.multipliers[0], 0);
  const auto least = rooms.solve({.linear = {minimum_share(*rooms.pilot, "B", free + .05)}, .capacity = {}});
  EXPECT_NEAR(rooms.share_b(least.counts), free + .05, 1e-8);
  const auto loose = rooms.solve({.linear = {maximum_share(*rooms.pilot, "B", free + .1)}, .capacity = {}});
  EXPECT_NEAR(loose.multipliers[0], 0, 1e-7);
  EXPECT_NEAR(loose.value, rooms.solve({}).value, 1e-8);
  // The most that is possible at all: 8 of 12 unit steps.
  const auto edge = rooms.solve({.linear = {minimum_share(*rooms.pilot, "B", 8.0 / 12)}, .capacity = {}});
  EXPECT_EQ(edge.status, MinimumStatus::converged);
  EXPECT_NEAR(rooms.share_b(edge.counts), 8.0 / 12, 1e-7);
}

// Of 4 units for 3 steps at most 8 of 12 steps are in B, at least 4 in A; costs of 1 a visit are at least 12.
TEST(Constraints, InfeasibleOnesAreNamed) {
  const Rooms rooms;
  const auto refusal_of = [&](Constraints constraints) {
    return message_of([&] { rooms.solve(constraints); });
  };
  EXPECT_EQ(
      refusal_of({.linear = {maximum_share(*rooms.pilot, "B", .5), minimum_share(*rooms.pilot, "B", .7)}}),
      "group 'B' cannot have 70 % of the steps; at most 66.67 % are possible");
  EXPECT_EQ(refusal_of({.linear = {maximum_share(*rooms.pilot, "A", .2)}}),
            "group 'A' cannot be kept to 20 % of the steps; it has at least 33.33 %");
  EXPECT_EQ(refusal_of({.linear = {cost_budget(*rooms.pilot, std::vector<double>(4, 1.0), 6)}}),
            "the cost cannot be kept to 6; at least 12 is needed");
  EXPECT_EQ(
      refusal_of({.linear = {maximum_share(*rooms.pilot, "B", .5), minimum_share(*rooms.pilot, "B", .6)}}),
      "group 'B' cannot have 60 % of the steps; at most 50 % are possible with the other constraints");
  EXPECT_EQ(refusal_of({.linear = {}, .capacity = {step_capacity(*rooms.pilot, "a", 3)}}),
            "state 'a' cannot be kept to 3 units at every step; at least 4 are needed");
  EXPECT_EQ(
      refusal_of({.linear = {minimum_share(*rooms.pilot, "B", .5)},
                  .capacity = {step_capacity(*rooms.pilot, "b", 2)}}),
      "state 'b' cannot be kept to 2 units at every step; at least 3 are needed with the other constraints");
}

// The left-hand side of the i-th row of rows_of() at a design.
double mixed_row(const Occupancy& pilot, const Constraints& constraints, const ColumnGenerationResult& design,
                 std::size_t i) {
  if (i < constraints.linear.size()) return constraints.linear[i].left(design.counts);
  const auto states = static_cast<std::size_t>(pilot.mdp().states());
  const std::size_t step = i - constraints.linear.size(), at = step * states + 1;  // state 1, see below
  double sum = 0;
  for (std::size_t j = 0; j < design.corners.size(); ++j) {
    sum += design.weights[j] * pilot.step_visits(design.corners[j].pair)[at];
  }
  return sum;
}

// Costs, a share, a loss and a capacity that the middle between the free optimum and the cheapest corner
// keeps to with a little room (without any, f at its minimum is infinitely sensitive to the bounds), against
// the oracle over all policies.
TEST(Constraints, AgreeWithMixturesOfAllPolicies) {
  int binding = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Small small(seed);
    const Occupancy& pilot = *small.pilot;
    const auto free = minimise_by_columns(*small.objective, pilot, {}, kTight);
    std::vector<double> saving = small.cost;
    for (double& c : saving) c = -c;
    const Corner cheap = pilot.best(saving);
    std::vector<double> middle(cheap.counts), visits = pilot.step_visits(cheap.pair);
    for (std::size_t k = 0; k < middle.size(); ++k) middle[k] = (cheap.counts[k] + free.counts[k]) / 2;
    for (double& v : visits) v /= 2;
    for (std::size_t j = 0; j < free.corners.size(); ++j) {
      const std::vector<double> part = pilot.step_visits(free.corners[j].pair);
      for (std::size_t i = 0; i < visits.size(); ++i) visits[i] += free.weights[j] / 2 * part[i];
    }
    Constraints constraints;
    constraints.linear.push_back(cost_budget(pilot, small.cost, 0));
    constraints.linear.push_back(maximum_share(pilot, "B", 0));
    if (seed % 3 == 0) {
      constraints.linear.push_back(loss_limit(pilot, mdp::solve(*small.mdp).policy, 0));
    }
    for (LinearConstraint& row : constraints.linear) row.bound = row.left(middle) + .01 * pilot.budget();
    if (seed % 2 == 0) {
      double most = 0;
      for (std::size_t i = 1; i < visits.size(); i += static_cast<std::size_t>(small.mdp->states())) {
        most = std::max(most, visits[i]);
      }
      constraints.capacity.push_back({1, most + .03});
    }
    const Enumerated all = enumerate_policies(pilot);
    std::vector<double> bounds;
    const auto rows = rows_of(pilot, all, constraints, bounds);
    const auto result = minimise_by_columns(*small.objective, pilot, constraints, kTight);
    const OracleResult oracle = Oracle(*small.objective, all, rows, bounds).solve();
    EXPECT_LT(oracle.violation, 1e-6) << seed;
    EXPECT_NEAR(result.value, oracle.value, 1e-6 * oracle.value) << seed;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_LE(mixed_row(pilot, constraints, result, i), bounds[i] + 1e-7) << seed;
    }
    const auto early = minimise_by_columns(*small.objective, pilot, constraints, {.relative_gap = .02});
    EXPECT_LE(early.value - oracle.value, early.gap + 1e-6 * oracle.value) << seed;
    binding += result.value > free.value * (1 + 1e-4);
  }
  EXPECT_GT(binding, 25);
}

// The largest number of units expected in a state at a step after the first, over a mixture of policies.
double most_units(const Occupancy& pilot, std::span<const Corner> corners, std::span<const double> weights,
                  std::int32_t state) {
  const auto states = static_cast<std::size_t>(pilot.mdp().states());
  std::vector<double> visits(static_cast<std::size_t>(pilot.steps()) * states, 0.0);
  for (std::size_t j = 0; j < corners.size(); ++j) {
    const std::vector<double> part = pilot.step_visits(corners[j].pair);
    for (std::size_t i = 0; i < visits.size(); ++i) visits[i] += weights[j] * part[i];
  }
  double most = 0;
  for (std::size_t i = static_cast<std::size_t>(state); i < visits.size(); i += states) {
    most = std::max(most, visits[i]);
  }
  return most;
}

// 20 states, 6 steps: the busiest states of the free optimum are capped halfway to what a pilot that keeps
// away from them has. The certificate is reached, every capacity holds, and it costs something.
TEST(Constraints, CapacitiesOfBusyStates) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Mdp mdp = mdp::random_mdp(seed, {.states = 20, .actions = 3, .successors = 3, .all_actions = true});
    const auto pairs = static_cast<std::size_t>(mdp.pairs());
    std::vector<double> positions(20, 0.0);
    positions[0] = positions[5] = 3;
    gap::PvvWeights weights{.reward = std::vector<double>(pairs),
                            .transition = std::vector<double>(pairs, 0.0)};
    for (std::size_t k = 0; k < pairs; ++k)
      weights.reward[k] = 1 + std::sin(static_cast<double>(k * k + seed));
    const Objective objective(weights, prior_of(mdp, 1, 1, INFINITY));
    const auto pilot = finite_occupancies(mdp, positions, 6);
    const auto free = minimise_by_columns(objective, *pilot, {}, {.relative_gap = 1e-7});
    std::int32_t busiest = 1;
    for (std::int32_t s = 1; s < 20; ++s) {
      const auto units = [&](std::int32_t state) {
        return most_units(*pilot, free.corners, free.weights, state);
      };
      if (s != 5 && units(s) > units(busiest)) busiest = s;
    }
    std::vector<double> away(pairs, 0.0);
    for (std::int32_t k = mdp.pair_begin()[busiest]; k < mdp.pair_begin()[busiest + 1]; ++k) away[k] = -1;
    const std::vector<Corner> avoiding{pilot->best(away)};
    const double cap = (most_units(*pilot, free.corners, free.weights, busiest) +
                        most_units(*pilot, avoiding, std::vector<double>{1}, busiest)) /
                       2;
    const Constraints constraints{.linear = {},
                                  .capacity = {step_capacity(*pilot, mdp.state_name(busiest), cap)}};
    const auto held = minimise_by_columns(objective, *pilot, constraints, {.relative_gap = 1e-6});
    EXPECT_EQ(held.status, MinimumStatus::converged) << seed;
    EXPECT_LE(most_units(*pilot, held.corners, held.weights, busiest), cap + 1e-7) << seed;
    EXPECT_GE(held.value, free.value * (1 - 1e-6)) << seed;
    ASSERT_EQ(held.capacity_multipliers.size(), 1);
    EXPECT_GT(held.capacity_multipliers[0], 0) << seed;
  }
}

TEST(Constraints, BadArguments) {
  const Rooms rooms;
  EXPECT_EQ(message_of([&] { minimum_share(*rooms.pilot, "C", .5); }),
            "there is no group 'C'; the groups are 'A', 'B'");
  EXPECT_THROW(maximum_share(*rooms.pilot, "A", 1.5), InvalidArgument);
  EXPECT_THROW(cost_budget(*rooms.pilot, std::vector<double>(3, 1.0), 1), InvalidArgument);
  EXPECT_THROW(cost_budget(*rooms.pilot, std::vector<double>(4, NAN), 1), InvalidArgument);
  EXPECT_THROW(step_capacity(*rooms.pilot, "c", 1), InvalidArgument);
  EXPECT_THROW(step_capacity(*rooms.pilot, "a", -1), InvalidArgument);
  EXPECT_THROW(step_capacity(*discounted_occupancies(rooms.mdp, {1, 0}, 5), "a", 1), InvalidArgument);
  EXPECT_THROW(loss_limit(*rooms.pilot, Policy::deterministic(rooms.mdp, {0, 2}), NAN), InvalidArgument);
  EXPECT_THROW(minimum_share(*finite_occupancies(gap::m3(), {1, 0, 0}, 2), "A", .5), InvalidArgument);
  LinearConstraint row{.name = "x", .pair = {9}, .coefficient = {1}};
  EXPECT_THROW(rooms.solve({.linear = {row}, .capacity = {}}), InvalidArgument);
}

// By hand: 4 units begin in A, which the deployed policy never leaves: 12 visits of A, none of B, so B has no
// row. At a share of .75 A keeps 9 visits; with others who make 12 more visits of A, .75 x 24 - 12 = 6.
TEST(KeptRates, ByHand) {
  const Rooms rooms;
  const Policy stays = Policy::deterministic(rooms.mdp, std::vector<std::int32_t>{0, 2});
  const std::vector<LinearConstraint> alone = kept_rates(*rooms.pilot, stays, {}, .75);
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0].name, "A");
  EXPECT_EQ(alone[0].kind, ConstraintKind::rate);
  EXPECT_DOUBLE_EQ(alone[0].bound, -9);
  EXPECT_DOUBLE_EQ(alone[0].stated(alone[0].bound), .75);
  const std::vector<double> others{12, 0, 0, 0};
  const std::vector<LinearConstraint> beside = kept_rates(*rooms.pilot, stays, others, .75);
  EXPECT_DOUBLE_EQ(beside[0].bound, -6);
  EXPECT_DOUBLE_EQ(beside[0].stated(beside[0].bound), .75);
  for (const double share : {0., .5, .75, 1.}) {
    const ColumnGenerationResult found =
        rooms.solve({.linear = kept_rates(*rooms.pilot, stays, {}, share), .capacity = {}});
    EXPECT_GE(found.counts[0] + found.counts[1], 12 * share - 1e-6);
  }
}

// Where every state has a group, the shares sum to one: nobody may have less, so nobody has more.
TEST(KeptRates, AllOfThemMeansThatNothingChanges) {
  const Rooms rooms;
  const Policy goes = Policy::deterministic(rooms.mdp, std::vector<std::int32_t>{1, 2});
  const Constraints constraints{.linear = kept_rates(*rooms.pilot, goes, {}, 1), .capacity = {}};
  ASSERT_EQ(constraints.linear.size(), 2u);
  const ColumnGenerationResult found = rooms.solve(constraints);
  EXPECT_NEAR(rooms.share_b(found.counts), 8. / 12, 1e-7);
}

TEST(KeptRates, Refusals) {
  const Rooms rooms;
  const Policy goes = Policy::deterministic(rooms.mdp, std::vector<std::int32_t>{1, 2});
  EXPECT_THROW(kept_rates(*rooms.pilot, goes, {}, 1.5), InvalidArgument);
  EXPECT_THROW(kept_rates(*rooms.pilot, goes, std::vector<double>{1}, .5), InvalidArgument);
  const Mdp plain = gap::treasure_simulator();
  const auto pilot =
      finite_occupancies(plain, std::vector<double>(plain.start().begin(), plain.start().end()), 3);
  EXPECT_NE(message_of([&] { kept_rates(*pilot, mdp::solve(plain).policy, {}, 1); }).find("no groups"),
            std::string::npos);
  // With at most a fifth of the steps in B, where the usual way spends two thirds, its rate cannot be kept.
  Constraints both{.linear = kept_rates(*rooms.pilot, goes, {}, .9), .capacity = {}};
  both.linear.push_back(maximum_share(*rooms.pilot, "B", .2));
  const std::string said = message_of([&] { rooms.solve(both); });
  EXPECT_TRUE(said.find("of its usual visits; at most") != std::string::npos ||
              said.find("cannot be kept to") != std::string::npos)
      << said;
}

}  // namespace constraints_test
}  // namespace mindgap::design
