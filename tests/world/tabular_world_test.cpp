#include "mindgap/world/tabular_world.h"

#include <gtest/gtest.h>

#include "base/goodness_of_fit.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/world/projection.h"
#include "world/example_e.h"

namespace mindgap::world {
namespace tabular_world_test {

constexpr std::uint64_t kSeed = 42;

// Observations of one unit that takes a pair by pick(step, state, first pair, pairs).
template <typename Pick>
std::vector<Observation> follow(World& world, std::int64_t unit, int steps, Pick pick) {
  std::vector<Observation> seen;
  for (int t = 0; t < steps; ++t) {
    const std::int32_t s = world.state(unit), first = world.pair_begin()[s];
    seen.push_back(world.step(unit, first + pick(t, s) % (world.pair_begin()[s + 1] - first)));
  }
  return seen;
}

bool same(const std::vector<Observation>& a, const std::vector<Observation>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.reward == y.reward && x.next_state == y.next_state;
  });
}

TEST(TabularWorld, SameSeedSameRun) {
  const auto run = [](std::uint64_t seed, std::uint64_t trial, std::int64_t unit) {
    TabularWorld world(example_e::model(), seed, trial, 3);
    return follow(world, unit, 20, [](int t, int) { return t; });
  };
  EXPECT_TRUE(same(run(kSeed, 0, 0), run(kSeed, 0, 0)));
  EXPECT_FALSE(same(run(kSeed, 0, 0), run(kSeed + 1, 0, 0)));
  EXPECT_FALSE(same(run(kSeed, 0, 0), run(kSeed, 1, 0)));
  EXPECT_FALSE(same(run(kSeed, 0, 0), run(kSeed, 0, 1)));
}

// Pinned: what a seed gives must not change between versions. From s0 with a0, a1, a0, a1 in turn.
TEST(TabularWorld, PinnedRun) {
  TabularWorld world(example_e::model(), kSeed, 0, 2);
  const auto seen = follow(world, 1, 4, [](int t, int) { return t; });
  const std::vector<std::int32_t> state = {0, 1, 0, 1};
  const std::vector<double> reward = {0.18729407512483179, 0.6016368001911786, 0.52162648778706222,
                                      0.44285756282112815};
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_EQ(seen[t].next_state, state[t]);
    EXPECT_NEAR(seen[t].reward, reward[t], 1e-14);
  }
}

TEST(TabularWorld, ResetBeginsAgain) {
  TabularWorld world(example_e::model(), kSeed, 0, 1);
  const auto first = follow(world, 0, 10, [](int, int) { return 0; });
  EXPECT_EQ(world.reset(0), 0);
  EXPECT_TRUE(same(first, follow(world, 0, 10, [](int, int) { return 0; })));
}

TEST(TabularWorld, WhatOthersDoChangesNothing) {
  TabularWorld alone(example_e::model(), kSeed, 7, 2), together(example_e::model(), kSeed, 7, 2);
  const auto wanted = follow(alone, 1, 20, [](int t, int) { return t; });
  follow(together, 0, 13, [](int, int) { return 1; });
  EXPECT_TRUE(same(wanted, follow(together, 1, 20, [](int t, int) { return t; })));
}

// Both actions move alike, whatever the hidden state; they pay differently. Two policies that disagree at
// every step still meet the same states and the same noise.
TEST(TabularWorld, TwoPoliciesMeetTheSameDraws) {
  HiddenArrays arrays = example_e::arrays();
  for (std::size_t c = 1; c < 12; ++c) {
    std::copy_n(arrays.probability.begin(), 6, arrays.probability.begin() + 6 * static_cast<int>(c));
  }
  arrays.variance.assign(12, .25);
  arrays.reward = {0, 0, 10, 10, 0, 0, 10, 10, 0, 0, 10, 10};
  const HiddenModel model(arrays);
  TabularWorld low(model, kSeed, 0, 1), high(model, kSeed, 0, 1);
  for (int t = 0; t < 50; ++t) {
    ASSERT_EQ(low.state(0), high.state(0));
    const std::int32_t first = model.pair_begin()[low.state(0)];
    EXPECT_NEAR(low.step(0, first).reward + 10, high.step(0, first + 1).reward, 1e-14);
  }
}

