#include "mindgap/design/pilot_size.h"

#include <gtest/gtest.h>

#include <cmath>

#include "design/beliefs.h"
#include "design/frank_wolfe.h"
#include "gap/golden_models.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/design/target.h"

namespace mindgap::design {
namespace pilot_size_test {

using mdp::Mdp;

LeastVariance tight(double gap = 1e-4) {
  return [gap](const Objective& objective, const Occupancy& pilot) {
    return frank_wolfe(objective, pilot, gap).value;
  };
}

PilotSizeSetup setup_of(const Mdp& mdp, const gap::PvvWeights& weights, const gap::Precision& prior,
                        double gap = 1e-4) {
  return {
      .mdp = mdp,
      .start = {mdp.start().begin(), mdp.start().end()},
      .objective = [objective = Objective(weights, prior)](std::int64_t, std::int64_t) { return objective; },
      .minimise = tight(gap)};
}

PilotSizeSetup m3_setup(double gap = 1e-4) {
  const Mdp mdp = gap::m3();
  return setup_of(mdp, gap::pvv_weights(mdp, gap::m3_target(mdp)),
                  {std::vector<double>(6, .25), std::vector<double>(6, 4.0), std::vector<double>(6, 5.0)},
                  gap);
}

// One state, two actions with mean rewards of variance s0^2/2 each: their difference has s0^2.
struct Stateless {
  gap::StatelessProblem problem{
      .units = 100, .discount = .9, .prior_mean = .5, .prior_sd = .8, .observation_variance = 1.7};
  Mdp mdp = gap::dense_mdp(0, {1}, 2, {.5, 0}, {{1}, {1}});
  gap::Precision prior{std::vector<double>(2, .32), std::vector<double>(2, 1 / 1.7),
                       std::vector<double>(2, INFINITY)};
  gap::PvvWeights weights = [] {
    gap::PvvWeights one;
    one.reward = {1, 1};
    one.transition = {0, 0};
    return one;
  }();
};

// s0^2 - nu^2 in three ways: gap's closed form, ours, and the minimal criterion. By hand at n_e = 10:
// 4 * 1.7 * .64 / (4 * 1.7 + .64 * 10) = 4.352 / 13.2.
TEST(PilotSize, StatelessClosedForm) {
  const Stateless c;
  EXPECT_NEAR(stateless_pvv(c.problem, 10), 4.352 / 13.2, 1e-15);
  const PilotSizeSetup setup = setup_of(c.mdp, c.weights, c.prior, 1e-9);
  for (const std::int64_t n : {0, 1, 2, 7, 10, 100}) {
    const double nu = gap::preposterior_sd(c.problem, static_cast<double>(n));
    const double left = .64 - nu * nu;
    EXPECT_NEAR(stateless_pvv(c.problem, static_cast<double>(n)), left, 1e-14);
    EXPECT_NEAR(minimal_pvv(setup, n, 1), left, 1e-8);
    EXPECT_NEAR(minimal_pvv(setup, 1, n), left, 1e-8);  // steps are as good as units
  }
}

// The difference target gives the same criterion: mu_m - mu_0 is -1 at the current action and +1 at the
// other for each member that prefers the other, so its weights are 1 times the share of such members.
TEST(PilotSize, StatelessFromTheDifferenceTarget) {
  const Stateless c;
  const belief::Belief belief(c.mdp, {{std::sqrt(.32), std::sqrt(.32)}, {1, 1}}, {1.7, 1.7});
  const gap::PvvWeights weights = target_weights(belief, target_from_string("difference:400")).weights;
  EXPECT_EQ(weights.reward[0], weights.reward[1]);
  // P(difference < 0) = Phi(-.5/.8) = .266, standard error sqrt(.266 * .734 / 400) = .022.
  EXPECT_NEAR(weights.reward[0], .266, 4 * .022);
  const Objective objective(weights, gap::precision_of(belief));
  const double nu = gap::preposterior_sd(c.problem, 10);
  EXPECT_NEAR(objective.value(std::vector<double>{5, 5}), weights.reward[0] * (.64 - nu * nu), 1e-12);
}

TEST(PilotSize, StatelessPilotUnits) {
  const Stateless c;
  EXPECT_EQ(stateless_pilot_units(c.problem, 0), 0);
  for (const double share : {.1, .5, .9}) {
    const double n = stateless_pilot_units(c.problem, share);
    EXPECT_NEAR(stateless_pvv(c.problem, n), (1 - share) * .64, 1e-12);
    // Whole units: the smallest pilot found by bisection is the next whole number.
    const std::vector<std::int64_t> one{1};
    const SmallestPilot pilot = smallest_pilot(setup_of(c.mdp, c.weights, c.prior, 1e-9), share, one, 1000);
    EXPECT_TRUE(pilot.found);
    EXPECT_EQ(static_cast<double>(pilot.units), std::ceil(n));
    EXPECT_GE(pilot.removed, share);
  }
}

// golden_tabular.json "M3": discounted occupancies, N = 10, minimum 1.713984439909; without a pilot
// 4.756332997950.
TEST(PilotSize, GoldenM3) {
  PilotSizeSetup setup = m3_setup(1e-5);
  setup.finite = false;
  EXPECT_NEAR(minimal_pvv(setup, 2, 5), 1.713984439909, 1e-5 * 1.714);
  EXPECT_NEAR(minimal_pvv(setup, 5, 2), 1.713984439909, 1e-5 * 1.714);
  EXPECT_NEAR(minimal_pvv(setup, 0, 5), 4.756332997950, 5e-9);
}

TEST(PilotSize, TableFallsAlongBoth) {
  const double gap = 1e-4;
  const PilotSizeSetup setup = m3_setup(gap);
  const PilotSizes sizes = pilot_sizes(setup, {1, 2, 4, 8}, {1, 3, 5});
  ASSERT_EQ(sizes.pvv.size(), 12u);
  EXPECT_EQ(sizes.at(2, 1), minimal_pvv(setup, 2, 5));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(sizes.without[i], 4.756332997950, 5e-9);
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_GT(sizes.fall_per_unit(i, j), 0);
      EXPECT_GT(sizes.fall_per_step(i, j), 0);
      // A convex f of counts that scale with units: what a unit adds falls.
      if (j > 0) {
        EXPECT_LT(sizes.fall_per_unit(i, j), sizes.fall_per_unit(i, j - 1) + gap * sizes.without[0]);
      }
    }
  }
  EXPECT_NEAR(sizes.fall_per_unit(1, 2), (sizes.at(1, 1) - sizes.at(1, 2)) / 2, 1e-14);
  EXPECT_NEAR(sizes.fall_per_step(1, 2), (sizes.at(0, 2) - sizes.at(1, 2)) / 2, 1e-14);
  EXPECT_NEAR(sizes.fall_per_unit(1, 0), sizes.without[1] - sizes.at(1, 0), 1e-14);
  EXPECT_NEAR(sizes.fall_per_step(0, 3), sizes.without[0] - sizes.at(0, 3), 1e-14);
}

