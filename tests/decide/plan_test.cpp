#include "mindgap/decide/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mindgap/base/error.h"

namespace mindgap::decide {
namespace {

std::vector<std::string> names_of(const std::vector<Plan>& plans) {
  std::vector<std::string> names;
  for (const Plan& plan : plans) names.push_back(plan.name);
  return names;
}

TEST(Plan, NamesSayKindAndSize) {
  EXPECT_EQ(plan_from_string("sop"), (Plan{"sop", Kind::deploy}));
  EXPECT_EQ(plan_from_string("asop"), (Plan{"asop", Kind::learn}));
  EXPECT_EQ(plan_from_string("thompson"), (Plan{"thompson", Kind::learn}));
  EXPECT_EQ(plan_from_string("pilot-8x10"), (Plan{"pilot-8x10", Kind::experiment, 8, 10}));
  EXPECT_EQ(plan_from_string("pilot-8x10"), pilot_plan(8, 10));
  EXPECT_TRUE(pilot_plan(1, 1).is_pilot());
  EXPECT_FALSE(plan_from_string("thompson").is_pilot());
  EXPECT_EQ(name_of(Kind::deploy), "deploy");
  EXPECT_EQ(name_of(Kind::learn), "learn");
  EXPECT_EQ(name_of(Kind::experiment), "experiment");
}

TEST(Plan, EverythingElseIsNoName) {
  for (const char* name :
       {"", "SOP", "sop ", "pilot", "pilot-", "pilot-8", "pilot-8x", "pilot-x8", "pilot-0x3", "pilot-3x0",
        "pilot--1x3", "pilot-8x10x2", "pilot-8X10", "pilot-1.5x3", "pilot- 8x10", "pilot-8x10 ",
        "pilot-99999999999999999999x1", "epsilon"}) {
    EXPECT_THROW(plan_from_string(name), InvalidArgument) << name;
  }
}

TEST(Plan, TheSameSizeWrittenOtherwiseIsTheSamePlan) {
  EXPECT_EQ(plan_from_string("pilot-008x010").name, "pilot-8x10");
}

// 8 units: all, 2 = 8/4, 1 = 8/16 and 8/64 rounded up; 100 steps: 5, 10, 20, 40.
TEST(DefaultPlans, OfVans) {
  EXPECT_EQ(names_of(default_plans(8, 100)),
            (std::vector<std::string>{"sop", "asop", "thompson", "pilot-8x10", "pilot-8x20", "pilot-8x5",
                                      "pilot-8x40", "pilot-2x10", "pilot-2x20", "pilot-2x5", "pilot-2x40",
                                      "pilot-1x10", "pilot-1x20", "pilot-1x5", "pilot-1x40"}));
}

TEST(DefaultPlans, ShortHorizons) {
  EXPECT_EQ(names_of(default_plans(8, 1)), (std::vector<std::string>{"sop", "asop", "thompson"}));
  EXPECT_EQ(names_of(default_plans(1, 2)),
            (std::vector<std::string>{"sop", "asop", "thompson", "pilot-1x1"}));
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

}  // namespace
}  // namespace mindgap::decide
