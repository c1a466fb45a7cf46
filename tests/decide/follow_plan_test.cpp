#include "mindgap/decide/follow_plan.h"

#include <gtest/gtest.h>

#include "decide/situations.h"
#include "mindgap/base/error.h"
#include "mindgap/trial/loop.h"
#include "mindgap/trial/sweep.h"
#include "paper/cases/registry.h"

namespace mindgap::decide {
namespace follow_plan_test {

constexpr std::int64_t kHorizons[] = {20};

trial::OpenCase with_plans(const trial::Case& on, const std::vector<std::string>& asked) {
  std::vector<trial::OtherPlanner> others;
  for (const Plan& plan : plans_among(asked, on.planners())) others.push_back(planner_for(plan));
  return {on, others};
}

TEST(PlannerFor, TakesPlansByTheirNames) {
  const std::vector<std::string> asked = {"asop", "pilot-4x5", "beb-2", "adaptive-2x5"};
  const auto plain = cases::make_case("treasure", {.units = 8});
  const trial::OpenCase on = with_plans(*plain, asked);
  std::vector<std::string> names;
  for (const trial::PlannerName& planner : on.planners()) names.push_back(planner.name);
  for (const std::string& name : asked) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
    EXPECT_EQ(on.run(name, 0, kHorizons), on.run(name, 0, kHorizons)) << name;
  }
  // What the case knows itself stays what it is.
  EXPECT_EQ(on.run("asop", 3, kHorizons), plain->run("asop", 3, kHorizons));
  // A pilot of no effect on who is not in it: with other routes other rewards.
  EXPECT_NE(on.run("pilot-4x5", 0, kHorizons), on.run("asop", 0, kHorizons));
  EXPECT_NE(on.run("beb-2", 0, kHorizons), on.run("asop", 0, kHorizons));
}

TEST(PlannerFor, RefusesPilotsThatDoNotFitAndCasesOfTheirOwnKind) {
  const auto treasure = cases::make_case("treasure", {.units = 8});
  EXPECT_THROW(with_plans(*treasure, {"pilot-9x5"}).run("pilot-9x5", 0, kHorizons), InvalidArgument);
  EXPECT_THROW(with_plans(*treasure, {"pilot-4x20"}).run("pilot-4x20", 0, kHorizons), InvalidArgument);
  const auto lock = cases::make_case("lock", {});
  EXPECT_THROW(with_plans(*lock, {"pilot-1x1"}), InvalidArgument);
  EXPECT_NO_THROW(with_plans(*lock, {"no-plan"}));
}

// The routes of a decision, step by step: the planner's choices are the pilot's.
TEST(FollowPilot, IsThePilotItself) {
  const mdp::Mdp mdp = corridor(1, .5);
  belief::Prior prior = even_prior(mdp, .05, 50);
  prior.reward_sd[5] = 3;
  const Situation situation = situation_of(mdp, prior, .25, {0, 0, 0, 0}, 20);
  const PreparedPlan made = design_plan(situation, pilot_plan(2, 4), {.run = {.threads = 1}});
  const planner::Setting setting{situation.belief(), 4, 20};
  const auto one = follow_pilot(situation.belief(), made.pilot, setting);
  const auto other = planner::make_pilot(setting, made.pilot);
  std::vector<std::int32_t> state = {0, 0, 0, 0}, pair(4), same(4);
  one->choose(0, state, pair);
  other->choose(0, state, same);
  EXPECT_EQ(pair, same);
  planner::Setting fewer = setting;
  fewer.units = 3;
  EXPECT_THROW(follow_pilot(situation.belief(), made.pilot, fewer), InvalidArgument);
  const planner::Setting elsewhere{
      situation_of(arms({1, 2}), even_prior(arms({1, 2}), 1, 1), 1, {0}, 2).belief(), 4, 20};
  EXPECT_THROW(follow_pilot(situation.belief(), made.pilot, elsewhere), InvalidArgument);
}

}  // namespace follow_plan_test
}  // namespace mindgap::decide
