#include "mindgap/design/navigation.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "design/beliefs.h"
#include "design/frank_wolfe.h"
#include "gap/golden_models.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/design/target.h"
#include "mindgap/design/walk.h"

namespace mindgap::design {
namespace navigation_test {

using mdp::Mdp;

NavigationProblem even_problem(const Mdp& mdp, std::vector<double> positions, std::int64_t steps,
                               double sd = 1) {
  NavigationProblem problem{
      .mdp = mdp, .positions = std::move(positions), .steps = steps, .weights = {}, .prior = {}};
  const belief::Belief belief = even_belief(mdp, sd, 5);
  problem.weights = target_weights(belief, target_from_string("uniform")).weights;
  problem.prior = gap::precision_of(belief);
  return problem;
}

// E min(steps until `goal`, steps left) of a route, by following every path.
double expected_steps(const Mdp& mdp, const std::vector<std::int32_t>& pair, std::int64_t steps,
                      std::int64_t step, std::int32_t s, std::int32_t goal) {
  if (s == goal || step == steps) return 0;
  double sum = 1;
  const std::int32_t k = pair[static_cast<std::size_t>(step * mdp.states() + s)];
  for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
    sum += mdp.probability()[i] * expected_steps(mdp, pair, steps, step + 1, mdp.next_state()[i], goal);
  }
  return sum;
}

// All 2^(3 x 3) routes of three states with two actions over three steps.
TEST(ShortestWay, NoRouteIsShorter) {
  constexpr std::int64_t kSteps = 3;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Mdp mdp = mdp::random_mdp(seed, {.states = 3, .actions = 2, .successors = 2, .all_actions = true});
    const std::int32_t goal = static_cast<std::int32_t>(seed % 6), there = goal / 2;
    const Way way = shortest_way(mdp, goal, kSteps);
    for (std::int32_t s = 0; s < 3; ++s) {
      double best = INFINITY;
      for (int code = 0; code < 512; ++code) {
        std::vector<std::int32_t> pair;
        pair.reserve(9);
        for (int i = 0; i < 9; ++i) pair.push_back(2 * (i % 3) + (code >> i & 1));
        best = std::min(best, expected_steps(mdp, pair, kSteps, 0, s, there));
      }
      EXPECT_NEAR(way.steps_to_go[s], best, 1e-12);
      EXPECT_NEAR(expected_steps(mdp, way.pair, kSteps, 0, s, there), best, 1e-12);
    }
    for (std::size_t step = 0; step < kSteps; ++step) EXPECT_EQ(way.pair[step * 3 + there], goal);
  }
}

// Over a long pilot: the shortest expected hitting time of all stationary policies, each by a linear solve.
TEST(ShortestWay, LongPilotsGiveHittingTimes) {
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Mdp mdp = mdp::random_mdp(seed, {.states = 4, .actions = 2, .successors = 4, .all_actions = true});
    const Way way = shortest_way(mdp, 0, 2000);
    Eigen::VectorXd best = Eigen::VectorXd::Constant(4, INFINITY);
    for (int code = 0; code < 16; ++code) {
      Eigen::MatrixXd a = Eigen::MatrixXd::Identity(4, 4);
      Eigen::VectorXd one = Eigen::VectorXd::Ones(4);
      one(0) = 0;
      for (int s = 1; s < 4; ++s) {
        const std::int32_t k = 2 * s + (code >> s & 1);
        for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
          a(s, mdp.next_state()[i]) -= mdp.probability()[i];
        }
      }
      if (std::abs(a.determinant()) < 1e-6) continue;  // never arrives, or hardly ever
      best = best.cwiseMin(a.partialPivLu().solve(one).eval());
    }
    for (int s = 0; s < 4; ++s) {
      if (best(s) > 50) continue;  // 2,000 steps are not long for these
      EXPECT_NEAR(way.steps_to_go[s], best(s), 1e-9 * (1 + best(s)));
      ++checked;
    }
  }
  EXPECT_GT(checked, 30);
}

