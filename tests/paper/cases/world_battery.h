#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/goodness_of_fit.h"
#include "mindgap/planner/planner.h"
#include "mindgap/trial/tabular_case.h"
#include "mindgap/world/draw.h"
#include "mindgap/world/tabular_world.h"
#include "paper/cases/registry.h"

// What every world of every tabular case has to pass; world_battery_test.cpp runs it on all that are
// registered.
namespace mindgap::cases {

/// One step as planners are told of it, one element per unit.
struct RecordedStep {
  std::vector<std::int32_t> state, pair;
  std::vector<double> reward;
  std::vector<std::int32_t> next_state;

  bool operator==(const RecordedStep&) const = default;
};
using Recording = std::vector<RecordedStep>;

/// What the world said of itself in docs and in its header, and the run that pins it.
struct WorldClaims {
  std::string name;                  // of the case
  bool hidden_redrawn;               // K(s',h'|s,a,h) = p(s'|s,a,h) P_t(h'|s')
  std::vector<std::int32_t> states;  // where unit 0 of the golden run goes in its first steps
  std::vector<double> rewards;       // what it gets there
  double total;                      // all units' rewards in all steps
};

/// The loop of acting and learning, written down.
inline Recording record_run(const world::HiddenModel& truth, planner::Planner& planner, std::uint64_t seed,
                            std::uint64_t trial, std::int64_t units, std::int64_t steps) {
  world::TabularWorld world(truth, seed, trial, units);
  Recording recording;
  for (std::int64_t t = 0; t < steps; ++t) {
    RecordedStep step;
    for (std::int64_t u = 0; u < units; ++u) step.state.push_back(world.state(u));
    step.pair.resize(step.state.size());
    planner.choose(t, step.state, step.pair);
    for (std::int64_t u = 0; u < units; ++u) {
      const world::Observation seen = world.step(u, step.pair[static_cast<std::size_t>(u)]);
      step.reward.push_back(seen.reward);
      step.next_state.push_back(seen.next_state);
    }
    planner.observe(t, {step.state, step.pair, step.reward, step.next_state});
    recording.push_back(std::move(step));
  }
  return recording;
}

/// 3 units that take every action as likely, 40 steps of trial 0 at seed 42.
inline Recording golden_run(const trial::TabularCase& tabular) {
  const trial::Problem problem = tabular.problem(0);
  const mdp::Mdp& mdp = problem.belief.simulator();
  return record_run(problem.truth, *planner::follow_policy(mdp, mdp::Policy::uniform(mdp), 42, 0), 42, 0, 3,
                    40);
}

/// The same pairs with the same names for planner and truth, the same start and discount; nothing observed
/// yet; and no transition of the truth that the belief calls impossible.
inline void expect_loads(const trial::Problem& problem) {
  const mdp::Mdp& simulator = problem.belief.simulator();
  const world::HiddenModel& truth = problem.truth;
  ASSERT_TRUE(std::ranges::equal(simulator.pair_begin(), truth.pair_begin()));
  ASSERT_TRUE(std::ranges::equal(simulator.pair_action(), truth.pair_action()));
  EXPECT_EQ(simulator.labels(), truth.labels());
  EXPECT_TRUE(std::ranges::equal(simulator.start(), truth.start()));
  EXPECT_EQ(simulator.discount(), truth.discount());
  for (const belief::SampleSummary& seen : problem.belief.rewards_seen()) EXPECT_EQ(seen.count, 0);
  for (std::int32_t k = 0; k < truth.pairs(); ++k) {
    const auto row = simulator.next_state().subspan(
        static_cast<std::size_t>(simulator.row_begin()[k]),
        static_cast<std::size_t>(simulator.row_begin()[k + 1] - simulator.row_begin()[k]));
    for (std::int32_t h = 0; h < truth.hidden(); ++h) {
      const std::size_t cell = truth.cell(k, h);
      for (std::int64_t i = truth.row_begin()[cell]; i < truth.row_begin()[cell + 1]; ++i) {
        EXPECT_TRUE(std::ranges::binary_search(row, truth.next_state()[i])) << "pair " << k;
      }
    }
  }
}

/// A planner that is told the recorded steps, and meets no world, chooses what it chose in the world: what
/// was observed is all that its choices depend on.
inline void expect_observed_history_decides(const trial::Problem& problem, const planner::PlannerInfo& info) {
  planner::PlannerOptions options;
  options.draws = 8;
  options.target.members = options.adaptive_target.members = 8;
  const planner::Setting setting{problem.belief, 4, 12, 42, 0, options};
  const Recording recording = record_run(problem.truth, *info.make(setting), 42, 0, 4, 12);
  const auto replayed = info.make(setting);
  for (std::size_t t = 0; t < recording.size(); ++t) {
    const RecordedStep& step = recording[t];
    std::vector<std::int32_t> pair(step.pair.size());
    replayed->choose(static_cast<std::int64_t>(t), step.state, pair);
    ASSERT_EQ(pair, step.pair) << info.name << ", step " << t;
    replayed->observe(static_cast<std::int64_t>(t), {step.state, step.pair, step.reward, step.next_state});
  }
}

/// The largest |K(s',h'|s,a,h) - p(s'|s,a,h) P_t(h'|s')|: 0 up to rounding where the hidden state is redrawn.
inline double redrawing_error(const world::HiddenModel& truth) {
  double worst = 0;
  std::vector<double> to_state(static_cast<std::size_t>(truth.states()));
  const auto cells = static_cast<std::size_t>(truth.pairs()) * static_cast<std::size_t>(truth.hidden());
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::ranges::fill(to_state, 0.0);
    for (auto i = truth.row_begin()[cell]; i < truth.row_begin()[cell + 1]; ++i) {
      to_state[static_cast<std::size_t>(truth.next_state()[i])] += truth.probability()[i];
    }
    for (auto i = truth.row_begin()[cell]; i < truth.row_begin()[cell + 1]; ++i) {
      const std::int32_t next = truth.next_state()[i];
      const double law = truth.deployment()[truth.cell(next, truth.next_hidden()[i])];
      worst =
          std::max(worst, std::abs(truth.probability()[i] - to_state[static_cast<std::size_t>(next)] * law));
    }
  }
  return worst;
}

