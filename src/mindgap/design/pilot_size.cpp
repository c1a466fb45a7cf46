#include "mindgap/design/pilot_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::design {
namespace {

constexpr double kLargest = 1e9;  // units, steps

void check_grid(const char* function, const char* name, std::span<const std::int64_t> grid) {
  if (grid.empty()) throw InvalidArgument(fmt::format("{}: {} is empty", function, name));
  std::int64_t last = 0;
  for (const std::int64_t value : grid) {
    base::check_range(function, name, static_cast<double>(value), 1, kLargest);
    if (value <= last) {
      throw InvalidArgument(
          fmt::format("{}: {} has {} after {}, but must ascend", function, name, value, last));
    }
    last = value;
  }
}

// The fewest units up to `limit` with f* <= wanted, or 0; `lowest` is the least f* met on the way.
std::int64_t fewest_units(const PilotSizeSetup& setup, std::int64_t steps, double wanted, std::int64_t limit,
                          double& at_result, double& lowest) {
  const auto enough = [&](std::int64_t units) {
    const double value = minimal_pvv(setup, units, steps);
    lowest = std::min(lowest, value);
    if (value <= wanted) at_result = value;
    return value <= wanted;
  };
  std::int64_t low = 0, high = 1;  // low is not enough
  while (!enough(high)) {
    if (high == limit) return 0;
    low = high;
    high = std::min(limit, 2 * high);
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

void PilotSizeSetup::validate() const {
  const char* function = "PilotSizeSetup";
  base::check_size(function, "start", start.size(), static_cast<std::size_t>(mdp.states()));
  base::check_simplex(function, "start", start);
  if (!objective || !minimise) {
    throw InvalidArgument(fmt::format("{}: objective and minimise must be set", function));
  }
}

double minimal_pvv(const PilotSizeSetup& setup, std::int64_t units, std::int64_t steps) {
  setup.validate();
  base::check_range("minimal_pvv", "units", static_cast<double>(units), 0, kLargest);
  base::check_range("minimal_pvv", "steps", static_cast<double>(steps), 0, kLargest);
  const Objective objective = setup.objective(units, steps);
  base::check_size("minimal_pvv", "objective", objective.size(), static_cast<std::size_t>(setup.mdp.pairs()));
  if (units == 0 || steps == 0) return objective.value(std::vector<double>(objective.size()));
  std::vector<double> positions = setup.start;
  for (double& share : positions) share *= static_cast<double>(units);
  const double budget = static_cast<double>(units) * static_cast<double>(steps);
  const auto pilot = setup.finite
                         ? finite_occupancies(setup.mdp, std::move(positions), steps, setup.threads)
                         : discounted_occupancies(setup.mdp, std::move(positions), budget, setup.threads);
  return setup.minimise(objective, *pilot);
}

double PilotSizes::fall_per_unit(std::size_t step, std::size_t unit) const {
  const double before = unit == 0 ? without[step] : at(step, unit - 1);
  const std::int64_t last = unit == 0 ? 0 : units[unit - 1];
  return (before - at(step, unit)) / static_cast<double>(units[unit] - last);
}

double PilotSizes::fall_per_step(std::size_t step, std::size_t unit) const {
  const double before = step == 0 ? no_steps : at(step - 1, unit);
  const std::int64_t last = step == 0 ? 0 : steps[step - 1];
  return (before - at(step, unit)) / static_cast<double>(steps[step] - last);
}

PilotSizes pilot_sizes(const PilotSizeSetup& setup, std::vector<std::int64_t> units,
                       std::vector<std::int64_t> steps) {
  check_grid("pilot_sizes", "units", units);
  check_grid("pilot_sizes", "steps", steps);
  PilotSizes sizes;
  sizes.units = std::move(units);
  sizes.steps = std::move(steps);
  sizes.no_steps = minimal_pvv(setup, 0, 0);
  for (const std::int64_t t : sizes.steps) {
    sizes.without.push_back(minimal_pvv(setup, 0, t));
    for (const std::int64_t n : sizes.units) sizes.pvv.push_back(minimal_pvv(setup, n, t));
  }
  return sizes;
}

PilotMargins pilot_margins(const PilotSizeSetup& setup, std::int64_t units, std::int64_t steps) {
  PilotMargins margins;
  margins.pvv = minimal_pvv(setup, units, steps);
  margins.one_more_unit = margins.pvv - minimal_pvv(setup, units + 1, steps);
  margins.one_more_step = margins.pvv - minimal_pvv(setup, units, steps + 1);
  return margins;
}

SmallestPilot smallest_pilot(const PilotSizeSetup& setup, double share, std::span<const std::int64_t> steps,
                             std::int64_t units_max) {
  const char* function = "smallest_pilot";
  check_grid(function, "steps", steps);
  base::check_range(function, "units_max", static_cast<double>(units_max), 1, kLargest);
  if (!(share > 0 && share < 1)) {
    throw InvalidArgument(fmt::format("{}: share is {}, but must be between 0 and 1", function, share));
  }
  SmallestPilot best;
  double best_budget = std::numeric_limits<double>::infinity();
  for (const std::int64_t t : steps) {
    const double without = minimal_pvv(setup, 0, t);
    double value = 0, lowest = without;
    const std::int64_t units = fewest_units(setup, t, (1 - share) * without, units_max, value, lowest);
    best.units_by_steps.push_back(units);
    const double budget = static_cast<double>(units) * static_cast<double>(t);
    if (units > 0 && budget < best_budget) {
      best_budget = budget;
      best.found = true;
      best.units = units;
      best.steps = t;
      best.pvv = value;
      best.removed = without > 0 ? 1 - value / without : 0;
    } else if (!best.found && without > 0) {
      best.removed = std::max(best.removed, 1 - lowest / without);
    }
  }
  return best;
}

double stateless_pvv(const gap::StatelessProblem& problem, double experiment_units) {
  problem.validate();
  base::check_nonnegative("stateless_pvv", "experiment_units", experiment_units);
  const double variance = problem.prior_sd * problem.prior_sd;
  return variance / (1 + variance * experiment_units / (4 * problem.observation_variance));
}

double stateless_pilot_units(const gap::StatelessProblem& problem, double share) {
  problem.validate();
  if (!(share >= 0 && share < 1)) {
    throw InvalidArgument(
        fmt::format("stateless_pilot_units: share is {}, but must be from 0 to below 1", share));
  }
  return 4 * problem.observation_variance / (problem.prior_sd * problem.prior_sd) * share / (1 - share);
}

}  // namespace mindgap::design