// A line of three states, actions stay and go: from 0 two steps, then the goal again and again.
TEST(ShortestWay, ByHand) {
  const Mdp line = gap::dense_mdp(.9, {1, 0, 0}, 2, std::vector<double>(6),
                                  {{1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 1}, {1, 0, 0}});
  const Way way = shortest_way(line, 4, 5);
  EXPECT_EQ(way.steps_to_go, (std::vector<double>{2, 1, 0}));
  EXPECT_EQ(walk_counts(line, way.pair, 5, std::vector<double>{1, 0, 0}),
            (std::vector<double>{0, 1, 0, 1, 3, 0}));
  // The goal that leads back to 0 makes the unit come again: go, go, back, go, go, back. With one step less
  // it would not arrive a second time, and stays (the lowest action) once it is back.
  const std::vector<double> home{1, 0, 0};
  EXPECT_EQ(walk_counts(line, shortest_way(line, 5, 6).pair, 6, home),
            (std::vector<double>{0, 2, 0, 2, 0, 2}));
  EXPECT_EQ(walk_counts(line, shortest_way(line, 5, 5).pair, 5, home),
            (std::vector<double>{2, 1, 0, 1, 0, 1}));
  // Where "go" of state 1 is not allowed nobody arrives, and the whole pilot goes by.
  const std::vector<std::uint8_t> allowed{1, 1, 1, 0, 1, 1};
  EXPECT_EQ(shortest_way(line, 4, 5, {}, allowed).steps_to_go, (std::vector<double>{5, 5, 0}));
}

// Two equally short ways from 0 to 3, over 1 or over 2: the worthier one.
TEST(ShortestWay, OfEqualWaysTheWorthier) {
  const Mdp mdp = gap::dense_mdp(.9, {1, 0, 0, 0}, 2, std::vector<double>(8),
                                 {{0, 1, 0, 0},
                                  {0, 0, 1, 0},
                                  {0, 0, 0, 1},
                                  {0, 0, 0, 1},
                                  {0, 0, 0, 1},
                                  {0, 0, 0, 1},
                                  {0, 0, 0, 1},
                                  {0, 0, 0, 1}});
  EXPECT_EQ(shortest_way(mdp, 6, 4).pair[0], 0);
  EXPECT_EQ(shortest_way(mdp, 6, 4, std::vector<double>{0, 0, 0, 0, 0, .5, 0, 0}).pair[0], 1);
  const Way way = shortest_way(mdp, 6, 4, std::vector<double>{0, 0, 0, .2, 0, 0, 0, 0});
  EXPECT_EQ(way.pair[0], 0);
  EXPECT_EQ(way.pair[4 + 1], 3);
}

// Contributions are the criterion's terms, noiseless and known ones included.
TEST(Objective, ContributionsSumToIt) {
  const Mdp mdp = gap::m3();
  const gap::PvvWeights weights = gap::pvv_weights(mdp, gap::m3_target(mdp));
  gap::Precision prior{std::vector<double>(6, .25), std::vector<double>(6, 4.0), std::vector<double>(6, 5.0)};
  prior.observation_precision[1] = INFINITY;
  prior.observation_precision[2] = 0;
  prior.reward_variance[3] = 0;
  prior.transition_strength[4] = INFINITY;
  const std::vector<double> n{1, .5, 3, 0, 2, 7}, credit{0, 0, 1, 0, 2, 0};
  for (const Block block : {Block::both, Block::rewards, Block::transitions}) {
    const Objective objective(weights, prior, block, credit);
    const std::vector<double> terms = objective.contributions(n), less = objective.reducible(n);
    EXPECT_NEAR(std::accumulate(terms.begin(), terms.end(), 0.0),
                Objective(weights, prior, block, credit).value(n), 1e-12);
    for (std::size_t k = 0; k < 6; ++k) {
      const double lost = k == 2 && block != Block::transitions ? weights.reward[2] * .25 : 0;
      EXPECT_NEAR(terms[k] - less[k], lost, 1e-13);
    }
  }
}

// A hub with four rooms to stay in; pairs 4, 9, 14 and 19, one in each room, matter, the last one most.
NavigationProblem hub(double units) {
  std::vector<std::vector<double>> rows;
  for (int k = 0; k < 20; ++k) {
    rows.emplace_back(5);
    rows.back()[k < 4 ? 1 + k : k / 4] = 1;
  }
  const Mdp mdp = gap::dense_mdp(.9, {1, 0, 0, 0, 0}, 4, std::vector<double>(20), rows);
  NavigationProblem problem = even_problem(mdp, {units, 0, 0, 0, 0}, 6);
  problem.weights.reward.assign(20, 0.0);
  for (const std::size_t k : {4u, 9u, 14u, 19u}) problem.weights.reward[k] = 1 + .1 * static_cast<double>(k);
  return problem;
}

