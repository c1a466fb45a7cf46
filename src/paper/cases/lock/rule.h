#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mindgap/trial/case.h"

// The combination lock and what its planners do, unit by unit.
//
// A chain of T decisions with two actions each: one advances, the other ends the unit's run. The simulator
// has the two swapped at each state independently with probability c/T (paper, "Experimental validation: the
// combination lock"). Units run one after another; whoever decides at a state sees whether
// it advanced, which tells the right action whichever was taken, and all later units know it. What is known
// is therefore always the first so many states, and how a planner treats a unit is no more than the
// probability of the right action where it is known, and where it is not. Simulation (lock.cpp) and exact
// expectation (closed_form.h) share these rules.
namespace mindgap::cases::lock {

struct Lock {
  std::int64_t length = 0;  // T >= 1, decisions
  double errors = 1;        // c in [0, T]: expected number of the simulator's errors
  std::int64_t units = 50;  // n >= 1
  /// What a unit gets for staying out of the chain, in [0, 1]; 0: nobody is asked. The end pays 1, but the
  /// simulator takes it for `eta`: as the paper's theorem reach-sep needs it, where nothing else pays as
  /// written.
  double outside = 0;
  double eta = 1;  // in [0, 1]

  /// Throws InvalidArgument with the name and value of what is out of its domain.
  void validate() const;
  double error_probability() const { return errors / static_cast<double>(length); }
};

/// `paper`: what its table needs. `honest`: SEP's explorers count and its exploiters learn; Fisher-SEP's
/// explorers follow the sequential directed schedule instead of knowing the answer most of the time.
enum class Reading { paper, honest };

/// Probability that a unit takes the right action at a state.
struct UnitRule {
  double known = 1;            // the right action is known
  double simulator_right = 1;  // not known, and the simulator has it right
  double simulator_wrong = 0;  // not known, and the simulator has it wrong
  bool counted = true;         // whether it counts when the unit reaches the end
  bool learns = true;          // whether later units know what it saw
  /// Probability of entering the chain against what is believed of the end (the simulator's word until a unit
  /// whose sight counts has been there), and whether the end is known from the first.
  double contrary = 0;
  bool enters = false;  // it goes in, whatever is believed
  bool told = false;
};

/// Constants of the paper, and those that it does not give and that were fitted to its table.
constexpr double kEpsilon = .1;                 // paper
constexpr std::int64_t kPilotUnits = 3;         // fitted: of A-SOP with a pilot
constexpr double kAdaptiveEpsilon = .2;         // fitted: eps_i = .2 .95^i, unit i = 0, 1, ...
constexpr double kAdaptiveDecay = .95;          // fitted
constexpr double kFisherRightAction = .85;      // fitted: an explorer takes action 0 where it does not know
constexpr std::int64_t kUnitsPerExplorer = 10;  // paper: n/10 explorers, at most T + 1

/// min(T + 1, n/10), rounded down: explorers of SEP and Fisher-SEP (paper, implementation note). 5 of 50.
std::int64_t explorers(const Lock& lock);

/// Every planner, in the order of tables.
const std::vector<trial::PlannerName>& planners();

/// What a planner does with unit `unit` (0, 1, ...).
using Rule = UnitRule (*)(Reading reading, const Lock& lock, std::int64_t unit);

/// The rule of a planner. Throws InvalidArgument where there is no such planner.
///
/// Fisher-SEP, honest: a state where the right action is not known has one row to learn, and either action
/// reveals it whole, so no action is more informative there than the other and the criterion of design/ (a
/// count of repeated, noisy observations, planned in advance) has nothing to weigh. What differs is what is
/// seen afterwards: only who advances learns the next state too. Each explorer in turn therefore goes as far
/// as is known and then takes the action that the belief holds likelier to advance (paper, proof of prop.
/// exp-reach-gap (ii)): the simulator's where c/T <= 1/2. That is what the A-SOP does anyway: on the lock
/// nothing is gained by designing, and both lose c/n.
Rule find_rule(std::string_view planner);

}  // namespace mindgap::cases::lock
