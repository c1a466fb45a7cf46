#include <gtest/gtest.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/planner/planner.h"
#include "mindgap/world/tabular_world.h"
#include "planner/small_models.h"

// What holds for every planner there is.
namespace mindgap::planner {
namespace every_planner_test {

struct Recorded {
  std::vector<std::int32_t> state, pair, next_state;
  std::vector<double> reward;
  bool operator==(const Recorded&) const = default;
};

std::vector<Recorded> record(const PlannerInfo& info, const Setting& setting, const mdp::Mdp& truth,
                             std::int64_t steps) {
  world::TabularWorld world(world::without_hidden_state(truth, .25), setting.seed, setting.trial,
                            setting.units);
  const auto planner = info.make(setting);
  const auto units = static_cast<std::size_t>(setting.units);
  std::vector<Recorded> all;
  std::vector<std::int32_t> state(units);
  for (std::size_t u = 0; u < units; ++u) state[u] = world.state(static_cast<std::int64_t>(u));
  for (std::int64_t t = 0; t < steps; ++t) {
    Recorded now{state, std::vector<std::int32_t>(units, -1), state, std::vector<double>(units)};
    planner->choose(t, now.state, now.pair);
    for (std::size_t u = 0; u < units; ++u) {
      const world::Observation seen = world.step(static_cast<std::int64_t>(u), now.pair[u]);
      now.reward[u] = seen.reward, now.next_state[u] = seen.next_state;
    }
    planner->observe(t, {now.state, now.pair, now.reward, now.next_state});
    state = now.next_state;
    all.push_back(std::move(now));
  }
  return all;
}

std::vector<Recorded> record(const PlannerInfo& info, const Setting& setting, std::int64_t steps) {
  return record(info, setting, setting.belief.simulator(), steps);
}

Setting setting_of(const mdp::Mdp& mdp, std::int64_t units) {
  Setting setting{.belief = belief_of(mdp, .3, 3, .25), .units = units, .horizon = 40, .trial = 3};
  setting.options.pilot_steps = 3;
  setting.options.explore_steps = 6;
  setting.options.replan_every = 4;
  setting.options.draws = 8;
  setting.options.target.members = setting.options.adaptive_target.members = 8;
  setting.options.optimism = .1;  // small enough that evidence moves UCRL2 and UCBVI within 40 steps
  return setting;
}

class EveryPlanner : public testing::TestWithParam<std::string> {
 protected:
  const PlannerInfo& info() const { return find_planner(GetParam()); }
};

// World::step() throws for a pair that is not one of the unit's state; this says it in the planner's words.
TEST_P(EveryPlanner, TakesPairsOfTheUnitsStateOnly) {
  const mdp::Mdp mdp = uneven();
  for (const std::int64_t units : {1, 7}) {
    for (const Recorded& step : record(info(), setting_of(mdp, units), 40)) {
      for (std::size_t u = 0; u < step.state.size(); ++u) {
        EXPECT_GE(step.pair[u], mdp.pair_begin()[step.state[u]]);
        EXPECT_LT(step.pair[u], mdp.pair_begin()[step.state[u] + 1]);
      }
    }
  }
}

TEST_P(EveryPlanner, EqualSettingsGiveEqualRuns) {
  const Setting setting = setting_of(uneven(), 5);
  EXPECT_EQ(record(info(), setting, 40), record(info(), setting, 40));
}

TEST_P(EveryPlanner, ChoosesTheSameAgainFromWhatWasRecorded) {
  const Setting setting = setting_of(uneven(), 5);
  const std::vector<Recorded> run = record(info(), setting, 40);
  const auto planner = info().make(setting);
  for (std::size_t t = 0; t < run.size(); ++t) {
    std::vector<std::int32_t> pair(5, -1);
    planner->choose(static_cast<std::int64_t>(t), run[t].state, pair);
    EXPECT_EQ(pair, run[t].pair) << "step " << t;
    planner->observe(static_cast<std::int64_t>(t), {run[t].state, pair, run[t].reward, run[t].next_state});
  }
}

// Others may have chosen before, and what came of it may have been told.
TEST_P(EveryPlanner, MayBeAskedFirstAtAnyStep) {
  const mdp::Mdp mdp = uneven();
  const std::vector<std::int32_t> state = {0, 1, 2};
  const std::vector<std::int32_t> taken = {mdp.pair_begin()[0], mdp.pair_begin()[1], mdp.pair_begin()[2]};
  const std::vector<double> reward(3, 1.0);
  for (const std::int64_t first : {1, 3, 5, 30}) {
    const auto planner = info().make(setting_of(mdp, 3));
    for (std::int64_t t = 0; t < first; ++t) planner->observe(t, {state, taken, reward, state});
    for (std::int64_t t = first; t < first + 6; ++t) {
      std::vector<std::int32_t> pair(3, -1);
      planner->choose(t, state, pair);
      for (std::size_t u = 0; u < 3; ++u) {
        EXPECT_GE(pair[u], mdp.pair_begin()[state[u]]) << "step " << t;
        EXPECT_LT(pair[u], mdp.pair_begin()[state[u] + 1]) << "step " << t;
      }
      planner->observe(t, {state, pair, reward, state});
    }
  }
}

TEST_P(EveryPlanner, WorksOnASingleArmAndWithoutUnits) {
  EXPECT_EQ(record(info(), setting_of(arms({1}), 2), 12).back().pair, (std::vector<std::int32_t>{0, 0}));
  EXPECT_EQ(record(info(), setting_of(uneven(), 0), 12).size(), 12u);
}

// The pairs of uneven(), each of which leads anywhere.
mdp::Mdp anywhere() {
  const mdp::Mdp known = uneven();
  mdp::MdpBuilder builder(known.discount(), 3, 3);
  for (std::int32_t k = 0; k < known.pairs(); ++k) {
    const std::int32_t s = known.state_of_pair(k), a = known.pair_action()[k];
    builder.set_reward(s, a, known.reward()[k]);
    for (std::int32_t to = 0; to < 3; ++to) builder.add_transition(s, a, to, 1.0 / 3);
  }
  return builder.build();
}

// Moves that the simulator calls impossible are seen, and models of the belief may have more transitions than
// the simulator has.
TEST_P(EveryPlanner, CopesWithMovesOffTheSimulatorsSupport) {
  const mdp::Mdp mdp = uneven();
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  for (const std::optional<double> unseen :
       {std::optional<double>(), std::optional(0.0), std::optional(.3)}) {
    Setting setting = setting_of(mdp, 5);
    setting.belief = belief::Belief(mdp, {std::vector<double>(pairs, .3), std::vector<double>(pairs, 3)},
                                    std::vector<double>(pairs, .25), {.unseen = {.share = unseen}});
    for (const Recorded& step : record(info(), setting, anywhere(), 40)) {
      for (std::size_t u = 0; u < step.state.size(); ++u) {
        EXPECT_GE(step.pair[u], mdp.pair_begin()[step.state[u]]);
        EXPECT_LT(step.pair[u], mdp.pair_begin()[step.state[u] + 1]);
      }
    }
  }
}

TEST_P(EveryPlanner, DiscountOfOneIsRefused) {
  Setting setting = setting_of(uneven(), 2);
  setting.belief = belief_of(uneven(1), .3, 3, .25);
  EXPECT_THROW(record(info(), setting, 1), InvalidArgument);
}

TEST_P(EveryPlanner, BadOptionsAreRefused) {
  Setting setting = setting_of(uneven(), 2);
  setting.options.epsilon = 2;
  EXPECT_THROW(info().make(setting), InvalidArgument);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const PlannerInfo& info : planners()) all.push_back(info.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, EveryPlanner, testing::ValuesIn(names()), [](const auto& planner) {
  std::string name = planner.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace every_planner_test
}  // namespace mindgap::planner
