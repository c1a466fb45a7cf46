#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/goodness_of_fit.h"
#include "mindgap/base/error.h"
#include "mindgap/planner/learning_planner.h"
#include "planner/small_models.h"

// A-SOP, Thompson and the random ones, on models small enough to follow by hand.
namespace mindgap::planner {
namespace belief_planners_test {

using Pairs = std::vector<std::int32_t>;

Setting setting_of(belief::Belief belief, std::int64_t units, std::int64_t replan_every = 1) {
  Setting setting{.belief = std::move(belief), .units = units, .horizon = 1000};
  setting.options.replan_every = replan_every;
  return setting;
}

// Arm 0 seems to pay .6, arm 1 .5; prior sd 1, observation variance 1. After n rewards of 0 the mean of arm 0
// is .6 / (1 + n): .3 after one, below .5. So one observation is enough, at the next replan (step 2 of 2).
TEST(Asop, SwitchesAfterTheEvidenceAtTheNextReplan) {
  Driven planner("asop", setting_of(belief_of(arms({.6, .5}), 1, 1, 1), 1, 2));
  EXPECT_EQ(planner.choose({0}), Pairs{0});
  planner.observe({0}, {0});
  EXPECT_EQ(planner.choose({0}), Pairs{0});  // step 1: no replan
  planner.observe({.6}, {0});
  EXPECT_EQ(planner.choose({0}), Pairs{1});  // mean of arm 0: (.6 + 0 + .6) / 3 = .4
}

// With variance 9 one observation weighs 1/9 of the prior: after n rewards of 0 the mean is .6 / (1 + n/9),
// below .5 from n > 1.8 on. Two units, so after the first step.
TEST(Asop, EveryUnitsObservationCounts) {
  Driven planner("asop", setting_of(belief_of(arms({.6, .5}), 1, 1, 9), 2));
  EXPECT_EQ(planner.choose({0, 0}), (Pairs{0, 0}));
  planner.observe({0, 0}, {0, 0});
  EXPECT_EQ(planner.choose({0, 0}), (Pairs{1, 1}));
}

// As SwitchesAfterTheEvidence: one reward of 0 takes arm 0 from .6 to .3. A tenth of one takes it to
// .6 / 1.1 = .545, still above .5; three tenths to .6 / 1.3 = .46.
TEST(Asop, ElementsCountByTheirWeights) {
  const std::unique_ptr<Planner> planner =
      find_planner("asop").make(setting_of(belief_of(arms({.6, .5}), 1, 1, 1), 1));
  const Pairs state{0}, states{0, 0}, first{0, 0}, next{0, 0};
  const std::vector<double> reward{0, 0};
  Pairs chosen{-1};
  planner->choose(0, state, chosen);
  planner->observe(0, {states, first, reward, next, std::vector<double>{.05, .05}});
  planner->choose(1, state, chosen);
  EXPECT_EQ(chosen, Pairs{0});
  planner->observe(1, {states, first, reward, next, std::vector<double>{.15, .05}});
  planner->choose(2, state, chosen);
  EXPECT_EQ(chosen, Pairs{1});
}

TEST(Asop, NeverLooksAtTheOtherArm) {
  Driven planner("asop", setting_of(belief_of(arms({.6, .5}), 1, 1, 1), 1));
  for (int t = 0; t < 50; ++t) {
    EXPECT_EQ(planner.choose({0}), Pairs{0});
    planner.observe({.6}, {0});
  }
}

TEST(AsopPilot, IsUniformDuringThePilotAndAsopAfter) {
  Setting setting = setting_of(belief_of(arms({.6, .5, 0}), 1, 1, 1e6), 3000);
  setting.options.pilot_steps = 2;
  Driven planner("asop-pilot", setting);
  for (int t = 0; t < 2; ++t) {
    std::vector<double> counts(3);
    for (const std::int32_t k : planner.choose(Pairs(3000, 0))) ++counts[k];
    EXPECT_GT(base::chi_square_p_value(counts, {1000, 1000, 1000}), 1e-3);
    planner.observe(std::vector<double>(3000, 0), Pairs(3000, 0));
  }
  EXPECT_EQ(planner.choose({0, 0}), (Pairs{0, 0}));
}

// Arms N(.1, .3^2) and N(0, .4^2), nothing is observed: arm 0 is the better with probability
// Phi(.1 / .5) = .579260. The model is drawn anew at every step.
TEST(SharedThompson, FrequenciesAreTheProbabilityOfBeingOptimal) {
  const mdp::Mdp mdp = arms({.1, 0});
  const belief::Belief belief(mdp, {{.3, .4}, {1, 1}}, {1, 1});
  constexpr int kSteps = 20'000;
  std::vector<double> counts(2);
  const auto planner = find_planner("thompson-shared").make(setting_of(belief, 1));
  for (int t = 0; t < kSteps; ++t) {
    Pairs pair{-1};
    planner->choose(t, Pairs{0}, pair);
    ++counts[pair[0]];
  }
  const double p = .5 * std::erfc(-.2 / std::sqrt(2.0));
  EXPECT_NEAR(p, .579260, 1e-6);
  EXPECT_GT(base::chi_square_p_value(counts, {p * kSteps, (1 - p) * kSteps}), 1e-3);
}

TEST(SharedThompson, OneModelPerReplanAndOtherOnesInOtherTrials) {
  Setting setting = setting_of(belief_of(arms({0, 0}), 1, 1, 1), 1, 10);
  const auto choices = [&](std::uint64_t trial) {
    setting.trial = trial;
    const auto planner = find_planner("thompson-shared").make(setting);
    Pairs all;
    for (int t = 0; t < 400; ++t) {
      Pairs pair(2, -1);
      planner->choose(t, Pairs{0, 0}, pair);
      EXPECT_EQ(pair[0], pair[1]);  // units share the draw
      all.push_back(pair[0]);
    }
    return all;
  };
  const Pairs one = choices(0), other = choices(1);
  for (std::size_t t = 0; t < one.size(); ++t) EXPECT_EQ(one[t], one[t / 10 * 10]);
  EXPECT_NE(one, other);
}

// Three arms, epsilon .3: the best one has .7 + .1, the others .1 each.
TEST(Epsilon, Frequencies) {
  for (const char* name : {"epsilon", "learning-epsilon", "adaptive-epsilon"}) {
    Setting setting = setting_of(belief_of(arms({.6, .5, 0}), 1, 1, 1), 10'000);
    setting.options.epsilon = std::string(name) == "adaptive-epsilon" ? .15 : .3;
    Driven planner(name, setting);
    std::vector<double> counts(3);
    for (const std::int32_t k : planner.choose(Pairs(10'000, 0))) ++counts[k];
    EXPECT_GT(base::chi_square_p_value(counts, {8000, 1000, 1000}), 1e-3) << name;
  }
}

TEST(Epsilon, OnlyTheLearningOneLearns) {
  for (const bool learns : {false, true}) {
    Setting setting = setting_of(belief_of(arms({.6, .5}), 1, 1, 1), 1);
    setting.options.epsilon = 0;
    Driven planner(learns ? "learning-epsilon" : "epsilon", setting);
    EXPECT_EQ(planner.choose({0}), Pairs{0});
    planner.observe({0}, {0});
    EXPECT_EQ(planner.choose({0}), Pairs{learns ? 1 : 0});
  }
}

// eps_t = 2 * .25 * .5^t: .5 at step 0, .125 at step 2; half of it goes to the other arm. Cut at 1.
TEST(AdaptiveEpsilon, Decays) {
  Setting setting = setting_of(belief_of(arms({.6, .5}), 0, 1, 1), 10'000);
  setting.options.epsilon = .25;
  setting.options.epsilon_decay = .5;
  Driven planner("adaptive-epsilon", setting);
  for (int t = 0; t < 3; ++t) {
    std::vector<double> counts(2);
    for (const std::int32_t k : planner.choose(Pairs(10'000, 0))) ++counts[k];
    const double other = 10'000 * .5 * std::pow(.5, t) / 2;
    EXPECT_GT(base::chi_square_p_value(counts, {10'000 - other, other}), 1e-3) << t;
    planner.observe(std::vector<double>(10'000, .6), Pairs(10'000, 0));
  }
  setting.options.epsilon = 1;
  Driven wild("adaptive-epsilon", setting);
  std::vector<double> counts(2);
  for (const std::int32_t k : wild.choose(Pairs(10'000, 0))) ++counts[k];
  EXPECT_GT(base::chi_square_p_value(counts, {5000, 5000}), 1e-3);
}

TEST(UniformPair, IsOneOfTheStatesOwn) {
  const mdp::Mdp mdp = uneven();
  std::vector<double> counts(6);
  for (std::uint64_t i = 0; i < 6000; ++i) {
    base::Stream stream({42, base::Purpose::test, i});
    ++counts[uniform_pair(mdp, 2, stream)];
  }
  EXPECT_EQ(counts[0] + counts[1] + counts[2], 0);
  EXPECT_GT(base::chi_square_p_value({counts[3], counts[4], counts[5]}, {2000, 2000, 2000}), 1e-3);
}

TEST(CheckSetting, BadNumbersThrow) {
  Setting setting = setting_of(belief_of(arms({1, 2}), 1, 1, 1), -1);
  EXPECT_THROW(check_setting(setting), InvalidArgument);
  setting.units = 1;
  setting.horizon = -1;
  EXPECT_THROW(check_setting(setting), InvalidArgument);
}

}  // namespace belief_planners_test
}  // namespace mindgap::planner
