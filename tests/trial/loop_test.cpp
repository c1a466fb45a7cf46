#include "mindgap/trial/loop.h"

#include <gtest/gtest.h>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/trial/open_case.h"
#include "mindgap/trial/tabular_case.h"
#include "mindgap/world/tabular_world.h"
#include "mindgap/world/without_hidden_state.h"

namespace mindgap::trial {
namespace loop_test {

// A ring of three: action 0 stays, action 1 goes on; being in state s pays s.
mdp::Mdp ring() {
  mdp::MdpBuilder builder(.9, 3, 2);
  for (std::int32_t s = 0; s < 3; ++s) {
    for (std::int32_t a = 0; a < 2; ++a) {
      builder.set_reward(s, a, s);
      builder.add_transition(s, a, (s + a) % 3, 1);
    }
  }
  return builder.build().with_start({1, 0, 0});
}

// Always on; remembers what it was told.
class Walker final : public planner::Planner {
 public:
  void choose(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    steps.push_back(step);
    for (std::size_t u = 0; u < state.size(); ++u) pair[u] = 2 * state[u] + 1;
  }
  void observe(std::int64_t step, const planner::StepSeen& seen) override {
    EXPECT_EQ(step, steps.back());
    for (std::size_t u = 0; u < seen.state.size(); ++u) {
      EXPECT_EQ(seen.pair[u], 2 * seen.state[u] + 1);
      EXPECT_EQ(seen.next_state[u], (seen.state[u] + 1) % 3);
      EXPECT_EQ(seen.reward[u], seen.state[u]);
    }
  }
  std::vector<std::int64_t> steps;
};

TEST(Loop, AddsUpRewardsByEachHorizon) {
  world::TabularWorld world(world::without_hidden_state(ring(), 0), 1, 0, 4);
  Walker walker;
  const std::vector<std::int64_t> horizons = {1, 2, 3, 7};
  // Each of four units sees 0 1 2 0 1 2 0.
  EXPECT_EQ(run_trial(world, walker, horizons), (std::vector<double>{0, 4, 12, 24}));
  EXPECT_EQ(walker.steps.size(), 7u);
  EXPECT_EQ(run_trial(world, walker, horizons).back(), 24);  // units begin again
  EXPECT_THROW(run_trial(world, walker, std::vector<std::int64_t>{0}), InvalidArgument);
  EXPECT_THROW(run_trial(world, walker, std::vector<std::int64_t>{3, 2}), InvalidArgument);
}

TEST(TabularCase, HorizonsDoNotInfluenceEachOtherAndPlannersMeetTheSameWorld) {
  const auto problem = [](std::uint64_t) {
    const mdp::Mdp simulator = ring().with_reward({.5, .5, .2, .2, .1, .1});
    return Problem{
        {simulator, {std::vector<double>(6, 1.0), std::vector<double>(6, 5.0)}, std::vector<double>(6, .25)},
        world::without_hidden_state(ring(), .25)};
  };
  TabularCaseOptions options;
  options.name = "ring";
  options.units = 5;
  options.horizons = {20, 40};
  const TabularCase on(options, problem);
  for (const std::string& planner : on.default_planners()) {
    const std::vector<double> both = on.run(planner, 3, std::vector<std::int64_t>{20, 40});
    EXPECT_EQ(on.run(planner, 3, std::vector<std::int64_t>{20}).front(), both[0]) << planner;
    EXPECT_EQ(on.run(planner, 3, std::vector<std::int64_t>{40}).front(), both[1]) << planner;
    EXPECT_NE(on.run(planner, 4, std::vector<std::int64_t>{40}).front(), both[1]) << planner;
  }
  EXPECT_EQ(on.planners().front().name, "oracle");
  EXPECT_EQ(on.settings().back(), std::pair(std::string("units"), std::string("5")));
  options.units = 0;
  EXPECT_THROW(TabularCase(options, problem), InvalidArgument);
}

// Another planner is given what those of the case are given.
TEST(TabularCase, RunsPlannersItDoesNotList) {
  const auto problem = [](std::uint64_t) {
    return Problem{
        {ring(), {std::vector<double>(6, 1.0), std::vector<double>(6, 5.0)}, std::vector<double>(6, .25)},
        world::without_hidden_state(ring(), .25)};
  };
  TabularCaseOptions options;
  options.name = "ring";
  options.units = 5;
  const TabularCase on(options, problem);
  const std::vector<std::int64_t> horizons = {10, 20};
  std::vector<std::int64_t> told;
  const MakePlanner thompson = [&](const planner::Setting& setting) {
    told.push_back(setting.horizon);
    EXPECT_EQ(setting.units, 5);
    EXPECT_EQ(setting.trial, 3u);
    return planner::find_planner("thompson").make(setting);
  };
  EXPECT_EQ(on.run_other({"mine", thompson}, 3, horizons), on.run("thompson", 3, horizons));
  EXPECT_EQ(told, (std::vector<std::int64_t>{20}));
  on.run_other({"mine", thompson, true}, 3, horizons);
  EXPECT_EQ(told, (std::vector<std::int64_t>{20, 10, 20}));
}

}  // namespace loop_test
}  // namespace mindgap::trial
