#include "mindgap/design/mirror_descent.h"

#include <gtest/gtest.h>

#include <numeric>

#include "design/cases.h"
#include "mindgap/base/error.h"
#include "mindgap/design/interior_point.h"
#include "mindgap/design/policy_flow.h"

namespace mindgap::design {
namespace mirror_descent_test {

// spec/tabular.md 4, "M3".
TEST(MirrorDescent, GoldenM3) {
  const M3Design m3;
  const std::vector<std::pair<Block, double>> golden{
      {Block::both, 1.713984439909}, {Block::rewards, 1.673240311202}, {Block::transitions, .040148186327}};
  for (const auto& [block, minimum] : golden) {
    const Minimum found =
        mirror_descent(Objective(m3.weights, m3.prior, block), *m3.pilot, {.relative_gap = 1e-6});
    EXPECT_EQ(found.status, MinimumStatus::converged);
    EXPECT_LE(found.relative_gap, 1e-6);
    EXPECT_GE(found.value, minimum * (1 - 1e-11));
    EXPECT_LE(found.value, minimum * (1 + 1e-6));
    EXPECT_LE(found.value - found.gap, minimum * (1 + 1e-11));
  }
}

// golden_tabular.json "treasure", pvv_SOP_start, pvv_softmax1 and pvv_uniformweights.
TEST(MirrorDescent, GoldenTreasure) {
  const TreasureDesign treasure;
  const auto check = [&](const Objective& objective, double optimum, double share_of_b) {
    const Minimum found = mirror_descent(objective, *treasure.pilot);
    EXPECT_EQ(found.status, MinimumStatus::converged);
    EXPECT_LE(found.relative_gap, 1e-3);
    EXPECT_GE(found.value, optimum * (1 - 1e-9));
    EXPECT_LE(found.value - found.gap, optimum * (1 + 1e-9));
    EXPECT_NEAR(treasure.share_of_b(found.counts), share_of_b, .02);
  };
  check(treasure.of(treasure.sop()), .018006654177079424, 5.61301160614445e-07);
  check(treasure.of(treasure.softmax()), .024290169618797226, .1757665323638811);
  check(treasure.uniform_weights(), .44211531710444857, .41719325583367506);
}

void compare_with_interior_point(std::uint64_t seed, double relative_gap) {
  const RandomDesign design(seed);
  for (const Occupancy* pilot : {design.discounted.get(), design.finite.get()}) {
    const Minimum truth = interior_point(*design.objective, *pilot);
    ASSERT_EQ(truth.status, MinimumStatus::converged) << seed;
    const Minimum found = mirror_descent(*design.objective, *pilot, {.relative_gap = relative_gap});
    EXPECT_EQ(found.status, MinimumStatus::converged) << seed << ' ' << found.relative_gap;
    EXPECT_LE(found.relative_gap, relative_gap);
    EXPECT_LE(found.value - found.gap, truth.value) << seed;  // an upper bound on the true excess
    EXPECT_GE(found.value, truth.value - truth.gap) << seed;
    EXPECT_EQ(found.value, design.objective->value(pilot->counts(found.pi)));
  }
}

TEST(MirrorDescent, AgreesWithTheInteriorPoint) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) compare_with_interior_point(seed, 1e-4);
}

// A pilot of 15 units and 7 steps on the treasure's grid, whose far corner is 8 moves away.
TEST(MirrorDescent, AgreesWithTheInteriorPointOnAFinitePilot) {
  const TreasureDesign treasure;
  std::vector<double> positions(24);
  positions[0] = 15;
  const auto pilot = finite_occupancies(treasure.mdp, positions, 7);
  for (const Objective& objective : {treasure.of(treasure.softmax()), treasure.uniform_weights()}) {
    const Minimum truth = interior_point(objective, *pilot), found = mirror_descent(objective, *pilot);
    EXPECT_EQ(truth.status, MinimumStatus::converged);
    EXPECT_EQ(found.status, MinimumStatus::converged);
    EXPECT_LE(found.value - found.gap, truth.value);
    EXPECT_GE(found.value, truth.value - truth.gap);
    EXPECT_LE(found.value, truth.value * (1 + 1e-3));
  }
}

TEST(MirrorDescentLong, WithinAMillionthOfTheInteriorPoint) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) compare_with_interior_point(seed, 1e-6);
}

// Stopped anywhere, the gap holds.
TEST(MirrorDescent, TheGapIsAlwaysABound) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomDesign design(seed);
    for (const Occupancy* pilot : {design.discounted.get(), design.finite.get()}) {
      const double optimum = interior_point(*design.objective, *pilot).value;
      double last = design.objective->value(pilot->counts(uniform_pi(*pilot)));
      for (std::int64_t iterations = 0; iterations <= 12; iterations += 3) {
        const Minimum found =
            mirror_descent(*design.objective, *pilot, {.relative_gap = 1e-12, .max_iterations = iterations});
        EXPECT_LE(found.value - found.gap, optimum);
        EXPECT_GE(found.value, optimum * (1 - 2e-9));
        EXPECT_LE(found.value, last * (1 + 1e-12));
        if (found.status == MinimumStatus::iteration_limit) {
          EXPECT_EQ(found.iterations, iterations);
        }
        last = found.value;
      }
    }
  }
}

