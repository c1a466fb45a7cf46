#include "mindgap/decide/members_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "decide/situations.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/ensemble.h"
#include "mindgap/decide/follow_plan.h"
#include "mindgap/decide/simulation.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/several_models.h"
#include "mindgap/stats/moments.h"

namespace mindgap::decide {
namespace members_policy_test {

std::vector<mdp::Mdp> random_rivals(std::size_t size) {
  std::vector<mdp::Mdp> models;
  for (std::size_t i = 0; i < size; ++i)
    models.push_back(
        mdp::random_mdp(70 + i, {.states = 6, .actions = 3, .discount = .8, .all_actions = true}));
  return models;
}

// Nearly no discrepancy: worlds are the members.
belief::Belief belief_of(const std::vector<mdp::Mdp>& models, std::vector<double> weights) {
  const mdp::Members members(models, std::move(weights));
  belief::BeliefOptions options;
  options.members = members;
  const auto pairs = static_cast<std::size_t>(members.mean().pairs());
  return belief::Belief(members.mean(), even_prior(members.mean(), 1e-6, 1e8),
                        std::vector<double>(pairs, 1.0), options);
}

double value_at(const mdp::Mdp& model, const mdp::Policy& policy, std::int32_t state) {
  return mdp::evaluate(model, policy).value[state];
}

TEST(MembersPolicy, IsThatOfTheMembersFromWhereTheUnitsAre) {
  const std::vector<mdp::Mdp> models = random_rivals(4);
  const std::vector<double> weights = {.4, .3, .2, .1};
  const belief::Belief belief = belief_of(models, weights);
  for (const std::int32_t state : {0, 3}) {
    std::vector<double> start(6, 0.0);
    start[state] = 1;
    std::vector<mdp::Mdp> there;
    there.reserve(models.size());
    for (const mdp::Mdp& model : models) there.push_back(model.with_start(start));
    const std::vector<std::int32_t> units = {state, state};
    const mdp::SeveralModelsPolicy average = mdp::average_policy(there, weights);
    const mdp::Policy found = members_policy(plan_from_string("average"), belief, units, 1);
    double mean = 0, worst = 1e300;
    const mdp::Policy robust = members_policy(plan_from_string("robust"), belief, units, 1);
    for (std::size_t i = 0; i < models.size(); ++i) {
      mean += weights[i] * value_at(models[i], found, state);
      worst = std::min(worst, value_at(models[i], robust, state));
    }
    EXPECT_NEAR(mean, average.value, 1e-5);
    EXPECT_NEAR(worst, mdp::robust_policy(there).value, 1e-5);
  }
}

// What plans earn in drawn worlds against what their policies are worth in the members, solved exactly.
TEST(MembersPolicy, EarnsInDrawnWorldsWhatItIsWorth) {
  const std::vector<mdp::Mdp> models = random_rivals(3);
  const std::vector<double> weights = {.5, .3, .2};
  const Situation situation{known(belief_of(models, weights)), {2}, 60};  // .8^60 is 1.5e-6
  SimulationOptions options;
  options.run.threads = 1;
  const Simulation simulation(situation, plans_named({"sop", "average", "robust"}), options);
  const std::vector<std::size_t> all = {0, 1, 2};
  const Outcomes outcomes = simulation.run(all, 0, 3000, 1e9, "");
  std::vector<double> exact;
  for (const std::size_t p : all) {
    const mdp::Policy& policy =
        simulation.plans()[p].policy ? *simulation.plans()[p].policy : simulation.deployed();
    double mean = 0;
    for (std::size_t i = 0; i < models.size(); ++i) mean += weights[i] * value_at(models[i], policy, 2);
    exact.push_back(mean);
    const std::vector<double> earned = outcomes.values(p, Objective::discounted);
    const double error = stats::standard_deviation(earned) / std::sqrt(static_cast<double>(earned.size()));
    EXPECT_NEAR(stats::mean(earned), mean, 4 * error + 1e-4) << simulation.plans()[p].plan.name;
  }
  EXPECT_GE(exact[1], exact[0] - 1e-9)
      << "the best on average is no worse than the optimum of the mean model";
  EXPECT_GE(exact[1], exact[2] - 1e-9);
}

// Two arms: the second is bad in a member that the data then rule out.
TEST(MembersPolicy, AMemberThatDataRuleOutIsNoLongerTheWorstCase) {
  const std::vector<mdp::Mdp> models = {arms({1, 2}), arms({1, -2})};
  belief::Belief belief = belief_of(models, {.5, .5});
  const auto second_arm = [&] {
    return members_policy(plan_from_string("robust"), belief, {}, 1).pair_of_state()[0] == 1;
  };
  EXPECT_FALSE(second_arm());
  for (int i = 0; i < 5; ++i) belief.observe({.pair = 1, .reward = 2.0, .next_state = 0});
  EXPECT_TRUE(second_arm());
}

TEST(MembersPolicy, WantsAnEnsemble) {
  const Situation situation = situation_of(arms({1, 2}), even_prior(arms({1, 2}), 1, 10), 1, {0}, 10);
  for (const char* name : {"average", "robust"}) {
    try {
      design_plan(situation, plan_from_string(name), {});
      FAIL() << name;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("ensemble"), std::string::npos) << error.what();
    }
  }
}

TEST(MembersPolicy, IsAmongTheDefaultsOfSmallEnsembles) {
  Situation situation{known(belief_of(random_rivals(3), {})), {2}, 60};
  std::vector<Note> notes;
  const auto has_both = [&] {
    const std::vector<Plan> plans = fitting_plans(situation, {}, notes);
    return std::ranges::count_if(plans, [](const Plan& plan) { return plan.wants_ensemble(); }) == 2;
  };
  EXPECT_TRUE(has_both());
  situation.knowledge = known(belief_of({random_rivals(1)[0]}, {}));
  EXPECT_TRUE(has_both()) << "an ensemble of one is an ensemble";
  situation = situation_of(arms({1, 2}), even_prior(arms({1, 2}), 1, 10), 1, {0}, 10);
  EXPECT_FALSE(has_both());
}

TEST(MembersPolicy, CompareFollowsItToo) {
  const std::vector<mdp::Mdp> models = {arms({1, 2}), arms({1, -2})};
  const planner::Setting setting{belief_of(models, {.5, .5}), 2, 10, 42, 0, {}};
  const std::unique_ptr<planner::Planner> robust = make_plan(plan_from_string("robust"), setting, {});
  const std::vector<std::int32_t> state = {0, 0};
  std::vector<std::int32_t> pair(2, -1);
  robust->choose(0, state, pair);
  EXPECT_EQ(pair, (std::vector<std::int32_t>{0, 0}));
}

}  // namespace members_policy_test
}  // namespace mindgap::decide