// Four units, one room each, though every room alone would do for the first.
TEST(Navigation, UnitsSpread) {
  const NavigationProblem problem = hub(4);
  const Navigation navigation = navigate(problem);
  ASSERT_EQ(navigation.units.size(), 4u);
  std::set<std::int32_t> goals;
  for (const UnitWay& unit : navigation.units) {
    goals.insert(unit.way.goal);
    EXPECT_NEAR(unit.arrival, 1, 1e-12);
  }
  EXPECT_EQ(goals, (std::set<std::int32_t>{4, 9, 14, 19}));
  EXPECT_EQ(navigation.units[0].way.goal, 19);  // the heaviest first
  for (const std::size_t k : {4u, 9u, 14u, 19u}) EXPECT_EQ(navigation.counts[k], 5);
  // Each term W / (1 + n): before W, after W/6.
  EXPECT_NEAR(navigation.pvv_after, navigation.pvv_before / 6, 1e-12);
}

// Hidden treasure, 15 units x 15 steps, history in A only: units cross the corridor. The corridor is
// (2,2)-(2,3), states 14 and 15; five moves of .8875 each lead into B.
TEST(Navigation, UnitsCrossTheCorridorOfTreasure) {
  const Mdp mdp = gap::treasure_simulator();
  std::vector<double> positions(24);
  positions[0] = 15;
  NavigationProblem problem = even_problem(mdp, positions, 15);
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    problem.prior.reward_variance[k] = mdp.state_of_pair(k) % 6 >= 3 ? .25 : .0025;
  }
  const Navigation navigation = navigate(problem);
  const auto pilot = finite_occupancies(mdp, positions, 15);
  const Objective objective(problem.weights, problem.prior);
  const FrankWolfe best = frank_wolfe(objective, *pilot);
  const NavigationBound bound = navigation_bound(problem, navigation, best.counts, {.bottleneck = {15}});
  EXPECT_GT(bound.crossing, .9);
  EXPECT_GT(share_of_b(mdp, navigation.counts), .4);  // at least 6 of 15 steps, 5 moves and slips behind them
  for (const UnitWay& unit : navigation.units) {
    EXPECT_GE(mdp.state_of_pair(unit.way.goal) % 6, 3);
    EXPECT_NEAR(std::accumulate(unit.counts.begin(), unit.counts.end(), 0.0), 15, 1e-9);
  }
  // No design beats the optimum, this one reaches more than half of what can be had (87 %). The paper's
  // bound says 1,833 of an excess of .63: kappa is a minimum over pairs seen by slips alone.
  EXPECT_GE(bound.excess, -best.gap);
  EXPECT_LT(navigation.pvv_after, (navigation.pvv_before + best.value) / 2);
  EXPECT_GE(bound.bound, bound.excess - 1e-12);
  EXPECT_EQ(bound.tail, 0);  // slips reach everything
  EXPECT_TRUE(bound.is_bottleneck);
  RecordProperty("pvv_before", std::to_string(navigation.pvv_before));
  RecordProperty("pvv_navigation", std::to_string(navigation.pvv_after));
  RecordProperty("pvv_optimum", std::to_string(best.value));
  RecordProperty("paper_bound", std::to_string(bound.paper_bound));
  RecordProperty("bound", std::to_string(bound.bound));
}

TEST(Navigation, ForbiddenPairsAreNotTaken) {
  const Mdp mdp = gap::treasure_simulator();
  std::vector<double> positions(24);
  positions[0] = 4;
  NavigationProblem problem = even_problem(mdp, positions, 12);
  problem.allowed.assign(96, 1);
  for (std::int32_t s = 0; s < 24; ++s) problem.allowed[4 * s + s % 4] = 0;
  const Navigation navigation = navigate(problem);
  for (std::int32_t k = 0; k < 96; ++k) {
    if (problem.allowed[k] == 0) {
      EXPECT_EQ(navigation.counts[k], 0);
    }
  }
  EXPECT_LT(navigation.pvv_after, navigation.pvv_before);
}