// d f*/d units = <grad f(n*), n*> / units (n = units times a fixed polytope; envelope theorem): one more of
// 100 units is close to that.
TEST(PilotSize, MarginsAgreeWithTheDerivative) {
  const PilotSizeSetup setup = m3_setup(1e-6);
  const PilotMargins margins = pilot_margins(setup, 100, 4);
  const auto pilot = finite_occupancies(setup.mdp, {100, 0, 0}, 4);
  const Objective objective = setup.objective(100, 4);
  const FrankWolfe best = frank_wolfe(objective, *pilot, 1e-6);
  std::vector<double> gradient(6);
  objective.derivatives(best.counts, gradient);
  double slope = 0;
  for (std::size_t k = 0; k < 6; ++k) slope -= gradient[k] * best.counts[k] / 100;
  EXPECT_NEAR(margins.one_more_unit, slope, .02 * slope);
  EXPECT_GT(margins.one_more_step, margins.one_more_unit);  // 100 observations more, against 4
  EXPECT_NEAR(margins.pvv, best.value, 1e-6);
}

// Two rooms in a row, only the second unknown: one step never gets there, two steps of n units look n times.
// W = sigma^2 = tau = 1: f = 1/(1 + n (steps - 1)). Half is gone from n (steps - 1) >= 1 on.
TEST(PilotSize, SmallestPilotByHand) {
  const Mdp mdp = gap::dense_mdp(.9, {1, 0}, 1, {0, 0}, {{0, 1}, {0, 1}});
  gap::PvvWeights weights;
  weights.reward = {0, 1};
  weights.transition = {0, 0};
  const PilotSizeSetup setup = setup_of(mdp, weights, {{1, 1}, {1, 1}, {INFINITY, INFINITY}});
  EXPECT_NEAR(minimal_pvv(setup, 5, 1), 1, 1e-14);
  EXPECT_NEAR(minimal_pvv(setup, 5, 3), 1.0 / 11, 1e-14);
  const std::vector<std::int64_t> steps{1, 2, 3, 5};
  // .875: n (steps-1) >= 7: 7 x 2 = 14, 4 x 3 = 12, 2 x 5 = 10 unit-steps.
  const SmallestPilot pilot = smallest_pilot(setup, .875, steps, 20);
  EXPECT_TRUE(pilot.found);
  EXPECT_EQ(pilot.units_by_steps, (std::vector<std::int64_t>{0, 7, 4, 2}));
  EXPECT_EQ(pilot.units, 2);
  EXPECT_EQ(pilot.steps, 5);
  EXPECT_NEAR(pilot.pvv, 1.0 / 9, 1e-14);
  EXPECT_NEAR(pilot.removed, 8.0 / 9, 1e-14);
  // Not to be had with 3 units: the most is 3 * 4 = 12 looks.
  const SmallestPilot none = smallest_pilot(setup, .99, steps, 3);
  EXPECT_FALSE(none.found);
  EXPECT_NEAR(none.removed, 12.0 / 13, 1e-14);
}