// The policy gradient theorem: where probability h moves from one action of a state to another, f changes at
// the rate -mass(s) (A(one) - A(other)).
TEST(MirrorDescent, AdvantagesAreTheGradientOfFAlongPi) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomDesign design(seed);
    for (const Occupancy* pilot : {design.discounted.get(), design.finite.get()}) {
      const auto flow = policy_flow(*pilot, 1);
      const auto pairs = static_cast<std::size_t>(design.mdp.pairs());
      const std::vector<double> pi = uniform_pi(*pilot), counts = pilot->counts(pi);
      std::vector<double> mass = flow->first_mass(), price(pairs), advantage(pi.size());
      flow->forward(pi, mass, 1e-13);
      design.objective->derivatives(counts, price);
      for (double& p : price) p = -p;
      flow->advantages(pi, price, advantage, 1e-13);
      const std::size_t last_step = pi.size() - pairs;
      for (const std::size_t offset : {std::size_t{0}, last_step}) {
        const std::size_t node = offset / pairs * static_cast<std::size_t>(design.mdp.states());
        const std::int32_t s = static_cast<std::int32_t>(seed) % design.mdp.states();
        const std::int32_t first = design.mdp.pair_begin()[s], other = design.mdp.pair_begin()[s + 1] - 1;
        const double h = 1e-5;
        std::vector<double> up = pi, down = pi;
        up[offset + first] += h, up[offset + other] -= h;
        down[offset + first] -= h, down[offset + other] += h;
        const double difference =
            (design.objective->value(pilot->counts(up)) - design.objective->value(pilot->counts(down))) /
            (2 * h);
        const double slope = -mass[node + s] * (advantage[offset + first] - advantage[offset + other]);
        EXPECT_NEAR(difference, slope, 1e-7 * design.objective->value(counts)) << seed;
      }
    }
  }
}

// A ring forgets its start slowly: the sweeps are given up and the linear solver takes over.
TEST(PolicyFlow, SlowModelsAreSolvedTheOtherWay) {
  const std::int32_t size = 40;
  std::vector<std::vector<double>> rows;
  std::vector<double> reward(2 * size), start(size), pi(2 * size);
  for (std::int32_t s = 0; s < size; ++s) {
    for (const std::int32_t to : {(s + 1) % size, s}) {
      rows.emplace_back(size);
      rows.back()[to] = 1;
    }
    pi[2 * s] = .9;
    pi[2 * s + 1] = .1;
  }
  start[0] = 1;
  const mdp::Mdp mdp = gap::dense_mdp(.99, start, 2, reward, rows);
  const auto pilot = discounted_occupancies(mdp, start, 7);
  const auto flow = policy_flow(*pilot, 1);
  std::vector<double> mass = flow->first_mass(), price(2 * size), advantage(2 * size);
  flow->forward(pi, mass, 1e-12);
  price[2 * 20] = 1;
  flow->advantages(pi, price, advantage, 1e-12);
  const std::vector<double> counts = pilot->counts(pi);
  const mdp::Mdp priced = mdp.with_reward(price);
  const mdp::Evaluation truth = mdp::evaluate(priced, mdp::Policy::stochastic(mdp, pi));
  const std::vector<double> action_value = mdp::action_values(priced, truth.value);
  for (std::int32_t k = 0; k < 2 * size; ++k) {
    EXPECT_NEAR(mass[k / 2] * pi[k], counts[k], 1e-10);
    EXPECT_NEAR(advantage[k], action_value[k] - truth.value[k / 2], 1e-10);
  }
}

TEST(PolicyFlow, AdvantagesAreAsExactAsAsked) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const mdp::Mdp mdp = mdp::random_mdp(seed, {.states = 30, .actions = 3, .discount = .9});
    const auto pilot = discounted_occupancies(mdp, {mdp.start().begin(), mdp.start().end()}, 7);
    const std::vector<double> pi = uniform_pi(*pilot);
    const mdp::Evaluation truth = mdp::evaluate(mdp, mdp::Policy::stochastic(mdp, pi), {.tolerance = 1e-12});
    const std::vector<double> action_value = mdp::action_values(mdp, truth.value);
    const std::vector<double> price(mdp.reward().begin(), mdp.reward().end());
    for (const double tolerance : {.1, .001}) {
      std::vector<double> advantage(pi.size());
      policy_flow(*pilot, 1)->advantages(pi, price, advantage, tolerance);
      for (std::int32_t k = 0; k < mdp.pairs(); ++k)
        EXPECT_NEAR(advantage[k], action_value[k] - truth.value[mdp.state_of_pair(k)], tolerance) << seed;
    }
  }
}

