#include "mindgap/design/size_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gap/golden_models.h"
#include "mindgap/base/error.h"

namespace mindgap::design {
namespace size_table_test {

// One state and two actions whose mean rewards have variance s0^2/2 each, weights 1: the variance of their
// difference, for which there is a closed form (pilot_size.h).
constexpr double kVariance = 1.7, kPriorVariance = .64;

belief::Knowledge known() {
  mdp::Model model{"two arms", gap::dense_mdp(.5, {1}, 2, {.5, 0}, {{1}, {1}})};
  model.reward_variance = kVariance;
  model.prior = mdp::PriorSpec{.reward_sd = std::sqrt(kPriorVariance / 2), .transition_strength = 5};
  return belief::gather_knowledge(model, std::nullopt, std::nullopt);
}

DesignOptions options_of(std::int64_t units, std::int64_t steps) {
  DesignOptions options;
  options.units = units;
  options.steps = steps;
  options.target.kind = TargetKind::uniform;
  TargetWeights weights;
  weights.weights.reward = {1, 1};
  weights.weights.transition = {0, 0};
  options.weights = std::make_shared<const TargetWeights>(weights);
  return options;
}

// 4 v s0^2 / (4 v + s0^2 n), n observations split half and half.
double left_after(double observations) {
  return 4 * kVariance * kPriorVariance / (4 * kVariance + kPriorVariance * observations);
}

TEST(SizeTable, IsTheClosedFormWithoutStates) {
  SizeTableOptions wanted;
  wanted.units = {2, 5};
  wanted.steps = {1, 4, 7};
  wanted.relative_gap = 1e-7;
  wanted.remove = .5;
  const SizeTable table = size_table(known(), options_of(5, 4), wanted);
  ASSERT_EQ(table.sizes.steps.size(), 3u);
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t u = 0; u < 2; ++u) {
      const auto n = static_cast<double>(wanted.units[u] * wanted.steps[t]);
      EXPECT_NEAR(table.sizes.at(t, u), left_after(n), 1e-6) << n;
    }
    EXPECT_NEAR(table.sizes.without[t], kPriorVariance, 1e-12);
  }
  EXPECT_NEAR(table.margins.pvv, left_after(20), 1e-6);
  EXPECT_NEAR(table.margins.one_more_unit, left_after(20) - left_after(24), 1e-6);
  EXPECT_NEAR(table.margins.one_more_step, left_after(20) - left_after(25), 1e-6);
  // Half is gone after n = 4 v / s0^2 = 10.625: 11 units x 1, 3 x 4 or 2 x 7; the fewest observations win.
  ASSERT_TRUE(table.smallest && table.smallest->found);
  EXPECT_EQ(table.smallest->units_by_steps, (std::vector<std::int64_t>{11, 3, 2}));
  EXPECT_EQ(table.smallest->units, 11);
  EXPECT_EQ(table.smallest->steps, 1);
  EXPECT_NEAR(table.smallest->removed, 1 - left_after(11) / kPriorVariance, 1e-6);
}

TEST(SizeTable, GoesAroundTheDesignWhereNothingIsSaid) {
  const SizeTable table = size_table(known(), options_of(8, 2), {});
  EXPECT_EQ(table.sizes.units, (std::vector<std::int64_t>{2, 4, 8, 16, 32}));
  EXPECT_EQ(table.sizes.steps, (std::vector<std::int64_t>{1, 2, 4, 8}));  // a quarter and half of 2 are 1
  EXPECT_FALSE(table.smallest.has_value());
}

// Others who go on as before play the better arm: what they see counts, and fewer of them are left where the
// pilot takes more.
TEST(SizeTable, CountsWhatTheOthersSee) {
  DesignOptions options = options_of(2, 3);
  options.others = 10;
  SizeTableOptions wanted;
  wanted.units = {2, 12};
  wanted.steps = {3};
  wanted.relative_gap = 1e-7;
  const SizeTable table = size_table(known(), options, wanted);
  const double each = kPriorVariance / 2;
  const auto after = [&](double first, double second) {
    return 1 / (1 / each + first / kVariance) + 1 / (1 / each + second / kVariance);
  };
  EXPECT_NEAR(table.sizes.without[0], after(36, 0), 1e-9);  // 12 others x 3 steps
  EXPECT_NEAR(table.sizes.at(0, 0), after(30, 6), 1e-5);    // 10 others; the pilot's 6 on the other arm
  EXPECT_NEAR(table.sizes.at(0, 1), left_after(36), 1e-5);  // none left
}

TEST(SizeTable, RefusesATargetThatDependsOnThePilot) {
  DesignOptions options = options_of(2, 3);
  options.weights.reset();
  options.target.kind = TargetKind::explorer;
  EXPECT_THROW(size_table(known(), options, {}), InvalidArgument);
  SizeTableOptions backwards;
  backwards.units = {5, 2};
  EXPECT_THROW(size_table(known(), options_of(2, 3), backwards), InvalidArgument);
}

}  // namespace size_table_test
}  // namespace mindgap::design
