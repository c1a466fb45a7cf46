#include "mindgap/trial/tabular_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/trial/informed_planners.h"
#include "mindgap/trial/open_case.h"
#include "mindgap/world/drifting_world.h"
#include "mindgap/world/projection.h"
#include "mindgap/world/tabular_world.h"

namespace mindgap::trial {
namespace {

std::unique_ptr<planner::Planner> make_oracle(const world::HiddenModel& truth, std::uint64_t seed,
                                              std::uint64_t trial) {
  const mdp::Mdp model = world::deployment_projection(truth);
  return planner::follow_policy(model, mdp::solve(model, {.threads = 1}).policy, seed, trial);
}

// The probability with which a pair of the truth leads where the simulator says it cannot.
double impossible_mass(const mdp::Mdp& simulator, const mdp::Mdp& truth, std::int32_t pair) {
  const auto support = simulator.row(pair).next_state;
  double mass = 0;
  for (const std::int64_t i : truth.entries_of(pair)) {
    if (!std::binary_search(support.begin(), support.end(), truth.next_state()[i]))
      mass += truth.probability()[i];
  }
  return mass;
}

// From where the truth is to what the belief says of where it may be.
world::RewardDrift drift_of(const Problem& problem, double rate, bool by_state) {
  const mdp::Mdp truth = world::deployment_projection(problem.truth);
  const mdp::Mdp& simulator = problem.belief.simulator();
  world::RewardDrift drift{.rate = rate, .first = {}, .sd = {}};
  for (std::int32_t k = 0; k < truth.pairs(); ++k) {
    drift.first.push_back(truth.reward()[k] - simulator.reward()[k]);
    drift.sd.push_back(std::sqrt(problem.belief.reward_variance(k)));
    if (by_state) drift.moves_with.push_back(truth.pair_begin()[truth.state_of_pair(k)]);
  }
  return drift;
}

constexpr const char* kQmdp = "qmdp";
constexpr const char* kBeliefState = "belief-state";

}  // namespace

CaseOption drift_rate_option() {
  return {"drift-rate",
          "share of each mean reward's deviation from the simulator that is new after every step: the truth "
          "moves while planners act, and those that forget know it",
          "0"};
}

double drift_rate_of(const OptionValues& values) {
  return values.number("drift-rate", 0, .999);
}

TabularCase::TabularCase(TabularCaseOptions options, std::function<Problem(std::uint64_t)> problem)
    : options_(std::move(options)), problem_(std::move(problem)) {
  base::check_range(options_.name, "units", static_cast<double>(options_.units), 1, 1e7);
  base::check_range(options_.name, "drift-rate", options_.drift_rate, 0, .999);
  if (options_.drift_rate > 0) options_.planner.drift = options_.drift_rate, options_.belief_state = false;
  options_.planner.validate();
}

std::vector<PlannerName> TabularCase::planners() const {
  std::vector<PlannerName> names = {{"oracle", "the optimal policy of the truth, which it is told"}};
  if (options_.belief_state) {
    names.push_back({kQmdp, "is told the truth's model and filters the hidden state; QMDP"});
    names.push_back(
        {kBeliefState, "the same; acts on the best plans found for what it knows of the hidden state"});
  }
  for (const planner::PlannerInfo& info : planner::planners()) names.push_back({info.name, info.description});
  return names;
}

std::vector<std::string> TabularCase::default_planners() const {
  return options_.planners.empty() ? Case::default_planners() : options_.planners;
}

std::vector<std::pair<std::string, std::string>> TabularCase::settings() const {
  auto all = options_.settings;
  all.emplace_back("units", fmt::format("{}", options_.units));
  return all;
}

std::vector<CaseWarning> TabularCase::warnings() const {
  const Problem problem = problem_(0);
  const mdp::Mdp& simulator = problem.belief.simulator();
  const mdp::Mdp truth = world::deployment_projection(problem.truth);
  ImpossibleRows found{.of = truth.pairs()};
  for (std::int32_t k = 0; k < truth.pairs(); ++k) {
    const double off = impossible_mass(simulator, truth, k);
    found.rows += off > 0 ? 1 : 0;
    found.most = std::max(found.most, off);
  }
  if (found.rows == 0) return {};
  return {found};
}

std::unique_ptr<world::World> TabularCase::world_of(const Problem& problem, std::uint64_t trial) const {
  if (options_.drift_rate == 0)
    return std::make_unique<world::TabularWorld>(problem.truth, options_.seed, trial, options_.units);
  return std::make_unique<world::DriftingWorld>(
      problem.truth, options_.seed, trial, options_.units,
      drift_of(problem, options_.drift_rate, options_.drift_by_state));
}

std::vector<double> TabularCase::run(std::string_view name, std::uint64_t trial,
                                     std::span<const std::int64_t> horizons) const {
  const Problem problem = problem_(trial);
  const std::unique_ptr<world::World> world = world_of(problem, trial);
  if (name == "oracle") {
    const auto* moving = dynamic_cast<const world::DriftingWorld*>(world.get());
    const auto oracle = moving != nullptr ? make_moving_oracle(problem.truth, *moving)
                                          : make_oracle(problem.truth, options_.seed, trial);
    return run_trial(*world, *oracle, horizons);
  }
  if (options_.belief_state && (name == kQmdp || name == kBeliefState)) {
    const auto plans = std::make_shared<const world::BeliefStatePlans>(
        problem.truth, world::BeliefStateOptions{.rounds = name == kQmdp ? 0 : 200});
    return run_trial(*world, *make_belief_state(plans, problem.truth, name == kQmdp), horizons);
  }
  planner::Setting setting{problem.belief, options_.units, horizons.back(),
                           options_.seed,  trial,          options_.planner};
  if (options_.own_planner) {
    if (const auto own = options_.own_planner(name, setting)) return run_trial(*world, *own, horizons);
  }
  const planner::PlannerInfo& info = planner::find_planner(name);
  return run_planner(*world, info.make, info.uses_horizon, setting, horizons);
}

std::vector<double> TabularCase::run_other(const OtherPlanner& planner, std::uint64_t trial,
                                           std::span<const std::int64_t> horizons) const {
  const Problem problem = problem_(trial);
  return run_planner(*world_of(problem, trial), planner.make, planner.uses_horizon,
                     {problem.belief, options_.units, 0, options_.seed, trial, options_.planner}, horizons);
}

}  // namespace mindgap::trial
