#include "paper/cases/world_battery.h"

#include <fmt/format.h>

#include <algorithm>

namespace mindgap::cases {
namespace world_battery_test {

// One line per tabular case. Where a case has none, or its golden run is another one, the test prints the
// line as it is now.
const std::vector<WorldClaims>& claims() {
  static const std::vector<WorldClaims> kAll = {
      {"treasure", true, {1, 7, 6, 0, 0, 1, 0, 1}, {0.3, 0.3, 0.3, 0.3}, 35.60000000000002},
      {"riverswim",
       true,
       {1, 0, 0, 0, 0, 0, 1, 1},
       {0.13740598638006193, 0.13737563629492386, -0.09142046005531566, -0.023728368829387076},
       -0.14370793325414133},
      {"deepsea",
       true,
       {11, 20, 31, 42, 51, 60, 71, 82},
       {0.13640598638006193, 0.13737563629492386, -0.09242046005531566, -0.029728368829387078},
       -0.42770793325414125},
      {"confounded",
       true,
       {9, 10, 0, 7, 1, 11, 1, 11},
       {0.6037580971799013, 0.6557689454038751, 0.46962750546795484, 0.5271929991058015},
       51.14084211158345},
  };
  return kAll;
}

const trial::TabularCase* tabular_of(const trial::Case& made) {
  return dynamic_cast<const trial::TabularCase*>(&made);
}

std::vector<std::string> tabular_cases() {
  std::vector<std::string> names;
  for (const CaseInfo& info : all_cases()) {
    if (tabular_of(*info.make({}))) names.push_back(info.name);
  }
  return names;
}

Recording uniform_run(const trial::TabularCase& tabular, std::uint64_t seed, std::uint64_t trial) {
  const trial::Problem problem = tabular.problem(trial);
  const mdp::Mdp& mdp = problem.belief.simulator();
  // The planner's draws stay the same: only the world may make a difference.
  const auto planner = planner::follow_policy(mdp, mdp::Policy::uniform(mdp), 42, 0);
  return record_run(problem.truth, *planner, seed, trial, 3, 40);
}

class WorldBattery : public ::testing::TestWithParam<std::string> {
 protected:
  const trial::TabularCase& tabular() const { return *tabular_of(*made_); }

 private:
  std::unique_ptr<trial::Case> made_ = find_case(GetParam()).make({});
};

TEST_P(WorldBattery, Loads) {
  for (const std::uint64_t trial : {0, 1, 7}) expect_loads(tabular().problem(trial));
}

TEST_P(WorldBattery, TheSameSeedIsTheSameRun) {
  const auto again = find_case(GetParam()).make({});
  for (const std::uint64_t trial : {0, 5}) {
    EXPECT_EQ(tabular().problem(trial).truth, tabular_of(*again)->problem(trial).truth);
    EXPECT_EQ(tabular().problem(trial).belief.simulator(),
              tabular_of(*again)->problem(trial).belief.simulator());
    EXPECT_EQ(uniform_run(tabular(), 42, trial), uniform_run(*tabular_of(*again), 42, trial));
  }
  const std::vector<std::int64_t> horizons = {3, 9};
  EXPECT_EQ(tabular().run("oracle", 5, horizons), again->run("oracle", 5, horizons));
}

TEST_P(WorldBattery, OtherSeedsAndTrialsDiffer) {
  const auto other = find_case(GetParam()).make({.seed = 43});
  EXPECT_NE(uniform_run(tabular(), 42, 0), uniform_run(*tabular_of(*other), 43, 0));
  EXPECT_NE(uniform_run(tabular(), 42, 0), uniform_run(tabular(), 42, 1));
  const std::vector<std::int64_t> horizons = {20};
  EXPECT_NE(tabular().run("oracle", 0, horizons), other->run("oracle", 0, horizons));
  EXPECT_NE(tabular().run("oracle", 0, horizons), tabular().run("oracle", 1, horizons));
}

TEST_P(WorldBattery, TheObservedHistoryAloneDecides) {
  const trial::Problem problem = tabular().problem(0);
  for (const planner::PlannerInfo& info : planner::planners()) expect_observed_history_decides(problem, info);
}

const WorldClaims* claims_of(const std::string& name) {
  const auto it = std::ranges::find(claims(), name, &WorldClaims::name);
  return it == claims().end() ? nullptr : &*it;
}

TEST_P(WorldBattery, TheHiddenStateIsStationaryWhereClaimed) {
  const WorldClaims* claim = claims_of(GetParam());
  ASSERT_NE(claim, nullptr) << "see GoldenRun";
  for (const std::uint64_t trial : {0, 1, 2}) {
    const world::HiddenModel truth = tabular().problem(trial).truth;
    if (!claim->hidden_redrawn) {
      EXPECT_GT(redrawing_error(truth), 1e-9) << "it could be claimed";
      continue;
    }
    EXPECT_LT(redrawing_error(truth), 1e-12);
    if (truth.hidden() > 1) {
      EXPECT_GT(hidden_law_p_value(truth, truth.deployment(), 40'000), 1e-3);
    }
  }
}

TEST_P(WorldBattery, GoldenRun) {
  const WorldClaims* claim = claims_of(GetParam());
  const Recording run = golden_run(tabular());
  std::vector<std::int32_t> states;
  std::vector<double> rewards;
  double total = 0;
  for (std::size_t t = 0; t < run.size(); ++t) {
    if (t < 8) states.push_back(run[t].next_state[0]);
    if (t < 4) rewards.push_back(run[t].reward[0]);
    for (const double reward : run[t].reward) total += reward;
  }
  const std::string line = fmt::format("{{\"{}\", true, {{{}}}, {{{}}}, {}}},", GetParam(),
                                       fmt::join(states, ", "), fmt::join(rewards, ", "), total);
  ASSERT_NE(claim, nullptr) << "claims() wants a line, for example\n" << line;
  EXPECT_EQ(states, claim->states) << line;
  ASSERT_EQ(rewards.size(), claim->rewards.size()) << line;
  for (std::size_t t = 0; t < rewards.size(); ++t) EXPECT_NEAR(rewards[t], claim->rewards[t], 1e-12) << line;
  EXPECT_NEAR(total, claim->total, 1e-11) << line;
}

INSTANTIATE_TEST_SUITE_P(Cases, WorldBattery, ::testing::ValuesIn(tabular_cases()),
                         [](const auto& tested) { return tested.param; });

// The battery itself can fail.
TEST(HiddenLawPValue, TellsAnotherLawApart) {
  const auto made = find_case("confounded").make({});
  const world::HiddenModel truth = tabular_of(*made)->problem(0).truth;
  EXPECT_LT(hidden_law_p_value(truth, truth.calibration(), 40'000), 1e-6);
}

TEST(WorldClaims, HaveACaseEach) {
  for (const WorldClaims& claim : claims()) EXPECT_NO_THROW(find_case(claim.name)) << claim.name;
}

}  // namespace world_battery_test
}  // namespace mindgap::cases
