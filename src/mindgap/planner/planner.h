#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/belief/belief.h"
#include "mindgap/design/target.h"

// What acts over time: many units in one tabular world, step by step.
namespace mindgap::planner {

/// What one step showed, one element per unit: where each unit was, the pair it took, the reward it got and
/// where it is now. There is nothing else a planner is ever told. Where a unit's state is a number that was
/// spread over the corners of a grid, a unit has several elements, whose weights sum to 1.
struct StepSeen {
  std::span<const std::int32_t> state;
  std::span<const std::int32_t> pair;
  std::span<const double> reward;
  std::span<const std::int32_t> next_state;
  std::span<const double> weight = {};  // how many observations each element stands for; empty: 1

  double weight_of(std::size_t element) const { return weight.empty() ? 1 : weight[element]; }
};

/// Chooses for all units. Its choices are a function of its Setting and of what it was told; it never meets a
/// world.
class Planner {
 public:
  virtual ~Planner() = default;

  /// The pair each unit takes now: `state` is where the units are, `pair` is to be filled. Steps count from
  /// 0.
  virtual void choose(std::int64_t step, std::span<const std::int32_t> state,
                      std::span<std::int32_t> pair) = 0;
  /// May be called just before choose(), with the same step and states, for each phase from 0 to
  /// kPhases - 1: who has looks at the belief to make begins them, so that planners that act side by side,
  /// each called with a phase before any is called with the next, can make them together
  /// (Setting::together). The choices are the same without.
  virtual void prepare(std::int64_t, std::span<const std::int32_t>, int) {}
  static constexpr int kPhases = 2;
  /// What came of it.
  virtual void observe(std::int64_t step, const StepSeen& seen) = 0;
};

/// How planners go about it; the defaults are the paper's where it states them (appendix on algorithms).
struct PlannerOptions {
  std::int64_t replan_every = 5;    // steps between two looks at the belief
  double epsilon = .1;              // share of random actions (fixed), or half the first one (adaptive)
  double epsilon_decay = .95;       // of adaptive epsilon, per step
  std::int64_t pilot_steps = 5;     // of a random pilot: A-SOP + pilot, SEP, Fisher as the paper lists it
  double explorer_share = .15;      // of the units that explore: Fisher-SEP (in SEP, as listed, all do)
  std::int64_t explore_steps = 15;  // how long they do
  double explore_probability = .5;  // with which an explorer explores at a step: SEP, Fisher as listed
  double reexplore_threshold =
      .8;  // SEP: explores again where this share of the EPI exceeds that at the end of exploring
  design::Target target{design::TargetKind::ensemble, 64};             // Fisher-SEP
  design::Target adaptive_target{design::TargetKind::difference, 64};  // adaptive Fisher-SEP
  std::int64_t window = 10;  // adaptive Fisher-SEP: steps that a design looks ahead at least
  std::int32_t draws = 64;   // models drawn for values of information and information ratios
  double confidence = .05;   // delta of UCRL2 and UCBVI
  double optimism = 1;       // factor on their radii
  std::int32_t seeds = 32;   // Thompson: different models at most; unit u has the one of u mod seeds
  /// Thompson: how long a unit keeps its seed; 0: to the end; kSeedStepsByUnits: 1/(1 - discount) steps with
  /// fewer than 5 units, to the end with more.
  std::int64_t seed_steps = kSeedStepsByUnits;
  static constexpr std::int64_t kSeedStepsByUnits = -1;
  /// How fast mean rewards are taken to move by planners whose belief forgets: the share of a mean's
  /// deviation from what was believed at first that is new after one step, in [0, 1). Others take it for 0.
  double drift = 0;
  bool forgets = false;     // the belief does so (that_forgets() in learning_planner.h)
  double bonus = 1;         // BEB: factor on what is added to rewards, in standard deviations of the prior
  double tolerance = 1e-8;  // what policies that are found again at a look may lose (replanner.h)

  /// Throws InvalidArgument where a number is out of its domain.
  void validate() const;
};

struct Beginning;
class Together;

/// What a planner is given before the first step.
struct Setting {
  belief::Belief belief;  // the simulator and how far it may be off; nothing has been observed yet
  std::int64_t units = 0;
  std::int64_t horizon = 0;  // steps to go in all
  std::uint64_t seed = 42;   // its own draws have the keys (seed, Purpose::planner, trial, ...)
  std::uint64_t trial = 0;
  PlannerOptions options = {};
  /// beginning_of() the belief (replanner.h), or null: found once, where many planners begin with it.
  std::shared_ptr<const Beginning> begin = {};
  /// Whom the planner shares its looks with (replanner.h), and its place among them; null: nobody.
  std::shared_ptr<Together> together = {};
  std::size_t place = 0;
};

struct PlannerInfo {
  std::string name;         // on the command line and in files
  std::string description;  // one line
  bool uses_horizon;        // its choices depend on Setting::horizon: each horizon is a run of its own
  std::unique_ptr<Planner> (*make)(const Setting& setting);
};

/// Every planner, in the order of tables; the oracle, which is told the truth, is not among them
/// (follow_policy() of the truth's optimal policy is).
const std::vector<PlannerInfo>& planners();
/// Throws InvalidArgument with the known names, nearest first.
const PlannerInfo& find_planner(std::string_view name);

/// How many steps to let pass between two looks at the belief, where nobody says: none while a look is cheap.
/// A look is taken to cost as much as nonzeros() numbers read some dozens of times, so that the deployment's
/// looks cost in proportion to nonzeros() * horizon: up to 2,000,000 of those every step, above
/// proportionally fewer looks, but at least one every 5 steps or, where that is less, every horizon / 20. A
/// function of the model and the horizon alone, never of a clock. Throws InvalidArgument for a horizon below
/// 0.
std::int64_t default_replanning(const mdp::Mdp& mdp, std::int64_t horizon);

/// Every unit follows a stationary policy indefinitely. A stochastic one is drawn from with the key (seed,
/// Purpose::planner, trial, unit, step).
std::unique_ptr<Planner> follow_policy(const mdp::Mdp& mdp, const mdp::Policy& policy, std::uint64_t seed,
                                       std::uint64_t trial);

}  // namespace mindgap::planner
