#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "decide/situations.h"
#include "mindgap/base/error.h"

// Decisions where the truth moves while plans are followed.
namespace mindgap::decide {
namespace drift_test {

Situation two_arms(std::int64_t horizon) {
  const mdp::Mdp mdp = arms({.5, .5});
  return situation_of(mdp, even_prior(mdp, .5, 1e6), .04, {0, 0, 0, 0}, horizon);
}

// Every world's means keep the belief's law: over worlds the mean reward of an arm at step t has mean .5 and
// standard deviation .5, and its correlation with that at step 0 is (1 - rate)^t.
TEST(Drift, DrawnWorldsKeepTheLawOfTheBelief) {
  const Situation situation = two_arms(40);
  const int worlds = 3000;
  const double rate = .05;
  double sum = 0, squares = 0, product = 0;
  const std::vector<double> variance(2, 0.0);
  const auto gaussian = belief::reward_belief(belief::RewardModel::known_variance);
  for (int i = 0; i < worlds; ++i) {
    DrawnWorld world({situation.belief(), 42, world_number(static_cast<std::uint64_t>(i))}, variance,
                     situation.unit_state, 40, 42, static_cast<std::uint64_t>(i), gaussian);
    world.move(situation.belief(), rate);
    double first = 0, last = 0;
    for (int t = 0; t <= 20; ++t) {
      last = world.step(0, 0).reward;
      if (t == 0) first = last;
    }
    EXPECT_EQ(world.step(0, 0).reward != last, true);
    world.forget();
    EXPECT_EQ(world.step(0, 0).reward, first);  // every plan meets the same path
    sum += last;
    squares += (last - .5) * (last - .5);
    product += (first - .5) * (last - .5);
  }
  EXPECT_NEAR(sum / worlds, .5, 4 * .5 / std::sqrt(worlds));
  EXPECT_NEAR(squares / worlds, .25, 4 * .25 * std::sqrt(2.0 / worlds));
  EXPECT_NEAR(product / worlds, .25 * std::pow(.95, 20), 4 * .25 / std::sqrt(worlds));
}

// One unit at a time on the better arm is worth more where one looks again: over 200 steps at a rate of .05 a
// static belief trusts what it saw 20 and more steps ago as much as what it sees now.
TEST(Drift, PlansThatForgetEarnMore) {
  DecideOptions options = quick(plans_named({"sop", "asop", "asop-forgetting", "thompson-forgetting"}), 200);
  options.simulation.terms.drift_rate = .05;
  options.simulation.replan_every = 2;
  const Decision decision = decide(two_arms(200), options);
  const auto value = [&](const std::string& name) {
    for (const PlanResult& plan : decision.plans) {
      if (plan.plan.name == name) return plan.value;
    }
    throw InvalidArgument("no plan " + name);
  };
  EXPECT_GT(value("asop-forgetting"), value("asop"));
  EXPECT_GT(value("asop-forgetting"), value("sop"));
  EXPECT_EQ(decision.information.draws, 0);
}

TEST(Drift, PlansThatForgetAreDefaultWhereTheTruthMoves) {
  DecideOptions options;
  std::vector<Note> notes;
  const auto names = [&] {
    std::vector<std::string> all;
    for (const Plan& plan : fitting_plans(two_arms(50), options, notes)) all.push_back(plan.name);
    return all;
  };
  const auto has = [](const std::vector<std::string>& all, const char* name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  EXPECT_FALSE(has(names(), "asop-forgetting"));
  options.simulation.terms.drift_rate = .05;
  EXPECT_TRUE(has(names(), "asop-forgetting"));
  EXPECT_TRUE(has(names(), "thompson-forgetting"));
  const Plan again = plan_from_string("repilot-2x5");
  EXPECT_EQ(again.planner, "repilot");
  EXPECT_TRUE(again.is_designed());
  EXPECT_EQ(again.window, 5);
  EXPECT_EQ(plan_from_string("asop-forgetting").kind, Kind::learn);
}

TEST(Drift, IsRefusedWhereItsLawIsNotKnown) {
  const mdp::Mdp mdp = arms({.5, .5});
  DecideOptions options = quick(plans_named({"sop", "asop"}), 8);
  options.simulation.terms.drift_rate = .05;
  Situation coins{known(belief::Belief(mdp, even_prior(mdp, .2, 1), {.25, .25},
                                       {.rewards = belief::RewardModel::bernoulli})),
                  {0, 0},
                  20};
  EXPECT_THROW(decide(coins, options), InvalidArgument);
  options.simulation.terms.drift_rate = 1;
  EXPECT_THROW(decide(two_arms(20), options), InvalidArgument);
}

}  // namespace drift_test
}  // namespace mindgap::decide
