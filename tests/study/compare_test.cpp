#include "mindgap/cases/treasure/model.h"
#include "mindgap/planner/planner.h"
#include "mindgap/stats/paired.h"
#include "mindgap/trial/loop.h"
#include "mindgap/world/tabular_world.h"
#include "mindgap/world/without_hidden_state.h"
#include "study/memory.h"

namespace mindgap::study {
namespace {

constexpr double kVariance = .01;

mdp::Model treasure_simulator() {
  mdp::Model model{.name = "treasure", .mdp = cases::treasure::grid(cases::treasure::simulated_rewards())};
  model.reward_variance = kVariance;
  mdp::PriorSpec prior;
  for (std::int32_t k = 0; k < model.mdp.pairs(); ++k) {
    prior.pair_reward_sd.push_back(cases::treasure::in_b(model.mdp.state_of_pair(k)) ? .5 : .05);
    prior.pair_transition_strength.push_back(1e9);
  }
  model.prior = prior;
  return model;
}

// The study's rule in a world: one batch of exploring, then a new policy for everybody every `every` steps.
double play_study(world::World& world, std::int64_t horizon, std::int64_t every, std::uint64_t seed) {
  std::vector<UnitRow> units;
  for (std::int64_t u = 0; u < world.units(); ++u)
    units.push_back({"u" + std::to_string(u), world.reset(u), "", Arm::explore});
  State state =
      begin_in_memory(treasure_simulator(), units, {.horizon = horizon, .batch_steps = every, .seed = seed});
  design_in_memory(state);
  double total = 0;
  for (std::int64_t step = 0; step < horizon; ++step) {
    if (step > 0 && step % every == 0) design_in_memory(state, false);
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
std::vector<double> differences(int trials, std::int64_t units, double& mean) {
  const mdp::Mdp truth = cases::treasure::grid(cases::treasure::true_rewards());
  const mdp::Model model = treasure_simulator();
  std::vector<double> found;
  for (int t = 0; t < trials; ++t) {
    const auto trial = static_cast<std::uint64_t>(t);
    world::TabularWorld world(world::without_hidden_state(truth, kVariance), 42, trial, units);
    planner::Setting setting{belief::gather_knowledge(model, {}, {}).before, units, 60, 42, trial};
    setting.options.explorer_share = .8;
    setting.options.explore_steps = 15;
    setting.options.replan_every = 15;
    const auto fisher = planner::find_planner("fisher").make(setting);
    const std::int64_t horizon = 60;
    const double theirs = trial::run_trial(world, *fisher, {&horizon, 1})[0];
    const double ours = play_study(world, 60, 15, trial);
    found.push_back(ours - theirs);
    mean += theirs / trials;
  }
  return found;
}

void expect_within_noise(int trials, std::int64_t units) {
  double mean = 0;
  const stats::PairedT t = stats::paired_t(differences(trials, units, mean), .999);
  EXPECT_LE(t.interval->lower, .01 * mean) << t.mean << " of " << mean;
  EXPECT_GE(t.interval->upper, -.01 * mean) << t.mean << " of " << mean;
  EXPECT_LT(std::abs(t.mean), .05 * mean);
  std::printf("study minus fisher: %.3f, standard error %.3f, of %.1f\n", t.mean, *t.standard_error, mean);
}

TEST(StudyInCompare, IsWorthWhatThePlannerIs) {
  expect_within_noise(6, 20);
}
TEST(StudyInCompareLong, IsWorthWhatThePlannerIs) {
  expect_within_noise(60, 20);
}

}  // namespace
}  // namespace mindgap::study
