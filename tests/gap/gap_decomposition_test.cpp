#include "mindgap/gap/gap_decomposition.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "gap/golden_models.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {
namespace gap_decomposition_test {

using mdp::Mdp;
using mdp::Policy;

// spec/tabular.md 5.
TEST(GapDecomposition, Treasure) {
  const Mdp truth = treasure_truth();
  const Policy sop = mdp::solve(treasure_simulator()).policy;
  const GapDecomposition gap = gap_decomposition(truth, sop);
  EXPECT_NEAR(gap.deployed_value, 5.9999981650, 1e-9);
  EXPECT_NEAR(gap.optimal_value, 14.7350473853, 1e-9);
  EXPECT_NEAR(gap.local_gap, .000221743, 1e-9);
  EXPECT_NEAR(gap.reach_gap, 8.734827477, 1e-8);
  EXPECT_EQ(gap.support_threshold, 1e-4);

  // With slip noise nothing is strictly out of support: then everything is local.
  const GapDecomposition strict = gap_decomposition(truth, sop, {.support_threshold = 0});
  EXPECT_NEAR(strict.local_gap, 8.735049220, 1e-8);
  EXPECT_EQ(strict.reach_gap, 0);
}

// The deployed policy stays and earns nothing; going on earns 2^-6, which is the tolerance, 2^-7 of 1/(1 -
// 1/2). What is worth no more than the tolerance is not out of reach. All numbers are exact in binary.
TEST(GapDecomposition, WhatIsWorthTheToleranceIsNoGapOfReach) {
  mdp::MdpArrays arrays;
  arrays.discount = .5;
  arrays.start = {1, 0};
  arrays.pair_begin = {0, 3, 4};
  arrays.pair_action = {0, 1, 2, 0};  // stay, go on, and pay 1 for nothing
  arrays.row_begin = {0, 1, 2, 3, 4};
  arrays.next_state = {0, 1, 0, 1};
  arrays.probability = {1, 1, 1, 1};
  arrays.reward = {0, 0, -1, 0x1p-6};
  const std::vector<double> optimal{0x1p-6, 0x1p-5};
  const auto gap = [&] {
    const Mdp truth(arrays);
    return gap_decomposition(truth, Policy::deterministic(truth, {0, 3}),
                             {.tolerance = 0x1p-7, .initial_value = optimal});
  };
  EXPECT_EQ(gap().optimal_value, 0x1p-6);
  EXPECT_EQ(gap().reach_gap, 0);
  arrays.reward.back() *= 1.5;
  EXPECT_NEAR(gap().reach_gap, 1.5 * 0x1p-6, 1e-15);
}

// spec/tabular.md 5: lock of length 10, the simulator wrong at state 3: the whole (1 - 1/10)^10 is out of
// reach.
TEST(GapDecomposition, Lock) {
  const Policy sop = mdp::solve(lock(10, 3)).policy;
  const GapDecomposition gap = gap_decomposition(lock(10), sop);
  EXPECT_NEAR(gap.local_gap, 0, 1e-12);
  EXPECT_NEAR(gap.reach_gap, .3486784401, 1e-10);
}

// Two rooms: staying home pays 1; the door of action 1 leads to a room that pays 3 for ever with probability
// q. The optimum under mu(out) <= eta mixes the two; with eta = 0 it stays home. By hand: deployed mixes with
// probability e of the door at each step at home; out = {room}.
TEST(GapDecomposition, MixesUpToWhatTheDeployedPolicyVisits) {
  const double g = .9;
  const Mdp truth = dense_mdp(g, {1, 0}, 2, {1, 1, 3, 3}, {{1, 0}, {.5, .5}, {0, 1}, {0, 1}});
  // The deployed policy takes the door with probability 1e-4: d(room) = g p / (1 - g + g p), p = 5e-5.
  const double p = .5e-4, visits = g * p / (1 - g + g * p);
  const Policy deployed = Policy::stochastic(truth, {1 - 1e-4, 1e-4, 1, 0});
  const GapDecomposition gap = gap_decomposition(truth, deployed, {.support_threshold = 1e-3});
  EXPECT_NEAR(gap.outside, visits, 1e-15);
  // Value = (1 * (1 - d) + 3 d) / (1-g) is a function of d alone, so no policy with the same d does better.
  EXPECT_NEAR(gap.local_gap, 0, 1e-9);
  EXPECT_NEAR(gap.deployed_value, (1 + 2 * visits) / (1 - g), 1e-11);
  const double best = g * .5 / (1 - g + g * .5);
  EXPECT_NEAR(gap.optimal_value, (1 + 2 * best) / (1 - g), 1e-10);
  EXPECT_NEAR(gap.multiplier, 2, 1e-8);  // each discounted step in the room is worth 3 - 1
}

// The constrained optimum over occupancies as a linear program, solved by enumerating vertices: with one
// extra constraint the optimum mixes at most two deterministic policies, so search all pairs of them.
double local_value_by_enumeration(const Mdp& mdp, const Policy& deployed, double threshold) {
  const auto share = mdp::discounted_visitation(mdp, deployed).share;
  const auto out_of = [&](const std::vector<double>& d) {
    double sum = 0;
    for (std::size_t s = 0; s < d.size(); ++s) sum += share[s] < threshold ? d[s] : 0;
    return sum;
  };
  const double eta = out_of(share);
  struct Point {
    double value, out;
  };
  std::vector<Point> points;
  std::vector<std::int32_t> pair(mdp.pair_begin().begin(), mdp.pair_begin().end() - 1);
  while (true) {
    const Policy policy = Policy::deterministic(mdp, pair);
    points.push_back(
        {mdp::evaluate(mdp, policy).value_at_start, out_of(mdp::discounted_visitation(mdp, policy).share)});
    std::size_t s = 0;
    while (s < pair.size() && ++pair[s] == mdp.pair_begin()[s + 1]) {
      pair[s] = mdp.pair_begin()[s];
      ++s;
    }
    if (s == pair.size()) break;
  }
  double best = -1e300;
  for (const Point& a : points) {
    for (const Point& b : points) {
      if (a.out > eta + 1e-11) continue;
      const double t = b.out <= eta + 1e-11 ? 1 : (eta - a.out) / (b.out - a.out);
      best = std::max(best, a.value + t * (b.value - a.value));
    }
  }
  return best;
}

TEST(GapDecomposition, AgreesWithEnumerationOnRandomModels) {
  int binding = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Mdp truth =
        mdp::random_mdp(seed, {.states = 6, .actions = 2, .successors = 2, .all_actions = true});
    const Mdp simulator =
        mdp::random_mdp(seed + 1000, {.states = 6, .actions = 2, .successors = 2, .all_actions = true});
    const Policy sop = mdp::solve(simulator).policy;
    const double threshold = .12;
    const GapDecomposition gap = gap_decomposition(truth, sop, {.support_threshold = threshold});
    EXPECT_NEAR(gap.local_value, local_value_by_enumeration(truth, sop, threshold), 1e-9) << seed;
    EXPECT_GE(gap.local_gap, 0);
    EXPECT_GE(gap.reach_gap, 0);
    EXPECT_NEAR(gap.local_gap + gap.reach_gap, gap.optimal_value - gap.deployed_value, 1e-12);
    binding += gap.multiplier > 0;
  }
  EXPECT_GE(binding, 10);  // the constraint matters often enough for this to test something
}

