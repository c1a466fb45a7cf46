#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mindgap/base/clock.h"
#include "mindgap/decide/drawn_world.h"
#include "mindgap/decide/plan.h"
#include "mindgap/decide/situation.h"
#include "mindgap/design/design.h"
#include "mindgap/mdp/policy.h"
#include "mindgap/planner/pilot.h"

namespace mindgap::decide {

/// A plan ready to be followed.
struct PreparedPlan {
  Plan plan;
  std::int64_t replan_every = 1;                    // steps between two looks
  std::optional<design::Design> design = {};        // of a pilot
  std::shared_ptr<const design::Pilot> pilot = {};  // the same, for all units of the situation
  std::vector<std::int32_t> pilot_members = {};     // the units of the situation that are in it, as design's
  std::shared_ptr<const mdp::Policy> policy = {};   // that average and robust deploy
  std::shared_ptr<const planner::Beginning> begin = {};  // of planners that begin with more than others do
};

/// The target that pilots are designed for: where an ensemble of 64 is asked for, the default, it has up to
/// 256 members as long as their weights are exact (20,000 members x states), so that routes depend less on
/// which models the seed happens to draw.
design::Target target_of_pilots(const mdp::Mdp& mdp, const design::Target& asked);

/// The weights of the target that the pilots of a decision have in common.
std::shared_ptr<const design::TargetWeights> weights_of_pilots(const Situation& situation,
                                                               const SimulationOptions& options);

/// Designs a pilot, or finds the policy of average and robust, for where the units are; any other plan is
/// ready as it is. Throws InvalidArgument where
/// the pilot has more units than there are or is not shorter than the horizon, and what design_pilot throws.
/// `weights` are weights_of_pilots(), or null: found here.
PreparedPlan design_plan(const Situation& situation, const Plan& plan, const SimulationOptions& options,
                         std::shared_ptr<const design::TargetWeights> weights = {});

/// What plans earned in sampled models.
struct Outcomes {
  std::int64_t worlds = 0;
  std::size_t plans = 0;
  std::vector<std::int64_t> steps;  // at which `gathered` is known, ascending; the last is the horizon
  std::vector<double> gathered;     // [(world * plans + plan) * steps + step]: sum of mean rewards so far
  std::vector<double> discounted;   // [world * plans + plan]: over the whole horizon
  std::vector<double> cost;         // as `discounted`: what the experiment cost, which the others are net of
  std::size_t groups = 0;           // of the simulation's EarnedBy
  std::vector<double> by_group;     // [(world * plans + plan) * groups + group]: rewards, before costs
  std::vector<double> mean_gathered;  // [plan * horizon + step]: mean over the worlds, after that step
  std::vector<double> seconds;        // [plan]: that one thread spent on it

  double total(std::int64_t world, std::size_t plan) const {
    return gathered[(static_cast<std::size_t>(world) * plans + plan + 1) * steps.size() - 1];
  }
  /// One number per world, of one plan: by the objective over the horizon, or gathered by steps[point].
  std::vector<double> values(std::size_t plan, Objective objective) const;
  /// The same without the objective's tail: what each world really gave.
  std::vector<double> sums(std::size_t plan, Objective::Sum sum) const;
  std::vector<double> values_at(std::size_t plan, std::size_t point) const;
};

/// The number with which world i is drawn from the belief: 2^62 + i.
constexpr std::uint64_t world_number(std::uint64_t world) {
  return (std::uint64_t{1} << 62) + world;
}

/// Follows plans in models sampled from the belief ("worlds" in names here). World i is drawn with the number
/// 2^62 + i, which no design and no planner draws: a plan is never judged by the models it was made from.
class Simulation {
 public:
  /// Designs the pilots among `plans`, but for those that there is no time for: after design_time, or once
  /// who listens wants to stop, only the first pilot is. Throws InvalidArgument where one has more units than
  /// there are or is not shorter than the horizon, and what design_pilot throws.
  Simulation(Situation situation, const std::vector<Plan>& plans, SimulationOptions options);
  /// The same for plans that come later.
  void add(const std::vector<Plan>& plans);

  /// From now on rewards are also counted by group.
  void count_by(EarnedBy groups) { groups_ = std::move(groups); }

  /// In the given order, without those left out.
  const std::vector<PreparedPlan>& plans() const { return plans_; }
  const Situation& situation() const { return situation_; }
  /// Pilots that cannot keep to the limits and were left out.
  const std::vector<std::string>& infeasible() const { return infeasible_; }
  /// What is deployed: optimal in the belief's mean.
  const mdp::Policy& deployed() const { return deployed_; }

  /// Runs plans (by place) on the worlds first .. first + worlds - 1, or on fewer where `deadline` (seconds
  /// from now) passes or who listens wants to stop; at least one. The result is a function of the worlds that
  /// were run alone. `more_steps` are added to the points of the curves. After the first few worlds
  /// `on_estimate`, where there is one, is told about how many seconds all of them would take.
  Outcomes run(std::span<const std::size_t> which, std::int64_t first, std::int64_t worlds, double deadline,
               const std::string& what, std::span<const std::int64_t> more_steps = {},
               const std::function<void(double seconds)>& on_estimate = {}) const;

 private:
  // One world's sums by step, [plan * horizon + step], and what each plan took.
  struct OneWorld {
    std::vector<double> gathered, seconds;
  };
  // Adds the numbers of some worlds, from the first on, at their places.
  void run_worlds(std::span<const std::size_t> which, std::uint64_t first, std::size_t place,
                  std::span<OneWorld> each, Outcomes& all) const;
  // `setting` is the world's: its number, and whom its planner shares looks with.
  planner::Setting setting_of(const PreparedPlan& plan, std::uint64_t number) const;
  std::unique_ptr<planner::Planner> planner_of(const PreparedPlan& plan, std::uint64_t number,
                                               std::shared_ptr<planner::Together> together = {},
                                               std::size_t place = 0) const;
  // Whether its looks in several worlds can be made together.
  bool goes_together(const PreparedPlan& plan) const;
  void follow_together(const PreparedPlan& plan, std::uint64_t first, std::span<DrawnWorld> worlds) const;
  // What each step earned, net of what it cost, and what all of them cost.
  std::vector<double> follow(const PreparedPlan& plan, std::uint64_t number, DrawnWorld& world,
                             double& cost) const;

  Situation situation_;
  SimulationOptions options_;
  EarnedBy groups_;
  base::Clock clock_;                                     // since designs began
  bool designed_ = false;                                 // one pilot is
  std::shared_ptr<const design::TargetWeights> weights_;  // of pilots, once there is one
  mdp::Policy deployed_;
  std::shared_ptr<const planner::Beginning> begin_;
  std::vector<PreparedPlan> plans_;
  std::vector<std::string> infeasible_;
};

/// The planner that follows a plan which is not a pilot and not sop, with the options that its name states.
/// `setting` has everything else; its units must be at least the plan's.
std::unique_ptr<planner::Planner> planner_of_plan(const Plan& plan, planner::Setting setting);

/// The worlds of `more` after those of `some`; same plans and steps.
void append(Outcomes& some, const Outcomes& more);
/// Some of the plans, by place in `all`.
Outcomes only(const Outcomes& all, std::span<const std::size_t> plans);

}  // namespace mindgap::decide
