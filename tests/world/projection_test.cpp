#include "mindgap/world/projection.h"

#include <gtest/gtest.h>

#include <map>

#include "world/example_e.h"
#include "world/random_worlds.h"

namespace mindgap::world {
namespace projection_test {

void expect_near(std::span<const double> values, const std::vector<double>& wanted, double tolerance) {
  ASSERT_EQ(values.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(values[i], wanted[i], tolerance) << i;
}

// spec/tabular.md 5.
TEST(Projection, ExampleE) {
  const HiddenModel world = example_e::model();
  const std::vector<double> given = hidden_given_pair(world);
  const std::vector<double> wanted = {.9333333333, .6, .5, .6923076923, .6666666667, .4};
  for (std::int32_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(given[world.cell(k, 0)], wanted[k], 1e-9);
    EXPECT_NEAR(given[world.cell(k, 0)] + given[world.cell(k, 1)], 1, 1e-15);
  }
  expect_near(deployment_projection(world).reward(), {.36, .66, .6, .2, .47, .32}, 1e-9);
  expect_near(calibration_kernel(world).reward(), {.2266666667, .66, .6, .1615384615, .4333333333, .36},
              1e-9);
  // By hand: calibration(h0|s) r(h0) + calibration(h1|s) r(h1), the first .8 * .2 + .2 * .6.
  expect_near(calibration_marginal(world).reward(), {.28, .58, .64, .18, .45, .4}, 1e-12);
  expect_near(do_variance(world), {.0604, .0624, .07, .03, .0321, .0786}, 1e-12);
  // By hand for the first: weights 14/15 and 1/15, so (14 * .01 + .04)/15 + 14/225 * .4^2.
  EXPECT_NEAR(observational_variance(world)[0], .18 / 15 + 14 * .16 / 225, 1e-12);
  // By hand: .6 * (.7, .2, .1) + .4 * (.5, .3, .2).
  const mdp::Mdp projection = deployment_projection(world);
  expect_near(projection.probability().first(3), {.62, .24, .14}, 1e-12);
}

TEST(Projection, KeepsWhatIsNotAveraged) {
  const HiddenModel world = example_e::model();
  for (const mdp::Mdp& mdp :
       {deployment_projection(world), calibration_kernel(world), calibration_marginal(world)}) {
    EXPECT_EQ(mdp.labels(), world.labels());
    EXPECT_EQ(mdp.discount(), .9);
    EXPECT_EQ(mdp.reward_max(), 1);
    EXPECT_EQ(mdp.start()[0], 1);
    EXPECT_EQ(mdp.pairs(), 6);
    EXPECT_EQ(mdp.actions(), 2);
  }
}

// Dense sums over hidden states, straight from the definition, with the weights w(k,h) given.
template <typename Weight>
void expect_average(const HiddenModel& world, const mdp::Mdp& mdp, Weight weight) {
  ASSERT_EQ(mdp.pairs(), world.pairs());
  for (std::int32_t k = 0; k < world.pairs(); ++k) {
    double total = 0, reward = 0;
    std::vector<double> row(static_cast<std::size_t>(world.states()));
    for (std::int32_t h = 0; h < world.hidden(); ++h) {
      const double w = weight(k, h);
      const std::size_t c = world.cell(k, h);
      total += w;
      reward += w * world.reward()[c];
      for (std::int64_t i = world.row_begin()[c]; i < world.row_begin()[c + 1]; ++i) {
        row[world.next_state()[i]] += w * world.probability()[i];
      }
    }
    EXPECT_NEAR(mdp.reward()[k], reward / total, 1e-12);
    std::vector<double> found(row.size());
    for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
      found[mdp.next_state()[i]] = mdp.probability()[i];
    }
    for (std::size_t s = 0; s < row.size(); ++s) EXPECT_NEAR(found[s], row[s] / total, 1e-12);
  }
}

TEST(Projection, IsTheDenseAverage) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const HiddenModel world(random_world(seed));
    const auto state = [&](std::int32_t k) { return world.state_of_pair(k); };
    expect_average(world, deployment_projection(world),
                   [&](auto k, auto h) { return world.deployment()[world.cell(state(k), h)]; });
    expect_average(world, calibration_marginal(world),
                   [&](auto k, auto h) { return world.calibration()[world.cell(state(k), h)]; });
    expect_average(world, calibration_kernel(world), [&](auto k, auto h) {
      double taken = 0;
      for (std::int32_t g = 0; g < world.hidden(); ++g) {
        taken += world.behaviour()[world.cell(k, g)] * world.calibration()[world.cell(state(k), g)];
      }
      const double law = world.calibration()[world.cell(state(k), h)];
      return taken > 0 ? world.behaviour()[world.cell(k, h)] * law : law;
    });
  }
}

// Where the behaviour does not look at h, history is not confounded: kernel and marginal agree.
TEST(Projection, BehaviourWithoutHiddenStateDoesNotConfound) {
  HiddenArrays arrays = example_e::arrays();
  arrays.behaviour = {.25, .25, .75, .75, .5, .5, .5, .5, 1, 1, 0, 0};
  const HiddenModel world(arrays);
  const mdp::Mdp kernel = calibration_kernel(world), marginal = calibration_marginal(world);
  for (std::int32_t k = 0; k < 6; ++k) EXPECT_NEAR(kernel.reward()[k], marginal.reward()[k], 1e-15) << k;
}

// Pair (s2,a1) is never taken: its law of h is the marginal.
TEST(Projection, PairNeverTaken) {
  HiddenArrays arrays = example_e::arrays();
  arrays.behaviour = {.7, .2, .3, .8, .4, .6, .6, .4, 1, 1, 0, 0};
  const HiddenModel world(arrays);
  EXPECT_EQ(hidden_given_pair(world)[world.cell(5, 0)], .5);
  EXPECT_EQ(hidden_given_pair(world)[world.cell(5, 1)], .5);
}

// A law that sums to 1 - 9e-10 and rows that sum to 1 - 9e-10 give rows that an Mdp accepts.
TEST(Projection, SumsOffOneDoNotAddUp) {
  HiddenArrays arrays = example_e::arrays();
  for (auto* values : {&arrays.probability, &arrays.deployment, &arrays.calibration}) {
    for (double& p : *values) p *= 1 - 9e-10;
  }
  const HiddenModel world(arrays);
  EXPECT_NEAR(deployment_projection(world).row_sum_min(), 1 - 9e-10, 1e-14);
  EXPECT_NEAR(deployment_projection(world).reward()[0], .36, 1e-14);
  EXPECT_NO_THROW(calibration_kernel(world));
  EXPECT_NO_THROW(calibration_marginal(world));
}

}  // namespace projection_test
}  // namespace mindgap::world
