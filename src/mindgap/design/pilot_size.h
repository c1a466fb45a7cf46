#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mindgap/design/objective.h"
#include "mindgap/design/occupancy.h"
#include "mindgap/gap/stateless.h"

// How large a pilot: the least variance left as a function of its units and steps.
namespace mindgap::design {

/// The least f(n) over a pilot's counts, or a value close above it.
using LeastVariance = std::function<double(const Objective&, const Occupancy&)>;

struct PilotSizeSetup {
  mdp::Mdp mdp;               // the belief's mean
  std::vector<double> start;  // where a unit begins, a distribution; n units begin at n times that
  /// The criterion of a pilot of so many units and steps: they enter through the credit for what the others
  /// observe meanwhile. Called with 0 units for no pilot.
  std::function<Objective(std::int64_t units, std::int64_t steps)> objective;
  LeastVariance minimise;
  bool finite = true;  // false: the paper's discounted form, N = units x steps
  int threads = 0;     // 0: all cores

  /// Throws InvalidArgument.
  void validate() const;
};

/// f* for units >= 0 and steps >= 0; with none of either, what the criterion is without a pilot.
double minimal_pvv(const PilotSizeSetup& setup, std::int64_t units, std::int64_t steps);

/// f* over a grid. With finite pilots it falls along both (a longer pilot can begin like the shorter one, a
/// larger one is the smaller one scaled up), up to the minimiser's gap.
struct PilotSizes {
  std::vector<std::int64_t> units, steps;  // ascending
  std::vector<double> pvv;                 // [step index * units.size() + unit index]
  std::vector<double> without;             // per step index: no pilot
  double no_steps = 0;                     // neither pilot nor steps in which others observe

  double at(std::size_t step, std::size_t unit) const { return pvv[step * units.size() + unit]; }
  /// By how much f* falls per unit from the grid's unit - 1 to `unit` (for 0: from no pilot); likewise per
  /// step at a fixed number of units (for 0: from no steps).
  double fall_per_unit(std::size_t step, std::size_t unit) const;
  double fall_per_step(std::size_t step, std::size_t unit) const;
};
/// Both grids strictly ascending, from 1. Throws InvalidArgument.
PilotSizes pilot_sizes(const PilotSizeSetup& setup, std::vector<std::int64_t> units,
                       std::vector<std::int64_t> steps);

/// What one more of either would be worth.
struct PilotMargins {
  double pvv = 0;            // f*(units, steps)
  double one_more_unit = 0;  // f*(units, steps) - f*(units + 1, steps)
  double one_more_step = 0;  // f*(units, steps) - f*(units, steps + 1)
};
PilotMargins pilot_margins(const PilotSizeSetup& setup, std::int64_t units, std::int64_t steps);

/// The smallest pilot that leaves at most (1 - share) of what would be left without one.
struct SmallestPilot {
  bool found = false;
  std::int64_t units = 0, steps = 0;
  double pvv = 0;
  double removed = 0;  // the share it removes; where none was found, the largest that was seen
  /// Per entry of the grid of steps the fewest units that do (0: not even units_max).
  std::vector<std::int64_t> units_by_steps;
};
/// Of the pilots that do, over the given numbers of steps (ascending) and up to units_max units, the one with
/// the fewest units x steps, of equals the shortest. For each number of steps a bisection over units, along
/// which f* must not rise. 0 < share < 1.
SmallestPilot smallest_pilot(const PilotSizeSetup& setup, double share, std::span<const std::int64_t> steps,
                             std::int64_t units_max);

/// Without states, two actions: the variance left of their difference after n_e units split half and half,
///   s0^2 - nu^2 = 4 s2 s0^2 / (4 s2 + s0^2 n_e),
/// nu = gap::preposterior_sd (docs/math/stateless.md). It is f* of one state with two actions whose mean
/// rewards have prior variance s0^2/2 each, weights 1 and one step.
double stateless_pvv(const gap::StatelessProblem& problem, double experiment_units);

/// The n_e that removes a share of it: (4 s2 / s0^2) share / (1 - share), 0 <= share < 1; not rounded, and
/// not limited to the units there are.
double stateless_pilot_units(const gap::StatelessProblem& problem, double share);

}  // namespace mindgap::design