TEST(Navigation, DoesNotDependOnThreadsAndTakesSharedPositions) {
  const Mdp mdp = mdp::random_mdp(4, {.states = 15, .actions = 3, .successors = 3});
  NavigationProblem problem = even_problem(mdp, std::vector<double>(15, .2), 6);
  const Navigation one = navigate(problem, {.threads = 1}), three = navigate(problem, {.threads = 3});
  ASSERT_EQ(one.units.size(), 3u);
  EXPECT_EQ(one.counts, three.counts);
  EXPECT_EQ(one.units[2].way.pair, three.units[2].way.pair);
  EXPECT_NEAR(one.units[0].start[7], 1.0 / 15, 1e-12);
}

TEST(Navigation, NothingToLearn) {
  NavigationProblem problem = even_problem(gap::m3(), {2, 0, 0}, 3);
  problem.prior.reward_variance.assign(6, 0.0);
  const Navigation navigation = navigate(problem);
  EXPECT_EQ(navigation.pvv_before, 0);
  EXPECT_EQ(navigation.units[0].way.goal, 0);
}

// One unit, three steps: it surely crosses from A into B, where pairs x and y stay. Navigation plays x twice,
// the optimum each once: n_nav = (1, 2, 0), n* = (1, 1, 1), with W = sigma^2 = tau = 1, f_k(n) = 1/(1+n).
// excess = 1/3 + 1 - 1/2 - 1/2 = 1/3. q_nav = 1, kappa = 1: the paper's bound is 0. C_tail = f_y(0) = 1,
// C_overlap = 1/2 + 1/2 = 1; what the proof gives is f_y(0) - f_y(1) = 1/2.
TEST(NavigationBound, PaperBoundCanFail) {
  const Mdp mdp = gap::dense_mdp(.9, {1, 0}, 2, std::vector<double>(4), {{0, 1}, {0, 1}, {0, 1}, {0, 1}});
  NavigationProblem problem = even_problem(mdp, {1, 0}, 3);
  problem.weights.reward[1] = 0;  // the door's second handle does not matter
  const Navigation navigation = navigate(problem);
  EXPECT_EQ(navigation.counts, (std::vector<double>{1, 0, 2, 0}));
  const std::vector<double> optimum{1, 0, 1, 1};
  const NavigationBound bound = navigation_bound(problem, navigation, optimum, {.bottleneck = {1}});
  EXPECT_NEAR(bound.excess, 1.0 / 3, 1e-14);
  EXPECT_EQ(bound.crossing, 1);
  EXPECT_EQ(bound.kappa, 1);
  EXPECT_EQ(bound.tail, 1);
  EXPECT_EQ(bound.overlap, 1);
  EXPECT_EQ(bound.paper_bound, 0);
  EXPECT_TRUE(bound.is_bottleneck);  // so the theorem's conditions hold
  EXPECT_FALSE(bound.paper_holds);
  EXPECT_NEAR(bound.bound, .5, 1e-14);
  // Without the factor it is valid: C_tail + (1/kappa - 1) C_overlap.
  EXPECT_TRUE(navigation_bound(problem, navigation, optimum).paper_holds);
}

// One unit goes to room 4; an optimum that looked into room 2 as well does not get there through room 1.
TEST(NavigationBound, SeesWhatIsNoBottleneck) {
  const NavigationProblem problem = hub(1);
  const Navigation navigation = navigate(problem);
  std::vector<double> optimum(20);
  optimum[9] = 2;
  optimum[19] = 2;
  const NavigationBound other_room = navigation_bound(problem, navigation, optimum, {.bottleneck = {1}});
  EXPECT_FALSE(other_room.is_bottleneck);
  EXPECT_EQ(other_room.crossing, 0);
  EXPECT_TRUE(navigation_bound(problem, navigation, optimum, {.bottleneck = {2}}).is_bottleneck);
  EXPECT_EQ(navigation_bound(problem, navigation, optimum, {.bottleneck = {4}}).crossing, 1);
  // Seen twice by the optimum, not at all by navigation: 1.9 (1 - 1/3); room 4 is seen more often.
  EXPECT_NEAR(other_room.tail_excess, 1.9 * 2 / 3, 1e-14);
  EXPECT_EQ(other_room.overlap_excess, 0);
}

