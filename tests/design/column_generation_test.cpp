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
namespace {

using mdp::Mdp;
using mdp::Policy;

const ColumnGenerationOptions kTight{.relative_gap = 1e-9};

gap::Precision prior_of(const Mdp& mdp, double variance, double tau, double alpha) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {std::vector<double>(pairs, variance), std::vector<double>(pairs, tau),
          std::vector<double>(pairs, alpha)};
}

// spec/tabular.md 4, golden_tabular.json "M3".
TEST(ColumnGeneration, GoldenM3) {
  const Mdp mdp = gap::m3();
  const gap::PvvWeights weights = gap::pvv_weights(mdp, gap::m3_target(mdp));
  const gap::Precision prior = prior_of(mdp, .25, 4, 5);
  const auto pilot = discounted_occupancies(mdp, {1, 0, 0}, 10);
  const auto minimum = [&](Block block) {
    const auto result = minimise_by_columns(Objective(weights, prior, block), *pilot, {}, kTight);
    EXPECT_EQ(result.status, MinimiseStatus::converged);
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
    EXPECT_EQ(result.status, MinimiseStatus::converged);
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

// A model of 2 or 3 states and steps with two groups, and random weights and priors.
struct Small {
  explicit Small(std::uint64_t seed) {
    const auto states = static_cast<std::int32_t>(2 + seed % 2), actions = 2;
    steps = states == 2 ? 3 : 2;
    mdp::MdpArrays arrays = mdp::random_arrays(
        seed, {.states = states, .actions = actions, .successors = 2, .all_actions = true});
    arrays.labels.groups = mdp::NameTable({"A", "B"});
    arrays.labels.group_of_state.assign(static_cast<std::size_t>(states), 0);
    arrays.labels.group_of_state[0] = 1;
    mdp = std::make_unique<Mdp>(std::move(arrays));
    std::vector<double> positions(static_cast<std::size_t>(states), 0.0);
    positions[0] = 2;
    positions[1] = 1;
    pilot = finite_occupancies(*mdp, positions, steps);
    const auto pairs = static_cast<std::size_t>(mdp->pairs());
    gap::PvvWeights weights;
    for (std::size_t k = 0; k < pairs; ++k) {
      weights.reward.push_back(1 + std::sin(static_cast<double>(seed + 3 * k)));
      weights.transition.push_back(.2 * (1 + std::cos(static_cast<double>(2 * seed + k))));
      cost.push_back(1.5 + std::sin(static_cast<double>(5 * seed + 2 * k)));
    }
    objective = std::make_unique<Objective>(weights, prior_of(*mdp, .5, 2, 3));
  }
  std::int64_t steps;
  std::unique_ptr<Mdp> mdp;
  std::unique_ptr<Occupancy> pilot;
  std::unique_ptr<Objective> objective;
  std::vector<double> cost;
};

TEST(ColumnGeneration, AgreesWithMixturesOfAllPolicies) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Small small(seed);
    const auto result = minimise_by_columns(*small.objective, *small.pilot, {}, kTight);
    const OracleResult oracle = oracle_minimum(*small.objective, enumerate_policies(*small.pilot), {}, {});
    EXPECT_NEAR(result.value, oracle.value, 1e-6 * oracle.value) << seed;
    const auto early = minimise_by_columns(*small.objective, *small.pilot, {}, {.relative_gap = .02});
    EXPECT_LE(early.value - result.value, early.gap + 1e-12) << seed;
    EXPECT_LE(early.gap, .02 * early.value);
  }
}

}  // namespace
}  // namespace mindgap::design
