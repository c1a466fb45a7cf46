#include <gtest/gtest.h>

#include "planner/small_models.h"

// Planners whose belief forgets.
namespace mindgap::planner {
namespace forgetting_test {

using Pairs = std::vector<std::int32_t>;

Setting arms_that_move(double drift) {
  Setting setting{.belief = belief_of(arms({.5, .6}), .5, 1, .01), .units = 1, .horizon = 400};
  setting.options.replan_every = 1;
  setting.options.drift = drift;
  return setting;
}

// Arm 1 looks better, but pays 0 when it is tried: both go over to arm 0, which pays .5 as simulated. What
// arm 1 paid is forgotten: its mean is .6 + a^t m, m near -.6, above .5 from a^t < 1/6 on: with a = .95 after
// 35 steps at the earliest. The static belief never comes back.
std::int64_t steps_until_back(const char* name, double drift) {
  Driven planner(name, arms_that_move(drift));
  EXPECT_EQ(planner.choose({0}), Pairs{1});
  planner.observe({0}, {0});
  for (std::int64_t t = 1; t < 200; ++t) {
    if (planner.choose({0}) == Pairs{1}) return t;
    planner.observe({.5}, {0});
  }
  return -1;
}

TEST(Forgetting, ComesBackToWhatItHasNotSeenForLong) {
  EXPECT_EQ(steps_until_back("asop", .05), -1);
  EXPECT_EQ(steps_until_back("asop-forgetting", 0), -1);
  // One observation of variance .01 tells .25/.26 of what is unknown: m = -.6 * .25/.26 = -.5769, and
  // .6 - .5769 .95^t > .5 from t = 35 on (.95^34 = .1748, .95^35 = .1661 < .1733). It is then at most .5 at
  // arm 0, which is seen at each step and drawn towards .5 from both sides.
  EXPECT_EQ(steps_until_back("asop-forgetting", .05), 35);
}

TEST(Forgetting, WithoutDriftNothingIsForgotten) {
  for (const auto& [forgets, still] :
       {std::pair("asop-forgetting", "asop"), std::pair("thompson-forgetting", "thompson"),
        std::pair("repilot", "adaptive-fisher")}) {
    Setting setting = arms_that_move(0);
    setting.units = 6;
    setting.options.adaptive_target.members = 8;
    Driven one(forgets, setting), other(still, setting);
    for (int t = 0; t < 30; ++t) {
      const Pairs chosen = one.choose(Pairs(6, 0));
      ASSERT_EQ(chosen, other.choose(Pairs(6, 0))) << forgets << " at step " << t;
      std::vector<double> reward;
      for (const std::int32_t k : chosen) reward.push_back(k == 0 ? .5 : .3);
      one.observe(reward, Pairs(6, 0));
      other.observe(reward, Pairs(6, 0));
    }
  }
}

// Arm 1 pays less than arm 0 and all units have found out; a pilot that forgets tries it again, one that does
// not has stopped for good.
std::int64_t tries_after(const char* name, std::int64_t from) {
  Setting setting{.belief = belief_of(arms({.5, .45}), .5, 1, .01), .units = 10, .horizon = 400};
  setting.options.replan_every = 5;
  setting.options.window = 2;
  setting.options.explorer_share = .2;
  setting.options.adaptive_target.members = 16;
  setting.options.drift = .03;
  Driven planner(name, setting);
  std::int64_t tries = 0;
  for (std::int64_t t = 0; t < 300; ++t) {
    const Pairs chosen = planner.choose(Pairs(10, 0));
    std::vector<double> reward;
    for (const std::int32_t k : chosen) {
      reward.push_back(k == 0 ? .5 : .2);
      tries += t >= from && k == 1 ? 1 : 0;
    }
    planner.observe(reward, Pairs(10, 0));
  }
  return tries;
}

TEST(Forgetting, PilotsAreRunAgain) {
  EXPECT_EQ(tries_after("adaptive-fisher", 50), 0);
  EXPECT_GT(tries_after("repilot", 50), 0);
  EXPECT_LT(tries_after("repilot", 50), 250 * 2);  // but not all the time
}

}  // namespace forgetting_test
}  // namespace mindgap::planner
