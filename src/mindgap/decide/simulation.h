#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mindgap/decide/plan.h"
#include "mindgap/decide/situation.h"
#include "mindgap/design/design.h"
#include "mindgap/mdp/policy.h"
#include "mindgap/planner/pilot.h"

namespace mindgap::decide {

/// A plan ready to be followed.
struct PreparedPlan {
  Plan plan;
  std::optional<design::Design> design = {};  // of a pilot
  std::shared_ptr<const planner::RoutedPilot> pilot = {};
  std::vector<std::int32_t> pilot_members = {};  // the units of the situation that are in it, as design's
};

/// What plans earned in drawn worlds.
struct Outcomes {
  std::int64_t worlds = 0;
  std::size_t plans = 0;
  std::vector<std::int64_t> steps;    // at which `gathered` is known, ascending; the last is the horizon
  std::vector<double> gathered;       // [(world * plans + plan) * steps + step]: sum of mean rewards so far
  std::vector<double> discounted;     // [world * plans + plan]: over the whole horizon
  std::vector<double> mean_gathered;  // [plan * horizon + step]: mean over the worlds, after that step

  double total(std::int64_t world, std::size_t plan) const {
    return gathered[(static_cast<std::size_t>(world) * plans + plan + 1) * steps.size() - 1];
  }
  /// One number per world, of one plan: by the objective over the horizon, or gathered by steps[point].
  std::vector<double> values(std::size_t plan, Objective objective) const;
  std::vector<double> values_at(std::size_t plan, std::size_t point) const;
};

/// Follows plans in worlds drawn from the belief. World i is drawn with the number 2^62 + i, which no design
/// and no planner draws: a plan is never judged by the models it was made from.
class Simulation {
 public:
  /// Designs the pilots among `plans`, but for those that there is no time for: after design_time, or once
  /// should_stop() says so, only the first pilot is. Throws InvalidArgument where one has more units than
  /// there are or is not shorter than the horizon, and what design_pilot throws.
  Simulation(Situation situation, const std::vector<Plan>& plans, SimulationOptions options);

  /// In the given order, without those left out.
  const std::vector<PreparedPlan>& plans() const { return plans_; }
  const Situation& situation() const { return situation_; }
  /// What is deployed: optimal in the belief's mean.
  const mdp::Policy& deployed() const { return deployed_; }

  /// Runs plans (by place) on the worlds first .. first + worlds - 1, or on fewer where `deadline` (seconds
  /// from now) passes or should_stop() says so; at least one. The result is a function of the worlds that
  /// were run alone. `more_steps` are added to the points of the curves.
  Outcomes run(std::span<const std::size_t> which, std::int64_t first, std::int64_t worlds, double deadline,
               const std::string& what, std::span<const std::int64_t> more_steps = {}) const;

 private:
  void prepare(const Plan& plan);
  // Adds one world's numbers at its place, and its sums by step, [plan * horizon + step], to `gathered`.
  void run_world(std::span<const std::size_t> which, std::uint64_t number, std::size_t place, Outcomes& all,
                 std::vector<double>& gathered) const;
  std::unique_ptr<planner::Planner> planner_of(const PreparedPlan& plan, std::uint64_t number) const;

  Situation situation_;
  SimulationOptions options_;
  planner::PlannerOptions planner_options_;
  mdp::Policy deployed_;
  std::vector<PreparedPlan> plans_;
};

/// The worlds of `more` after those of `some`; same plans and steps.
void append(Outcomes& some, const Outcomes& more);

}  // namespace mindgap::decide
