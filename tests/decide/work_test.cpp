#include "mindgap/decide/work.h"

#include <gtest/gtest.h>

#include "decide/situations.h"

namespace mindgap::decide {
namespace work_test {

Situation situation(std::int64_t horizon) {
  const mdp::Mdp mdp = corridor(1, .5);
  return situation_of(mdp, even_prior(mdp, 1, 5), 1, {0, 0, 0, 0}, horizon);
}

// A design or an information ratio costs far more than a policy.
TEST(WorkOfLook, SlowPlansAreFarSlower) {
  const auto work = [](const char* name) { return work_of_look(plan_from_string(name), situation(20)); };
  EXPECT_EQ(work("sop"), 0);
  EXPECT_GT(work("asop"), 0);
  EXPECT_EQ(work("pilot-2x2"), work("asop"));
  EXPECT_GT(work("thompson"), work("asop"));
  EXPECT_GT(work("ids"), 5 * work("thompson"));
  EXPECT_GT(work("adaptive-4x2"), 5 * work("thompson"));
}

// Six pairs with 10 successors: Thompson's look is 4 x 44 x 16 ns = 2.8 us, 282 us for 100 steps.
TEST(ReplanningOf, SlowPlansLookMoreRarelyWhereThatIsTooMuchWork) {
  const Plan thompson = plan_from_string("thompson");
  const Situation here = situation(100);
  EXPECT_EQ(replanning_of(thompson, here, {}), 1);
  EXPECT_EQ(replanning_of(thompson, here, {.most_work = 2.82e5}), 1);
  EXPECT_EQ(replanning_of(thompson, here, {.most_work = 2e5}), 2);
  EXPECT_EQ(replanning_of(thompson, here, {.most_work = 1}), 5);
  EXPECT_TRUE(is_affordable(thompson, here, {.most_work = 2e5}));
  EXPECT_FALSE(is_affordable(thompson, here, {.most_work = 5e4}));
  // What every decision needs is never left out.
  for (const char* name : {"sop", "asop", "pilot-4x10", "beb-1"})
    EXPECT_TRUE(is_affordable(plan_from_string(name), here, {.most_work = 1})) << name;
  // Not so rarely that little is left of a short horizon; asop and pilots look as often as all do.
  EXPECT_EQ(replanning_of(thompson, situation(50), {.most_work = 1}), 2);
  EXPECT_EQ(replanning_of(plan_from_string("asop"), here, {.most_work = 1}), 1);
  EXPECT_EQ(replanning_of(pilot_plan(2, 5), here, {.most_work = 1}), 1);
  EXPECT_EQ(replanning_of(thompson, here, {.replan_every = 9, .most_work = 1}), 9);
}

}  // namespace work_test
}  // namespace mindgap::decide
