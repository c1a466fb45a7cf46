#include "mindgap/decide/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/planner/planner.h"

namespace mindgap::decide {
namespace plan_test {

std::vector<std::string> names_of(const std::vector<Plan>& plans) {
  std::vector<std::string> names;
  names.reserve(plans.size());
  for (const Plan& plan : plans) names.push_back(plan.name);
  return names;
}

TEST(Plan, NamesSayKindAndSize) {
  EXPECT_EQ(plan_from_string("sop"), (Plan{"sop", Kind::deploy}));
  const Plan asop = plan_from_string("asop");
  EXPECT_EQ(asop.kind, Kind::learn);
  EXPECT_EQ(asop.exploration, Exploration::none);
  const Plan pilot = plan_from_string("pilot-8x10");
  EXPECT_EQ(pilot, pilot_plan(8, 10));
  EXPECT_EQ(pilot.kind, Kind::experiment);
  EXPECT_EQ(pilot.pilot_units, 8);
  EXPECT_EQ(pilot.pilot_steps, 10);
  EXPECT_TRUE(pilot.is_pilot() && pilot.is_designed());
  EXPECT_EQ(name_of(Kind::deploy), "deploy");
  EXPECT_EQ(name_of(Kind::learn), "learn");
  EXPECT_EQ(name_of(Kind::experiment), "experiment");
  EXPECT_EQ(name_of(Exploration::none), "none");
  EXPECT_EQ(name_of(Exploration::undirected), "undirected");
  EXPECT_EQ(name_of(Exploration::designed), "designed");
}

// Whatever sends units where today's best policy would not go is an experiment.
TEST(Plan, UndirectedExplorationIsAnExperimentWithoutRoutes) {
  for (const char* name : {"thompson", "thompson-shared", "beb", "beb-2", "improvement", "ids"}) {
    const Plan plan = plan_from_string(name);
    EXPECT_EQ(plan.name, name);
    EXPECT_EQ(plan.kind, Kind::experiment) << name;
    EXPECT_TRUE(plan.is_undirected()) << name;
    EXPECT_FALSE(plan.is_pilot() || plan.is_designed()) << name;
    EXPECT_NO_THROW(planner::find_planner(plan.planner)) << name;
  }
  EXPECT_EQ(plan_from_string("beb-0.5").bonus, .5);
  EXPECT_EQ(plan_from_string("beb-0.50"), plan_from_string("beb-.5"));
}

TEST(Plan, AnAdaptivePilotIsDesignedButHasNoRoutesBeforehand) {
  const Plan plan = plan_from_string("adaptive-8x10");
  EXPECT_EQ(plan, adaptive_plan(8, 10));
  EXPECT_EQ(plan.kind, Kind::experiment);
  EXPECT_TRUE(plan.is_designed());
  EXPECT_FALSE(plan.is_pilot());
  EXPECT_EQ(plan.pilot_units, 8);
  EXPECT_EQ(plan.window, 10);
  EXPECT_NO_THROW(planner::find_planner(plan.planner));
}

TEST(Plan, EverythingElseIsNoName) {
  for (const char* name : {"",
                           "SOP",
                           "sop ",
                           "pilot",
                           "pilot-",
                           "pilot-8",
                           "pilot-8x",
                           "pilot-x8",
                           "pilot-0x3",
                           "pilot-3x0",
                           "pilot--1x3",
                           "pilot-8x10x2",
                           "pilot-8X10",
                           "pilot-1.5x3",
                           "pilot- 8x10",
                           "pilot-8x10 ",
                           "pilot-99999999999999999999x1",
                           "epsilon",
                           "beb-",
                           "beb-0",
                           "beb--1",
                           "beb-x",
                           "beb-nan",
                           "beb-1e9",
                           "adaptive",
                           "adaptive-8",
                           "adaptive-0x1",
                           "adaptive-8x0"}) {
    EXPECT_THROW(plan_from_string(name), InvalidArgument) << name;
    EXPECT_FALSE(is_plan(name)) << name;
  }
  EXPECT_TRUE(is_plan("pilot-1x1"));
}

TEST(Plan, TheSameSizeWrittenOtherwiseIsTheSamePlan) {
  EXPECT_EQ(plan_from_string("pilot-008x010").name, "pilot-8x10");
}

// 8 units: all, 2 = 8/4, 1 = 8/16 and 8/64 rounded up; 100 steps: 5, 10, 20, 40.
TEST(DefaultPlans, OfVans) {
  EXPECT_EQ(names_of(default_plans(8, 100)),
            (std::vector<std::string>{
                "sop",         "asop",       "thompson",      "beb-0.5",       "beb-1",      "beb-2",
                "improvement", "ids",        "adaptive-8x10", "adaptive-2x10", "pilot-8x10", "pilot-8x20",
                "pilot-8x5",   "pilot-8x40", "pilot-2x10",    "pilot-2x20",    "pilot-2x5",  "pilot-2x40",
                "pilot-1x10",  "pilot-1x20", "pilot-1x5",     "pilot-1x40"}));
}

TEST(DefaultPlans, OfAnEnsembleBeginWithWhatNeedsNoData) {
  const std::vector<std::string> names = names_of(default_plans(8, 100, true));
  EXPECT_EQ((std::vector<std::string>(names.begin(), names.begin() + 4)),
            (std::vector<std::string>{"sop", "average", "robust", "asop"}));
  EXPECT_EQ(names.size(), default_plans(8, 100).size() + 2);
}

TEST(DefaultPlans, ShortHorizons) {
  EXPECT_EQ(names_of(default_plans(8, 1)),
            (std::vector<std::string>{"sop", "asop", "thompson", "beb-0.5", "beb-1", "beb-2", "improvement",
                                      "ids"}));
  EXPECT_EQ(names_of(default_plans(1, 2)),
            (std::vector<std::string>{"sop", "asop", "thompson", "beb-0.5", "beb-1", "beb-2", "improvement",
                                      "ids", "adaptive-1x1", "pilot-1x1"}));
}

TEST(DefaultPlans, PilotsFitAndAreAllDifferent) {
  for (const std::int64_t units : {1, 2, 3, 7, 63, 64, 65, 1000}) {
    for (const std::int64_t horizon : {1, 2, 3, 5, 9, 10, 39, 365}) {
      const std::vector<Plan> plans = default_plans(units, horizon);
      std::vector<std::string> names = names_of(plans);
      std::sort(names.begin(), names.end());
      EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
      for (const Plan& plan : plans) {
        if (!plan.is_pilot()) continue;
        EXPECT_GE(plan.pilot_units, 1);
        EXPECT_LE(plan.pilot_units, units);
        EXPECT_GE(plan.pilot_steps, 1);
        EXPECT_LT(plan.pilot_steps, horizon);
      }
    }
  }
}

}  // namespace plan_test
}  // namespace mindgap::decide