TEST(MirrorDescent, TheSameBitsForAnyNumberOfThreads) {
  const mdp::Mdp mdp = mdp::random_mdp(5, {.states = 3000, .actions = 3});
  const gap::PvvWeights weights =
      gap::pvv_weights(mdp, mdp::Policy::uniform(mdp),
                       {.method = gap::WeightsMethod::probing, .probes = 4, .run = {.threads = 2}});
  const Objective objective(weights, same_prior(mdp, .25, 4, 5));
  const std::vector<double> start(mdp.start().begin(), mdp.start().end());
  for (const bool finite : {false, true}) {
    const auto pilot = finite ? finite_occupancies(mdp, start, 3) : discounted_occupancies(mdp, start, 1000);
    const Minimum one = mirror_descent(objective, *pilot, {.relative_gap = 1e-2, .threads = 1});
    const Minimum three = mirror_descent(objective, *pilot, {.relative_gap = 1e-2, .threads = 3});
    EXPECT_EQ(one.status, MinimumStatus::converged);
    EXPECT_EQ(one.pi, three.pi);
    EXPECT_EQ(one.value, three.value);
    EXPECT_EQ(one.gap, three.gap);
  }
}

TEST(MirrorDescent, BeginsWhereItIsTold) {
  const M3Design m3;
  const Objective objective(m3.weights, m3.prior);
  const Minimum best = interior_point(objective, *m3.pilot);
  const Minimum found = mirror_descent(objective, *m3.pilot, {.relative_gap = 1e-6, .initial_pi = best.pi});
  EXPECT_EQ(found.status, MinimumStatus::converged);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_NEAR(found.value, best.value, 1e-8);
}

TEST(MirrorDescent, LimitsAndProgress) {
  const M3Design m3;
  const Objective objective(m3.weights, m3.prior);
  int calls = 0;
  const Minimum early =
      mirror_descent(objective, *m3.pilot,
                     {.relative_gap = 1e-9, .max_iterations = 3, .on_iteration = [&](double, double wanted) {
                        ++calls;
                        EXPECT_EQ(wanted, 1e-9);
                      }});
  EXPECT_EQ(early.status, MinimumStatus::iteration_limit);
  EXPECT_EQ(calls, 3);
  EXPECT_GT(early.relative_gap, 1e-9);
  EXPECT_EQ(to_string(early.status), "iteration_limit");
  const Minimum none = mirror_descent(objective, *m3.pilot, {.relative_gap = 1e-9, .time_limit = 0});
  EXPECT_EQ(none.status, MinimumStatus::time_limit);
  EXPECT_GT(none.gap, 0);
}

// Asked for more than doubles can tell, it ends by itself.
TEST(MirrorDescent, StopsWhereRoundingStopsIt) {
  const M3Design m3;
  const Minimum found = mirror_descent(Objective(m3.weights, m3.prior), *m3.pilot, {.relative_gap = 1e-18});
  EXPECT_EQ(found.status, MinimumStatus::precision_limit);
  EXPECT_NEAR(found.value, 1.713984439909, 1e-11);  // spec/tabular.md 4
  EXPECT_GT(found.gap, 0);
}

TEST(MirrorDescent, NothingToLearn) {
  const M3Design m3;
  gap::PvvWeights weights;
  weights.reward.assign(6, 0.0);
  weights.transition.assign(6, 0.0);
  const Minimum found = mirror_descent(Objective(weights, m3.prior), *m3.pilot);
  EXPECT_EQ(found.value, 0);
  EXPECT_EQ(found.relative_gap, 0);
  EXPECT_EQ(found.status, MinimumStatus::converged);
}

TEST(MirrorDescent, BadArguments) {
  const M3Design m3;
  const Objective objective(m3.weights, m3.prior);
  EXPECT_THROW(mirror_descent(objective, *m3.pilot, {.relative_gap = 0}), InvalidArgument);
  EXPECT_THROW(mirror_descent(objective, *m3.pilot, {.relative_gap = NAN}), InvalidArgument);
  EXPECT_THROW(mirror_descent(objective, *m3.pilot, {.max_iterations = -1}), InvalidArgument);
  EXPECT_THROW(mirror_descent(objective, *m3.pilot, {.time_limit = -1}), InvalidArgument);
  EXPECT_THROW(mirror_descent(objective, *m3.pilot, {.threads = -1}), InvalidArgument);
  EXPECT_THROW(mirror_descent(objective, *m3.pilot, {.initial_pi = {1, 0, 1}}), InvalidArgument);
  EXPECT_THROW(mirror_descent(objective, *m3.pilot, {.initial_pi = {1, 1, 1, 0, 1, 0}}), InvalidArgument);
  EXPECT_THROW(mirror_descent(objective, *TreasureDesign().pilot), InvalidArgument);
}

}  // namespace mirror_descent_test
}  // namespace mindgap::design