TEST(NavigationBound, BoundsTheExcess) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Mdp mdp = mdp::random_mdp(seed, {.states = 8, .actions = 3, .successors = 2});
    std::vector<double> positions(8);
    positions[seed % 8] = 2;
    NavigationProblem problem = even_problem(mdp, positions, 6);
    for (std::size_t k = 0; k < problem.weights.reward.size(); ++k) {
      problem.weights.reward[k] = 1 + std::sin(static_cast<double>(k * seed));
      problem.weights.transition[k] = 1 + std::cos(static_cast<double>(k * seed));
    }
    const Navigation navigation = navigate(problem);
    const auto pilot = finite_occupancies(mdp, positions, 6);
    const FrankWolfe best = frank_wolfe(Objective(problem.weights, problem.prior), *pilot);
    for (const double threshold : {0.0, .05, .5}) {
      const NavigationBound bound =
          navigation_bound(problem, navigation, best.counts, {.bottleneck = {}, .threshold = threshold});
      EXPECT_GE(bound.excess, -best.gap - 1e-12);
      EXPECT_NEAR(bound.excess, navigation.pvv_after - best.value, 1e-9);
      EXPECT_LE(bound.excess, bound.bound + 1e-12);
      if (threshold == 0) {
        EXPECT_LE(bound.bound, bound.paper_bound + 1e-12);  // q_nav = 0 here
      }
    }
  }
}

TEST(Navigation, BadArguments) {
  const NavigationProblem good = even_problem(gap::m3(), {1, 0, 0}, 3);
  const auto with = [&](auto change) {
    NavigationProblem problem = good;
    change(problem);
    return problem;
  };
  EXPECT_THROW(navigate(with([](auto& p) { p.steps = 0; })), InvalidArgument);
  EXPECT_THROW(navigate(with([](auto& p) { p.positions = {1, 0}; })), InvalidArgument);
  EXPECT_THROW(navigate(with([](auto& p) { p.positions = {0, 0, 0}; })), InvalidArgument);
  EXPECT_THROW(navigate(with([](auto& p) { p.positions = {.7, .7, 0}; })), InvalidArgument);
  EXPECT_THROW(navigate(with([](auto& p) { p.positions = {2, -1, 0}; })), InvalidArgument);
  EXPECT_THROW(navigate(with([](auto& p) { p.allowed = {1, 1, 0, 0, 1, 1}; })), InvalidArgument);
  EXPECT_THROW(navigate(with([](auto& p) { p.allowed = {1, 1}; })), InvalidArgument);
  EXPECT_THROW(navigate(with([](auto& p) { p.credit = {1, 1}; })), InvalidArgument);
  EXPECT_THROW(navigate(with([](auto& p) { p.weights.reward.pop_back(); })), InvalidArgument);
  EXPECT_THROW(navigate(good, {.candidates = 0}), InvalidArgument);
  EXPECT_THROW(shortest_way(good.mdp, 6, 3), InvalidArgument);
  EXPECT_THROW(shortest_way(good.mdp, 0, 0), InvalidArgument);
  EXPECT_THROW(shortest_way(good.mdp, 0, 3, std::vector<double>{1}), InvalidArgument);
  EXPECT_THROW(shortest_way(good.mdp, 0, 3, {}, std::vector<std::uint8_t>{0, 1, 1, 1, 1, 1}),
               InvalidArgument);
  const Navigation navigation = navigate(good);
  const std::vector<double> n(6, .5);
  EXPECT_THROW(navigation_bound(good, navigation, std::vector<double>(5, .5)), InvalidArgument);
  EXPECT_THROW(navigation_bound(good, navigation, std::vector<double>(6, -1.)), InvalidArgument);
  EXPECT_THROW(navigation_bound(good, navigation, n, {.bottleneck = {3}}), InvalidArgument);
  EXPECT_THROW(navigation_bound(good, navigation, n, {.bottleneck = {}, .threshold = -1}), InvalidArgument);
}

}  // namespace navigation_test
}  // namespace mindgap::design