// E redraws its hidden state, so what a randomised trial sees has the law of the projection exactly.
TEST(TabularWorld, FrequenciesAreThoseOfTheProjection) {
  const HiddenModel model = example_e::model();
  const mdp::Mdp projection = deployment_projection(model);
  const std::vector<double> variance = do_variance(model);
  const std::int64_t units = 500;
  const int steps = 100;
  TabularWorld world(model, kSeed, 3, units);
  std::vector<std::vector<double>> count(6, std::vector<double>(3));
  std::vector<double> sum(6), square(6), visits(6);
  for (std::int64_t unit = 0; unit < units; ++unit) {
    for (int t = 0; t < steps; ++t) {
      base::Stream coin(
          {kSeed, base::Purpose::test, 0, static_cast<std::uint64_t>(unit), static_cast<std::uint64_t>(t)});
      const std::int32_t k =
          model.pair_begin()[world.state(unit)] + static_cast<std::int32_t>(base::uniform_index(coin, 2));
      const Observation seen = world.step(unit, k);
      EXPECT_EQ(seen.next_state, world.state(unit));
      ++count[k][seen.next_state];
      ++visits[k];
      sum[k] += seen.reward;
      square[k] += seen.reward * seen.reward;
    }
  }
  for (std::int32_t k = 0; k < 6; ++k) {
    std::vector<double> expected;
    for (std::int64_t i = projection.row_begin()[k]; i < projection.row_begin()[k + 1]; ++i) {
      expected.push_back(visits[k] * projection.probability()[i]);
    }
    EXPECT_GT(base::chi_square_p_value(count[k], expected), 1e-4) << k;
    const double mean = sum[k] / visits[k];
    EXPECT_NEAR(mean, projection.reward()[k], 4 * std::sqrt(variance[k] / visits[k])) << k;
    // The kurtosis of a mixture of these Gaussians is below 3, so the variance of a squared deviation is
    // below 2 variance^2.
    EXPECT_NEAR(square[k] / visits[k] - mean * mean, variance[k], 4 * variance[k] * std::sqrt(2 / visits[k]));
  }
}

TEST(TabularWorld, BeginsAtTheStart) {
  HiddenArrays arrays = example_e::arrays();
  arrays.start = {.5, .2, .3};
  const TabularWorld world(HiddenModel(arrays), kSeed, 0, 10'000);
  std::vector<double> count(3);
  for (std::int64_t unit = 0; unit < world.units(); ++unit) ++count[world.state(unit)];
  EXPECT_GT(base::chi_square_p_value(count, {5000, 2000, 3000}), 1e-4);
}

// What is not seen at first is there from the deployment law: with rewards that tell h without noise.
TEST(TabularWorld, FirstHiddenStateIsOfTheDeployment) {
  HiddenArrays arrays = example_e::arrays();
  arrays.variance.assign(12, 0);
  arrays.reward = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  TabularWorld world(HiddenModel(arrays), kSeed, 0, 10'000);
  std::vector<double> count(2);
  for (std::int64_t unit = 0; unit < world.units(); ++unit) {
    const double reward = world.step(unit, 0).reward;
    ASSERT_TRUE(reward == 0 || reward == 1);  // no variance: the mean itself
    ++count[reward == 1 ? 1 : 0];
  }
  EXPECT_GT(base::chi_square_p_value(count, {6000, 4000}), 1e-4);
}

TEST(TabularWorld, BadArguments) {
  EXPECT_THROW(TabularWorld(example_e::model(), kSeed, 0, -1), InvalidArgument);
  TabularWorld world(example_e::model(), kSeed, 0, 2);
  EXPECT_THROW(world.reset(2), InvalidArgument);
  EXPECT_THROW(world.reset(-1), InvalidArgument);
  EXPECT_THROW(world.state(2), InvalidArgument);
  EXPECT_THROW(world.step(2, 0), InvalidArgument);
  EXPECT_THROW(world.step(0, 2), InvalidArgument);  // unit 0 is in s0, whose pairs are 0 and 1
  EXPECT_THROW(world.step(0, -1), InvalidArgument);
}

}  // namespace tabular_world_test
}  // namespace mindgap::world
