#include "mindgap/design/column_generation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "design/tiny_models.h"
#include "gap/golden_models.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::design {
namespace column_generation_test {

using mdp::Mdp;
using mdp::Policy;

const ColumnGenerationOptions kTight{.relative_gap = 1e-9};

// spec/tabular.md 4, golden_tabular.json "M3".
TEST(ColumnGeneration, GoldenM3) {
  const Mdp mdp = gap::m3();
  const gap::PvvWeights weights = gap::pvv_weights(mdp, gap::m3_target(mdp));
  const gap::Precision prior = prior_of(mdp, .25, 4, 5);
  const auto pilot = discounted_occupancies(mdp, {1, 0, 0}, 10);
  const auto minimum = [&](Block block) {
    const auto result = minimise_by_columns(Objective(weights, prior, block), *pilot, {}, kTight);
    EXPECT_EQ(result.status, MinimumStatus::converged);
    return result.value;
  };
  EXPECT_NEAR(minimum(Block::both), 1.713984439909, 1.7e-9);
  EXPECT_NEAR(minimum(Block::rewards), 1.673240311202, 1.7e-9);
  EXPECT_NEAR(minimum(Block::transitions), .040148186327, 4e-11);
}

Policy softmax_policy(const Mdp& mdp, const std::vector<double>& q) {
  std::vector<double> pi(q.size());
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    double sum = 0;
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k)
      sum += pi[k] = std::exp(q[k]);
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) pi[k] /= sum;
  }
  return Policy::stochastic(mdp, pi);
}

// golden_tabular.json "treasure": rewards only, prior variance .09, tau 100, N 225, from (0,0). The share of
// the counts in region B (columns 3 to 5) is unique only where f depends on it.
TEST(ColumnGeneration, GoldenTreasure) {
  const Mdp mdp = gap::treasure_simulator();
  const gap::Precision prior = prior_of(mdp, .09, 100, INFINITY);
  std::vector<double> positions(24, 0.0);
  positions[0] = 1;
  const auto pilot = discounted_occupancies(mdp, positions, 225);
  const mdp::Solution sop = mdp::solve(mdp);
  const Policy soft = softmax_policy(mdp, mdp::action_values(mdp, sop.value));
  const auto check = [&](const gap::PvvWeights& weights, double f, double mass) {
    const auto result = minimise_by_columns(Objective(weights, prior, Block::rewards), *pilot, {}, kTight);
    EXPECT_EQ(result.status, MinimumStatus::converged);
    EXPECT_NEAR(result.value, f, 1e-6 * f);
    double in_b = 0;
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      if (mdp.state_of_pair(k) % 6 >= 3) in_b += result.counts[k] / 225;
    }
    EXPECT_NEAR(in_b, mass, 1e-4);
  };
  check(gap::pvv_weights(mdp, sop.policy), .018006654177, 5.613e-7);
  check(gap::pvv_weights(mdp, soft), .024290169619, .17576653);
  gap::PvvWeights flat;
  flat.reward.assign(96, 1.0);
  flat.transition.assign(96, 0.0);
  check(flat, .442115317104, .41719326);
}

TEST(ColumnGeneration, AgreesWithMixturesOfAllPolicies) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Small small(seed);
    const auto result = minimise_by_columns(*small.objective, *small.pilot, {}, kTight);
    const OracleResult oracle = Oracle(*small.objective, enumerate_policies(*small.pilot), {}, {}).solve();
    EXPECT_NEAR(result.value, oracle.value, 1e-6 * oracle.value) << seed;
    const auto early = minimise_by_columns(*small.objective, *small.pilot, {}, {.relative_gap = .02});
    EXPECT_LE(early.value - result.value, early.gap + 1e-12) << seed;
    EXPECT_LE(early.gap, .02 * early.value);
  }
}

// Reward weights 1 in two rooms that a unit can choose between at each of two steps: f = 1/(1+a) + 1/(1+b)
// with a + b = 2 is least at a = b = 1, where it is 1; from n = 0 the first corner (2, 0) has f = 4/3 and by
// grad = (-1/9, -1) the gap 2 (1 - 1/9) = 16/9.
struct TwoRooms {
  Mdp mdp = gap::dense_mdp(.9, {1}, 2, {0, 0}, {{1}, {1}});
  Objective objective{gap::PvvWeights{.reward = {1, 1}, .transition = {0, 0}}, prior_of(mdp, 1, 1, INFINITY)};
};

TEST(ColumnGeneration, TwoRoomsByHand) {
  const TwoRooms rooms;
  const auto pilot = finite_occupancies(rooms.mdp, {1}, 2);
  const auto result = minimise_by_columns(rooms.objective, *pilot, {}, kTight);
  EXPECT_NEAR(result.value, 1, 1e-9);
  EXPECT_NEAR(result.counts[0], 1, 1e-4);
  EXPECT_EQ(std::accumulate(result.weights.begin(), result.weights.end(), 0.0), 1);
  const auto first = minimise_by_columns(rooms.objective, *pilot, {}, {.max_iterations = 1});
  EXPECT_EQ(first.status, MinimumStatus::iteration_limit);
  EXPECT_EQ(first.corners.size(), 1);
  EXPECT_NEAR(first.value, 4.0 / 3, 1e-14);
  EXPECT_NEAR(first.gap, 16.0 / 9, 1e-12);
  EXPECT_NEAR(first.relative_gap, 4.0 / 3, 1e-12);
}

