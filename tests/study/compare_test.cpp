#include <cstdio>

#include "mindgap/planner/planner.h"
#include "mindgap/stats/paired.h"
#include "mindgap/trial/loop.h"
#include "mindgap/trial/tabular_case.h"
#include "mindgap/world/tabular_world.h"
#include "paper/cases/registry.h"
#include "study/memory.h"

namespace mindgap::study {
namespace compare_test {

// A case's problem as a user's model: the simulator with its prior, pair by pair.
mdp::Model model_of(const belief::Belief& belief) {
  mdp::Model model{.name = "a case", .mdp = belief.simulator()};
  model.variance.assign(belief.observation_variance().begin(), belief.observation_variance().end());
  mdp::PriorSpec prior;
  prior.pair_reward_sd = belief.prior().reward_sd;
  prior.pair_transition_strength = belief.prior().transition_strength;
  model.prior = prior;
  return model;
}

// The study's rule in a world: one batch of exploring, and from the start a new policy every 5 steps.
double play_study(const mdp::Model& model, world::World& world, std::int64_t horizon, std::uint64_t seed) {
  std::vector<UnitRow> units;
  for (std::int64_t u = 0; u < world.units(); ++u)
    units.push_back({"u" + std::to_string(u), world.reset(u), "", Arm::explore});
  State state = begin_in_memory(model, units, {.horizon = horizon, .batch_steps = 15, .seed = seed});
  design_in_memory(state);
  double total = 0;
  for (std::int64_t step = 0; step < horizon; ++step) {
    update_in_memory(state);
    const std::vector<AssignmentRow> rows = next_assignments(state);
    add_event(state, "assign", rows, {});
    std::vector<ObservationRow> results;
    for (const AssignmentRow& row : rows) {
      const world::Observation seen = world.step(row.unit, pair_of(state.mdp(), row));
      ObservationRow result{.unit = row.unit, .step = row.step, .state = row.state, .action = row.action};
      result.has_reward = true;
      result.reward = seen.reward;
      result.next_state = seen.next_state;
      results.push_back(result);
      total += seen.reward;
    }
    add_event(state, "record", {}, results);
  }
  return total;
}

// Fisher-SEP with the same shares and times is the same rule inside `compare`: on the same trials its value
// must be the same, but for who of the units explores.
std::vector<double> differences(const std::string& name, int trials, std::int64_t units, double& mean) {
  std::unique_ptr<trial::Case> on;
  for (const cases::CaseInfo& info : cases::all_cases())
    if (info.name == name) on = info.make({.seed = 42, .units = units});
  const auto& tabular = dynamic_cast<const trial::TabularCase&>(*on);
  std::vector<double> found;
  for (int t = 0; t < trials; ++t) {
    const auto trial = static_cast<std::uint64_t>(t);
    const trial::Problem problem = tabular.problem(trial);
    world::TabularWorld world(problem.truth, 42, trial, units);
    planner::Setting setting{problem.belief, units, 60, 42, trial};
    setting.options.explorer_share = .8;
    setting.options.explore_steps = 15;
    setting.options.replan_every = 5;
    const auto fisher = planner::find_planner("fisher").make(setting);
    const std::int64_t horizon = 60;
    const double theirs = trial::run_trial(world, *fisher, {&horizon, 1})[0];
    const double ours = play_study(model_of(problem.belief), world, 60, trial);
    found.push_back(ours - theirs);
    mean += theirs / trials;
  }
  return found;
}

void expect_within_noise(const std::string& name, int trials, std::int64_t units) {
  double mean = 0;
  const stats::PairedT t = stats::paired_t(differences(name, trials, units, mean), .999);
  std::printf("%s, study minus fisher: %.3f, standard error %.3f, of %.1f\n", name.c_str(), t.mean,
              *t.standard_error, mean);
  EXPECT_LE(t.interval->lower, 0) << t.mean << " of " << mean;
  EXPECT_GE(t.interval->upper, 0) << t.mean << " of " << mean;
}

TEST(StudyInCompare, TreasureIsWorthWhatItIsToThePlanner) {
  expect_within_noise("treasure", 6, 20);
}
TEST(StudyInCompareLong, TreasureIsWorthWhatItIsToThePlanner) {
  expect_within_noise("treasure", 60, 20);
}
TEST(StudyInCompareLong, ConfoundedWorldsAreWorthWhatTheyAreToThePlanner) {
  expect_within_noise("confounded", 40, 20);
}

}  // namespace compare_test
}  // namespace mindgap::study