// What the others observe lowers what is left for the pilot: `without` falls with the steps.
TEST(PilotSize, CreditEntersThroughTheObjective) {
  const Mdp mdp = gap::m3();
  const belief::Belief belief = even_belief(mdp, .5, 5, .25);
  const gap::PvvWeights weights = gap::pvv_weights(mdp, gap::m3_target(mdp));
  PilotSizeSetup setup = m3_setup();
  setup.objective = [&](std::int64_t units, std::int64_t steps) {
    const std::vector<double> others{static_cast<double>(10 - units), 0, 0};
    return Objective(weights, gap::precision_of(belief), Block::both, credit(belief, others, steps));
  };
  const PilotSizes sizes = pilot_sizes(setup, {1, 5}, {2, 6});
  EXPECT_GT(sizes.no_steps, sizes.without[0]);
  EXPECT_GT(sizes.without[0], sizes.without[1]);
  EXPECT_GT(sizes.without[1], sizes.at(1, 0));
  EXPECT_GT(sizes.at(1, 0), sizes.at(1, 1));
}

TEST(PilotSize, BadArguments) {
  const PilotSizeSetup good = m3_setup();
  PilotSizeSetup bad = good;
  bad.start = {1, 0};
  EXPECT_THROW(minimal_pvv(bad, 1, 1), InvalidArgument);
  bad.start = {.5, 0, 0};
  EXPECT_THROW(minimal_pvv(bad, 1, 1), InvalidArgument);
  bad = good;
  bad.minimise = nullptr;
  EXPECT_THROW(minimal_pvv(bad, 1, 1), InvalidArgument);
  bad = good;
  bad.objective = nullptr;
  EXPECT_THROW(minimal_pvv(bad, 1, 1), InvalidArgument);
  EXPECT_THROW(minimal_pvv(good, -1, 1), InvalidArgument);
  EXPECT_THROW(minimal_pvv(good, 1, -1), InvalidArgument);
  EXPECT_THROW(pilot_sizes(good, {}, {1}), InvalidArgument);
  EXPECT_THROW(pilot_sizes(good, {1}, {2, 2}), InvalidArgument);
  EXPECT_THROW(pilot_sizes(good, {0, 1}, {2}), InvalidArgument);
  const std::vector<std::int64_t> steps{1};
  EXPECT_THROW(smallest_pilot(good, 0, steps, 5), InvalidArgument);
  EXPECT_THROW(smallest_pilot(good, 1, steps, 5), InvalidArgument);
  EXPECT_THROW(smallest_pilot(good, NAN, steps, 5), InvalidArgument);
  EXPECT_THROW(smallest_pilot(good, .5, steps, 0), InvalidArgument);
  EXPECT_THROW(smallest_pilot(good, .5, {}, 5), InvalidArgument);
  const Stateless c;
  EXPECT_THROW(stateless_pvv(c.problem, -1), InvalidArgument);
  EXPECT_THROW(stateless_pilot_units(c.problem, 1), InvalidArgument);
  EXPECT_THROW(stateless_pilot_units({}, .5), InvalidArgument);
}

}  // namespace pilot_size_test
}  // namespace mindgap::design
