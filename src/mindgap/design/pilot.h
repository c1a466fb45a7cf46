#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mindgap::design {

/// One policy of a design and the units that follow it for the whole pilot.
struct Route {
  double weight = 0;  // in the optimum
  std::int32_t units = 0;
  /// [step * states + state]: the pair to take, or -1 where no unit of this route can be then.
  std::vector<std::int32_t> pair;

  bool operator==(const Route&) const = default;
};

/// A pilot: units that follow routes for so many steps. Whatever it does not say, the policy in force does.
struct Pilot {
  std::int64_t steps = 0;
  std::int32_t states = 0;  // of the model, the width of a route's table
  std::vector<Route> routes;
  std::vector<std::int32_t> route_of_unit;  // negative: the unit follows the policy

  /// The pair at a state on a route, `step` steps after the unit began it. -1: there is no such route, it is
  /// over, or it does not say, because the truth went where the simulator could not.
  std::int32_t pair_on(std::int32_t route, std::int64_t step, std::int32_t state) const {
    if (route < 0 || step >= steps) return -1;
    return routes[static_cast<std::size_t>(route)]
        .pair[static_cast<std::size_t>(step) * static_cast<std::size_t>(states) +
              static_cast<std::size_t>(state)];
  }
  /// The same for a unit that began with the pilot.
  std::int32_t pair(std::size_t unit, std::int64_t step, std::int32_t state) const {
    return unit < route_of_unit.size() ? pair_on(route_of_unit[unit], step, state) : -1;
  }

  /// The same routes for `units` units, of which members[i] is the i-th here; the others are not in the
  /// pilot.
  Pilot among(std::size_t units, std::span<const std::int32_t> members) const;

  /// More states, behind those that were there: no route leads through them.
  void widen(std::int32_t wider);

  bool operator==(const Pilot&) const = default;
};

}  // namespace mindgap::design
