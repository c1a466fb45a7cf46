#include "mindgap/planner/explorers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mindgap/gap/stateless.h"
#include "mindgap/mdp/solve.h"
#include "planner/small_models.h"

namespace mindgap::planner {
namespace explorers_test {

// One state; arm 0 pays 1 and is known, arm 1 pays .6 with sd `sd` as far as anyone knows; one reward has
// variance .25.
struct Bandit {
  explicit Bandit(double sd, std::size_t units = 10, std::int64_t explorers = 2)
      : mdp(arms({1, .6})),
        belief(mdp, {{0, sd}, {1, 1}}, {.25, .25}),
        solution(mdp::solve(mdp)),
        state(units, 0),
        now{belief, mdp, solution.policy, solution.value, state, explorers} {}

  mdp::Mdp mdp;
  belief::Belief belief;
  mdp::Solution solution;
  std::vector<std::int32_t> state;
  Deployment now;
};

const design::Target kDifference{design::TargetKind::difference, 20'000};

TEST(Explorers, PatienceLooksAsFarAsThereAreSteps) {
  EXPECT_EQ(patience(1), 0);
  EXPECT_EQ(patience(10), .9);
  EXPECT_EQ(patience(0), 0);
}

TEST(Explorers, GoWhereThereIsSomethingToLearn) {
  const Bandit bandit(.5);
  const PlannedPilot pilot = plan_pilot(bandit.now, aim(bandit.now, kDifference, 1, 0).weights, 3);
  EXPECT_EQ(pilot.route_of_unit.size(), 2u);
  EXPECT_NEAR(pilot.counts[1], 6, 1e-9);   // both explorers, three steps
  EXPECT_NEAR(pilot.credit[0], 24, 1e-9);  // eight others go on, three steps
  EXPECT_EQ(pilot.credit[1], 0);
  for (std::size_t unit = 0; unit < 2; ++unit) EXPECT_EQ(pilot.pair(unit, 2, 0), 1);
}

// Two explorers for three steps at .4 less each; what follows is the same either way.
TEST(Explorers, CostIsTheLossAgainstTheCurrentPolicy) {
  const Bandit bandit(.5);
  const PlannedPilot pilot = plan_pilot(bandit.now, aim(bandit.now, kDifference, 1, 0).weights, 3);
  for (const std::int64_t left : {1, 10, 1000}) EXPECT_NEAR(pilot_cost(bandit.now, pilot, left), 2.4, 1e-9);
}

// The two-armed experiment in closed form (gap/stateless.h): the posterior mean of the difference moves by
// nu^2 = sd^4 n / (v + sd^2 n), and knowing it is worth nu psi(.4 / nu) per unit and step.
TEST(Explorers, WorthOfATwoArmedExperimentIsTheClosedForm) {
  for (const double sd : {.3, .5, 1.}) {
    const Bandit bandit(sd);
    const Aim target = aim(bandit.now, kDifference, 7, 0);
    const PlannedPilot pilot = plan_pilot(bandit.now, target.weights, 3);
    const double nu = std::sqrt(sd * sd * sd * sd * 6 / (.25 + sd * sd * 6));
    const double exact = 10 * 50 * nu * gap::unit_normal_loss(.4 / nu);
    // The sd of (nu Z - .4)+ is below nu: five standard errors of 20,000 draws.
    EXPECT_NEAR(pilot_worth(bandit.now, target, pilot, 50), exact, 5 * 10 * 50 * nu / std::sqrt(20'000.0))
        << sd;
  }
}

TEST(Explorers, NothingToLearnIsWorthNothing) {
  const Bandit bandit(0);
  const Aim target = aim(bandit.now, {design::TargetKind::difference, 16}, 1, 0);
  EXPECT_EQ(pilot_worth(bandit.now, target, plan_pilot(bandit.now, target.weights, 3), 50), 0);
}

// What the other units will see anyway is not the pilot's merit: here all of it.
TEST(Explorers, WhatTheOthersLearnDoesNotCount) {
  const mdp::Mdp one = arms({1, .6});
  const belief::Belief belief(one, {{.5, 0}, {1, 1}}, {1e-12, .25});  // the arm in use is the unknown one
  const mdp::Solution solution = mdp::solve(one);
  const std::vector<std::int32_t> state(10, 0);
  const Deployment now{belief, one, solution.policy, solution.value, state, 2};
  const Aim target = aim(now, {design::TargetKind::difference, 1000}, 1, 0);
  EXPECT_NEAR(pilot_worth(now, target, plan_pilot(now, target.weights, 3), 50), 0, 1e-6);
}

// Two states: from home the gate leads to the far one with probability q, where the unknown reward is; it
// keeps a unit. With q small an explorer is there for most of the window or, mostly, not at all. kappa at the
// expected count would price "probably never there" as "almost known" (here 6 times too high). The oracle:
// with probability P(n) of n looks, nu(n) psi(d / nu(n)) for the policy "go there", by enumeration over n.
TEST(Explorers, ARareStateIsNotHalfSeen) {
  const double q = .02, g = .5, sd = 1;
  const std::int64_t window = 10, left = 1000;
  mdp::MdpBuilder builder(g, 2, 2);
  builder.set_reward(0, 0, 1);  // stay
  builder.add_transition(0, 0, 0, 1);
  builder.set_reward(0, 1, 1);  // the gate costs nothing
  builder.add_transition(0, 1, 0, 1 - q);
  builder.add_transition(0, 1, 1, q);
  builder.set_reward(1, 0, .5);
  builder.add_transition(1, 0, 1, 1);
  const mdp::Mdp mdp = builder.build();
  const belief::Belief belief(mdp, {{0, 0, sd}, {1e9, 1e9, 1e9}}, {.01, .01, .01});
  const mdp::Solution solution = mdp::solve(mdp);
  const std::vector<std::int32_t> state(20, 0);
  const Deployment now{belief, mdp, solution.policy, solution.value, state, 1};
  const Aim target = aim(now, {design::TargetKind::difference, 20'000}, 3, 0);
  const PlannedPilot pilot = plan_pilot(now, target.weights, window);
  // The gate for ever against home for ever: the share of `left` steps (patience: an end with 1/left at each)
  // spent far away, g' q / (1 - g' (1 - q)) with g' = 1 - 1/left, times (far - 1).
  const double patient = 1 - 1.0 / static_cast<double>(left);
  const double far = static_cast<double>(left) * patient * q / (1 - patient * (1 - q));
  double exact = 0;
  for (std::int64_t arrival = 1; arrival < window; ++arrival) {  // there from this step on
    const double n = static_cast<double>(window - arrival);
    const double nu = sd * std::sqrt(n * sd * sd / (.01 + n * sd * sd));
    exact += q * std::pow(1 - q, static_cast<double>(arrival - 1)) * nu * gap::unit_normal_loss(.5 / nu);
  }
  exact *= 20 * far;
  // A gain is (nu Z - .5)+ with probability .17, else 0; E (Z - .5)+^2 is .35, so its sd is below .25: five
  // standard errors.
  EXPECT_NEAR(pilot_worth(now, target, pilot, left), exact, 5 * .25 * 20 * far / std::sqrt(20'000.0));
}

TEST(Explorers, EveryTargetIsPriced) {
  const Bandit bandit(.5);
  for (const design::TargetKind kind : {design::TargetKind::uniform, design::TargetKind::ensemble}) {
    const Aim target = aim(bandit.now, {kind, 256}, 1, 0);
    EXPECT_GT(pilot_worth(bandit.now, target, plan_pilot(bandit.now, target.weights, 3), 50), 0);
  }
}

// ---- the planners ----

Setting two_arms(double sd, std::int64_t horizon) {
  const mdp::Mdp mdp = arms({1, .6});
  Setting setting{.belief = {mdp, {{0, sd}, {1, 1}}, {.25, .25}}, .units = 10, .horizon = horizon};
  setting.options.explorer_share = .2;
  setting.options.explore_steps = 3;
  return setting;
}

std::vector<std::int64_t> explorers_by_step(std::string_view name, const Setting& setting, double reward_1) {
  Driven driven(name, setting);
  std::vector<std::int64_t> exploring;
  const std::vector<std::int32_t> state(static_cast<std::size_t>(setting.units), 0);
  for (std::int64_t step = 0; step < setting.horizon; ++step) {
    const std::vector<std::int32_t> pair = driven.choose(state);
    exploring.push_back(std::count(pair.begin(), pair.end(), 1));
    std::vector<double> reward;
    reward.reserve(pair.size());
    for (const std::int32_t k : pair) reward.push_back(k == 0 ? 1 : reward_1);
    driven.observe(reward, state);
  }
  return exploring;
}

TEST(Fisher, ExploresForItsStepsThenFollowsWhatItLearnt) {
  EXPECT_EQ(explorers_by_step("fisher", two_arms(.5, 8), .2),
            (std::vector<std::int64_t>{2, 2, 2, 0, 0, 0, 0, 0}));
  // A reward of 3, seen six times with weight 6/7: all change at the next look, step 5.
  EXPECT_EQ(explorers_by_step("fisher", two_arms(.5, 8), 3),
            (std::vector<std::int64_t>{2, 2, 2, 0, 0, 10, 10, 10}));
}

TEST(AdaptiveFisher, DoesNotBeginWhereThereIsNothingToLearnOrNoTimeToUseIt) {
  EXPECT_EQ(explorers_by_step("adaptive-fisher", two_arms(0, 30), .2), std::vector<std::int64_t>(30, 0));
  EXPECT_EQ(explorers_by_step("adaptive-fisher", two_arms(.5, 10), .2), std::vector<std::int64_t>(10, 0));
}

TEST(AdaptiveFisher, StopsForGoodOnceItNoLongerPays) {
  const std::vector<std::int64_t> exploring = explorers_by_step("adaptive-fisher", two_arms(.5, 200), .2);
  EXPECT_GT(exploring.front(), 0);
  const auto first_none = std::find(exploring.begin(), exploring.end(), 0);
  EXPECT_LT(first_none - exploring.begin(), 40);
  EXPECT_TRUE(std::all_of(first_none, exploring.end(), [](std::int64_t n) { return n == 0; }));
}

// With the default share two of ten units may explore, with a share of 1 all ten: a third of them is 3.
TEST(AdaptiveFisher, AsManyExploreAsTheShareAllows) {
  Setting setting{.belief = {arms({1, .9}), {{0, .5}, {1, 1}}, {.25, .25}}, .units = 10, .horizon = 200};
  const auto explorers = [&] {
    const std::vector<std::int32_t> pair =
        Driven("adaptive-fisher", setting).choose(std::vector<std::int32_t>(10, 0));
    return std::count(pair.begin(), pair.end(), 1);
  };
  EXPECT_GE(explorers(), 1);
  EXPECT_LE(explorers(), 2);
  setting.options.explorer_share = 1;
  EXPECT_GE(explorers(), 3);
  setting.options.explorer_share = 0;
  EXPECT_EQ(explorers(), 0);
}

}  // namespace explorers_test
}  // namespace mindgap::planner
