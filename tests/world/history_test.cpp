#include "mindgap/world/history.h"

#include <gtest/gtest.h>

#include "base/goodness_of_fit.h"
#include "mindgap/base/error.h"
#include "mindgap/world/projection.h"
#include "mindgap/world/tabular_world.h"
#include "world/example_e.h"

namespace mindgap::world {
namespace history_test {

constexpr std::uint64_t kSeed = 42;

TEST(History, RowsAreInOrderAndHangTogether) {
  const HiddenModel world = example_e::model();
  const History history = sample_history(world, kSeed, 3, 4);
  ASSERT_EQ(history.unit.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(history.unit[i], static_cast<std::int64_t>(i) / 4);
    EXPECT_EQ(history.step[i], static_cast<std::int64_t>(i) % 4);
    EXPECT_EQ(world.state_of_pair(history.pair[i]), history.state[i]);
    EXPECT_EQ(history.state[i], i % 4 == 0 ? 0 : history.next_state[i - 1]);
  }
  EXPECT_EQ(history, sample_history(world, kSeed, 3, 4));
  EXPECT_NE(history.reward, sample_history(world, kSeed + 1, 3, 4).reward);
  EXPECT_TRUE(sample_history(world, kSeed, 0, 4).unit.empty());
  EXPECT_TRUE(sample_history(world, kSeed, 4, 0).unit.empty());
}

// How often each (pair, next state), and the rewards, in `history`, against the calibration law.
void expect_calibration(const HiddenModel& world, const History& history) {
  const mdp::Mdp kernel = calibration_kernel(world);
  const std::vector<double> variance = observational_variance(world);
  std::vector<std::vector<double>> count(6, std::vector<double>(3));
  std::vector<double> visits(6), sum(6), of_state(3);
  for (std::size_t i = 0; i < history.unit.size(); ++i) {
    ++count[history.pair[i]][history.next_state[i]];
    ++visits[history.pair[i]];
    ++of_state[history.state[i]];
    sum[history.pair[i]] += history.reward[i];
  }
  for (std::int32_t s = 0; s < 3; ++s) {
    // P(a0|s) = sum_h calibration(h|s) behaviour(a0|s,h)
    double first = 0;
    for (std::int32_t h = 0; h < 2; ++h) {
      first += world.calibration()[world.cell(s, h)] * world.behaviour()[world.cell(2 * s, h)];
    }
    EXPECT_GT(base::chi_square_p_value({visits[2 * s], visits[2 * s + 1]},
                                       {of_state[s] * first, of_state[s] * (1 - first)}),
              1e-4);
  }
  for (std::int32_t k = 0; k < 6; ++k) {
    ASSERT_GT(visits[k], 1000);
    std::vector<double> expected;
    for (std::int64_t i = kernel.row_begin()[k]; i < kernel.row_begin()[k + 1]; ++i) {
      expected.push_back(visits[k] * kernel.probability()[i]);
    }
    EXPECT_GT(base::chi_square_p_value(count[k], expected), 1e-4) << k;
    EXPECT_NEAR(sum[k] / visits[k], kernel.reward()[k], 4 * std::sqrt(variance[k] / visits[k])) << k;
  }
}

TEST(History, FirstStepsHaveTheCalibrationLaw) {
  HiddenArrays arrays = example_e::arrays();
  arrays.start = {.4, .3, .3};
  const HiddenModel world(arrays);
  expect_calibration(world, sample_history(world, kSeed, 40'000, 1));
}

TEST(History, AllStepsHaveItWhereTheHiddenStateIsRedrawnFromIt) {
  const HiddenModel world = example_e::model();
  expect_calibration(world, sample_history(world, kSeed, 400, 100, HistoryHidden::calibration));
}

// With h carried by the kernel of E, which redraws it from the deployment law, later steps have that law: of
// the pairs at s0 a0 is taken with probability .6 * .7 + .4 * .2 = .5, not .8 * .7 + .2 * .2 = .6.
TEST(History, TheKernelCarriesTheHiddenState) {
  const History history = sample_history(example_e::model(), kSeed, 400, 100);
  std::vector<double> count(2);
  for (std::size_t i = 0; i < history.unit.size(); ++i) {
    if (history.step[i] > 0 && history.state[i] == 0) ++count[history.pair[i]];
  }
  const double half = (count[0] + count[1]) / 2;
  EXPECT_GT(base::chi_square_p_value(count, {half, half}), 1e-4);
}

// No trial's draws are those of history: unit 0 starts in s0 either way, and pays something else at once.
TEST(History, SharesNoDrawWithTrials) {
  HiddenArrays arrays = example_e::arrays();
  arrays.reward.assign(12, 0);
  arrays.variance.assign(12, 1);
  const HiddenModel model(arrays);
  const History history = sample_history(model, kSeed, 1, 5);
  TabularWorld world(model, kSeed, 0, 1);
  for (std::size_t t = 0; t < 5; ++t) {
    EXPECT_NE(world.step(0, model.pair_begin()[world.state(0)]).reward, history.reward[t]);
  }
}

TEST(History, BadArguments) {
  EXPECT_THROW(sample_history(example_e::model(), kSeed, -1, 1), InvalidArgument);
  EXPECT_THROW(sample_history(example_e::model(), kSeed, 1, -1), InvalidArgument);
}

}  // namespace history_test
}  // namespace mindgap::world
