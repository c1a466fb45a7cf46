#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/goodness_of_fit.h"
#include "mindgap/base/error.h"
#include "mindgap/planner/replanner.h"
#include "planner/small_models.h"

// Thompson sampling with a seed per unit.
namespace mindgap::planner {
namespace thompson_test {

using Pairs = std::vector<std::int32_t>;

Setting setting_of(belief::Belief belief, std::int64_t units) {
  Setting setting{.belief = std::move(belief), .units = units, .horizon = 1000};
  setting.options.replan_every = 1;
  return setting;
}

// What a seed should choose in a bandit: the better arm of the belief's draw number (trial + 1) 2^32 + 2^31 +
// seed, which no other draw of a planner has.
std::int32_t wanted(const belief::Belief& belief, std::uint64_t trial, std::uint64_t seed) {
  const mdp::Mdp drawn = belief.sample(42, ((trial + 1) << 32) + (std::uint64_t{1} << 31) + seed);
  return static_cast<std::int32_t>(std::max_element(drawn.reward().begin(), drawn.reward().end()) -
                                   drawn.reward().begin());
}

TEST(Thompson, UnitsDifferAndKeepToTheirModelsWithoutData) {
  Driven planner("thompson", setting_of(belief_of(arms({0, 0}), 1, 1, 1), 8));
  const Pairs first = planner.choose(Pairs(8, 0));
  EXPECT_NE(std::count(first.begin(), first.end(), 0), 0);
  EXPECT_NE(std::count(first.begin(), first.end(), 0), 8);
  for (int t = 0; t < 20; ++t) {
    EXPECT_EQ(planner.choose(Pairs(8, 0)), first);
    planner.observe_instead({}, {}, {});  // the step goes by and nothing is told
  }
}

// With data every unit has the draw of its own number from the belief as it now is.
TEST(Thompson, ModelsAreAFunctionOfSeedAndData) {
  belief::Belief belief = belief_of(arms({0, 0, 0}), 1, 1, 1);
  Setting setting = setting_of(belief, 6);
  setting.trial = 5;
  Driven planner("thompson", setting);
  for (int t = 0; t < 30; ++t) {
    const Pairs pair = planner.choose(Pairs(6, 0));
    for (std::size_t u = 0; u < 6; ++u) EXPECT_EQ(pair[u], wanted(belief, 5, u)) << "step " << t;
    std::vector<double> reward;
    for (const std::int32_t k : pair) reward.push_back(k == 1 ? .5 : -.2);
    planner.observe(reward, Pairs(6, 0));
    for (std::size_t u = 0; u < 6; ++u) belief.observe(pair[u], reward[u], 0);
  }
}

// With a beginning the models of small beliefs are solved several at a time: the choices are the same.
TEST(Thompson, ModelsSolvedSideBySideChooseTheSame) {
  const belief::Belief belief = belief_of(uneven(), 1, 2, .5);
  for (const std::int64_t steps : {PlannerOptions::kSeedStepsByUnits, std::int64_t{3}}) {
    Setting setting = setting_of(belief, 11);
    setting.options.seed_steps = steps;
    Driven alone("thompson", setting);
    setting.begin = beginning_of(belief, setting.options.tolerance);
    ASSERT_GT(Together::most(belief, setting.begin.get()), 1u);
    Driven beside("thompson", setting);
    Pairs state(11);
    for (std::size_t u = 0; u < 11; ++u) state[u] = static_cast<std::int32_t>(u % 3);
    for (int t = 0; t < 25; ++t) {
      const Pairs pair = alone.choose(state);
      ASSERT_EQ(beside.choose(state), pair) << "step " << t;
      std::vector<double> reward;
      for (std::size_t u = 0; u < 11; ++u) {
        reward.push_back(.1 * pair[u] - .05 * static_cast<double>((t + static_cast<int>(u)) % 4));
        state[u] = (state[u] + static_cast<std::int32_t>(u) + t) % 3;
        // On the support of every pair: state 1.
        if (pair[u] == 0 && state[u] == 2) state[u] = 1;
        if (state[u] == 0) state[u] = 1;
      }
      alone.observe(reward, state);
      beside.observe(reward, state);
    }
  }
}

// Only what was observed changes: the draw of the arm without data is the same number as before.
TEST(Thompson, DataOfOnePairLeaveTheOthersAsTheyWere) {
  belief::Belief belief = belief_of(uneven(), 1, 3, 1);
  const mdp::Mdp before = belief.sample(42, 77);
  for (int i = 0; i < 5; ++i) belief.observe(3, 1, 1);
  const mdp::Mdp after = belief.sample(42, 77);
  for (std::int32_t k = 0; k < before.pairs(); ++k) {
    const auto row = [&](const mdp::Mdp& model) {
      const auto all = model.probability();
      return std::vector<double>(all.begin() + model.row_begin()[k], all.begin() + model.row_begin()[k + 1]);
    };
    EXPECT_EQ(before.reward()[k] == after.reward()[k], k != 3) << k;
    EXPECT_EQ(row(before) == row(after), k != 3) << k;
  }
}

TEST(Thompson, SeedsAreSharedWhereThereAreMoreUnits) {
  Setting setting = setting_of(belief_of(arms({0, 0, 0, 0}), 1, 1, 1), 9);
  setting.options.seeds = 4;
  const Pairs pair = Driven("thompson", setting).choose(Pairs(9, 0));
  for (std::size_t u = 0; u < 9; ++u) EXPECT_EQ(pair[u], wanted(setting.belief, 0, u % 4)) << "unit " << u;
}

// Arms N(.1, .3^2) and N(0, .4^2): arm 0 is the better with probability Phi(.1 / .5).
TEST(Thompson, UnitsChooseAsOftenAsAChoiceIsOptimal) {
  const belief::Belief belief(arms({.1, 0}), {{.3, .4}, {1, 1}}, {1, 1});
  constexpr std::int32_t kUnits = 20'000;
  Setting setting = setting_of(belief, kUnits);
  setting.options.seeds = kUnits;
  std::vector<double> counts(2);
  for (const std::int32_t k : Driven("thompson", setting).choose(Pairs(kUnits, 0))) ++counts[k];
  const double p = .5 * std::erfc(-.2 / std::sqrt(2.0));
  EXPECT_GT(base::chi_square_p_value(counts, {p * kUnits, (1 - p) * kUnits}), 1e-3);
}

// With seed_steps = 10 and two units, unit 0 has new seeds at steps 10, 20, ..., unit 1 at 5, 15, ...
TEST(Thompson, SeedsMayBeRenewedOneAfterAnother) {
  Setting setting = setting_of(belief_of(arms({0, 0, 0}), 1, 1, 1), 2);
  setting.options.seed_steps = 10;
  setting.options.seeds = 4;
  Driven planner("thompson", setting);
  for (std::uint64_t t = 0; t < 60; ++t) {
    const Pairs pair = planner.choose(Pairs(2, 0));
    EXPECT_EQ(pair[0], wanted(setting.belief, 0, t / 10 * 4)) << t;
    EXPECT_EQ(pair[1], wanted(setting.belief, 0, 1 + (t + 5) / 10 * 4)) << t;
    planner.observe_instead({}, {}, {});
  }
}

// By default with 2 units after 1/(1 - discount) steps, and with 5 units never.
TEST(Thompson, FewUnitsRenewTheirSeeds) {
  const belief::Belief belief = belief_of(arms({0, 0, 0}), 1, 1, 1);
  const auto keep = static_cast<std::uint64_t>(std::llround(1 / (1 - belief.simulator().discount())));
  Driven few("thompson", setting_of(belief, 2)), more("thompson", setting_of(belief, 5));
  for (std::uint64_t t = 0; t < 3 * keep; ++t) {
    EXPECT_EQ(few.choose(Pairs(2, 0))[0], wanted(belief, 0, t / keep * 32)) << t;
    EXPECT_EQ(more.choose(Pairs(5, 0))[0], wanted(belief, 0, 0)) << t;
    few.observe_instead({}, {}, {});
    more.observe_instead({}, {}, {});
  }
}

TEST(Thompson, BadOptionsThrow) {
  Setting setting = setting_of(belief_of(arms({0, 0}), 1, 1, 1), 2);
  setting.options.seeds = 0;
  EXPECT_THROW(find_planner("thompson").make(setting), InvalidArgument);
  setting.options.seeds = 1;
  setting.options.seed_steps = -2;
  EXPECT_THROW(find_planner("thompson").make(setting), InvalidArgument);
}

}  // namespace thompson_test
}  // namespace mindgap::planner