// The deployed policy keeps to one region: eta is 0, and the best policies that keep to it visit the other by
// nothing but rounding.
TEST(GapDecomposition, AgreesWithEnumerationWhereStatesAreImpossible) {
  int split = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Mdp truth = two_regions(seed, 3, 3, seed % 2 == 0 ? .9 : .999);
    std::vector<std::int32_t> home;
    home.reserve(static_cast<std::size_t>(truth.states()));
    for (std::int32_t s = 0; s < truth.states(); ++s) {
      home.push_back(truth.pair_begin()[s] +
                     static_cast<std::int32_t>((seed + static_cast<std::uint64_t>(s)) % 2));
    }
    const Policy deployed = Policy::deterministic(truth, home);
    const GapDecomposition gap = gap_decomposition(truth, deployed);
    const double scale = truth.reward_magnitude() / (1 - truth.discount());
    EXPECT_NEAR(gap.local_value, local_value_by_enumeration(truth, deployed, 1e-4), 1e-8 * scale) << seed;
    split += gap.local_gap > 1e-6 * scale && gap.reach_gap > 1e-6 * scale;
  }
  EXPECT_GE(split, 10);
}

// Every state counts as unreached: the constraint says nothing, and all is local.
TEST(GapDecomposition, AThresholdAboveAllVisitsSaysNothing) {
  const Mdp truth = mdp::random_mdp(12, {.states = 20, .discount = .999});
  const Policy sop =
      mdp::solve(mdp::random_mdp(12, {.states = 20, .discount = .999})
                     .with_reward(std::vector<double>(static_cast<std::size_t>(truth.pairs()), 1.0)))
          .policy;
  const GapDecomposition gap = gap_decomposition(truth, sop, {.support_threshold = 1});
  EXPECT_GT(gap.local_gap, 1);
  EXPECT_NEAR(gap.reach_gap, 0, 1e-6);
}

TEST(GapDecomposition, AnOptimalPolicyLeavesNothing) {
  const Mdp truth = mdp::random_mdp(5, {.states = 30});
  const GapDecomposition gap = gap_decomposition(truth, mdp::solve(truth).policy);
  EXPECT_NEAR(gap.local_gap, 0, 1e-9);
  EXPECT_NEAR(gap.reach_gap, 0, 1e-9);
}

TEST(GapDecomposition, BadArguments) {
  const Mdp truth = m3();
  const Policy policy = Policy::uniform(truth);
  EXPECT_THROW(gap_decomposition(truth, policy, {.support_threshold = -1}), InvalidArgument);
  EXPECT_THROW(gap_decomposition(truth, policy, {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW(gap_decomposition(truth.with_discount(1), policy), InvalidArgument);
}

}  // namespace gap_decomposition_test
}  // namespace mindgap::gap