/// Walks through the world at random and compares the hidden states of the first 500 visits to each state
/// with `law` (per state and hidden state): the smallest p-value of a chi-square, times the number of states
/// it was taken over (Bonferroni); 1 where nothing could be tested.
inline double hidden_law_p_value(const world::HiddenModel& truth, std::span<const double> law,
                                 std::int64_t steps) {
  constexpr double kVisits = 500;
  std::vector<double> count(truth.deployment().size(), 0),
      visits(static_cast<std::size_t>(truth.states()), 0);
  base::Stream stream({42, base::Purpose::test, 1});
  std::int32_t s = base::categorical(stream, truth.start());
  std::int32_t h = base::categorical(stream, world::hidden_law(truth, truth.deployment(), s));
  for (std::int64_t t = 0; t < steps; ++t) {
    double& seen = visits[static_cast<std::size_t>(s)];
    if (seen < kVisits) {
      seen += 1;
      count[truth.cell(s, h)] += 1;
    }
    const std::int32_t begin = truth.pair_begin()[s];
    const auto pair =
        begin + static_cast<std::int32_t>(base::uniform_index(stream, truth.pair_begin()[s + 1] - begin));
    const world::Draw drawn = world::draw_step(stream, truth, pair, h);
    s = drawn.next_state;
    h = drawn.next_hidden;
  }
  double smallest = 1;
  int tested = 0;
  for (s = 0; s < truth.states(); ++s) {
    if (visits[static_cast<std::size_t>(s)] < kVisits) continue;
    std::vector<double> counts, expected;
    for (h = 0; h < truth.hidden(); ++h) {
      counts.push_back(count[truth.cell(s, h)]);
      expected.push_back(kVisits * law[truth.cell(s, h)]);
    }
    if (std::ranges::count_if(expected, [](double e) { return e >= 10; }) < 2) continue;
    smallest = std::min(smallest, base::chi_square_p_value(counts, expected));
    ++tested;
  }
  return std::min(1.0, smallest * std::max(tested, 1));
}

}  // namespace mindgap::cases