// At most a = 1/2 of the first room's visits: f = 1/(3/2) + 1/(5/2) = 16/15, and the multiplier is
// df/da = 1/(3/2)^2 - 1/(5/2)^2 = 64/225.
TEST(ColumnGeneration, MultiplierByHand) {
  const TwoRooms rooms;
  const auto pilot = finite_occupancies(rooms.mdp, {1}, 2);
  Constraints constraints;
  constraints.linear.push_back(cost_budget(*pilot, std::vector<double>{1, 0}, .5));
  const auto result = minimise_by_columns(rooms.objective, *pilot, constraints, kTight);
  EXPECT_NEAR(result.value, 16.0 / 15, 1e-9);
  ASSERT_EQ(result.multipliers.size(), 1);
  EXPECT_NEAR(result.multipliers[0], 64.0 / 225, 1e-6);
}

TEST(ColumnGeneration, NothingToLearn) {
  const TwoRooms rooms;
  const Objective nothing(gap::PvvWeights{.reward = {0, 0}, .transition = {0, 0}},
                          prior_of(rooms.mdp, 1, 1, 1));
  const auto result = minimise_by_columns(nothing, *finite_occupancies(rooms.mdp, {1}, 2));
  EXPECT_EQ(result.status, MinimumStatus::converged);
  EXPECT_EQ(result.value, 0);
  EXPECT_EQ(result.gap, 0);
}

// A first look removes all but 1e-9 of a variance: 3 units in 3 rooms leave next to nothing.
TEST(ColumnGeneration, NoiselessLooks) {
  const Mdp mdp = gap::dense_mdp(.9, {1}, 3, {0, 0, 0}, {{1}, {1}, {1}});
  const Objective objective(gap::PvvWeights{.reward = {1, 4, 9}, .transition = {0, 0, 0}},
                            prior_of(mdp, 1, INFINITY, INFINITY));
  const auto result =
      minimise_by_columns(objective, *finite_occupancies(mdp, {3}, 1), {}, {.relative_gap = 1e-6});
  EXPECT_EQ(result.status, MinimumStatus::converged);
  // n is in proportion to the roots 1, 2, 3 of the weights, so f = sum W / (1e9 n) = 1e-9 (1 + 2 + 3)^2 / 3.
  EXPECT_NEAR(result.value, 12e-9, 1e-5 * 12e-9);
}

// One minimum, whatever it starts from, and the same bits each time and for any number of threads.
TEST(ColumnGeneration, StartAndThreadsDoNotMatter) {
  const Mdp mdp = mdp::random_mdp(4, {.states = 30, .actions = 3});
  std::vector<double> positions(30, 0.0);
  positions[3] = 5;
  const Objective objective(gap::pvv_weights(mdp, Policy::uniform(mdp)), prior_of(mdp, .3, 2, 4));
  const auto pilot = finite_occupancies(mdp, positions, 6, 1),
             parallel = finite_occupancies(mdp, positions, 6, 3);
  const auto one = minimise_by_columns(objective, *pilot, {}, {.relative_gap = 1e-7});
  const auto two = minimise_by_columns(objective, *parallel, {}, {.relative_gap = 1e-7});
  EXPECT_EQ(one.counts, two.counts);
  EXPECT_EQ(one.weights, two.weights);
  std::vector<double> flat(static_cast<std::size_t>(mdp.pairs()), 0.0);
  flat[7] = 1;
  const auto seeded =
      minimise_by_columns(objective, *pilot, {}, {.relative_gap = 1e-7, .initial = {pilot->best(flat)}});
  EXPECT_NEAR(seeded.value, one.value, 2e-7 * one.value);
  const auto again =
      minimise_by_columns(objective, *pilot, {}, {.relative_gap = 1e-6, .initial = one.corners});
  EXPECT_EQ(again.iterations, 1);
  for (const double w : one.weights) EXPECT_GT(w, 0);
}

TEST(ColumnGeneration, LimitsAndBadArguments) {
  const TwoRooms rooms;
  const auto pilot = finite_occupancies(rooms.mdp, {1}, 2);
  const auto stopped =
      minimise_by_columns(rooms.objective, *pilot, {}, {.relative_gap = 1e-9, .time_limit = 0});
  EXPECT_EQ(stopped.status, MinimumStatus::time_limit);
  EXPECT_EQ(to_string(stopped.status), "time_limit");
  int calls = 0;
  minimise_by_columns(rooms.objective, *pilot, {}, {.on_iteration = [&](double, double wanted) {
                        ++calls;
                        EXPECT_EQ(wanted, 1e-3);
                      }});
  EXPECT_GT(calls, 0);
  const auto bad = [&](const ColumnGenerationOptions& options) {
    EXPECT_THROW(minimise_by_columns(rooms.objective, *pilot, {}, options), InvalidArgument);
  };
  bad({.relative_gap = 0});
  bad({.time_limit = -1});
  bad({.max_iterations = 0});
  bad({.initial = {Corner{}}});
  const Mdp other = gap::m3();
  EXPECT_THROW(minimise_by_columns(rooms.objective, *finite_occupancies(other, {1, 0, 0}, 2)),
               InvalidArgument);
}

}  // namespace column_generation_test
}  // namespace mindgap::design
