#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mindgap/design/routes.h"

namespace mindgap::design {

struct RouteSearchOptions {
  /// Passes over all units at most; it ends earlier where none gains.
  std::int32_t passes = 10;
  /// Transitions looked at after which no further route is tried: large pilots keep the routes they have.
  double work_limit = 3e9;
  /// Seconds after which likewise.
  double time_limit = std::numeric_limits<double>::infinity();
  /// Within limits: routes tried at most, for all units together; 0: 6000, or 100 a unit where that is more.
  std::int64_t tries = 0;
};

/// One route for one unit that begins in `state`, where the others observe `others` (expected counts per
/// pair). The corners of a design stay where the criterion is steepest, which suits a mixture of many; a
/// single unit should move on once it has looked. So the route is built forward: at each step the actions
/// that are best for the steps left, with the price of a pair being what one more observation of it would
/// take off f, given the others' counts and what this route has observed on the way. It looks ahead to the
/// end of the pilot or twice as many steps as there are states, whichever comes first: that many sweeps over
/// the model a step.
std::vector<std::int32_t> greedy_route(const Objective& objective, const Occupancy& pilot,
                                       std::span<const double> others, std::int32_t state);

/// Gives units new routes of that kind, one after another, while that makes f smaller. Routes without units
/// are dropped. Finite pilots only. Returns whether every unit was tried; false where a limit came first.
bool improve_routes(const Objective& objective, const Occupancy& pilot,
                    std::span<const std::int32_t> unit_state, std::span<const std::uint8_t> forbidden,
                    double optimum, RouteAssignment& assignment, const RouteSearchOptions& options = {});

/// The same within limits. Every visit is charged what the rows A n <= b would have it cost: its price is
/// what one more observation takes off f less <l, A>. For each unit in turn the multipliers l >= 0 (at first
/// those of the fractional optimum) are raised where its route breaks a row and lowered where it leaves room,
/// and the best route met is taken: the one that lowers the violations of the rows most, or, where none does
/// and they do not rise, f. Then the same from other beginnings: from routes that all units chose at the same
/// multipliers, from routes whose first part is kept, and from one or two units' routes chosen at prices that
/// are off by random factors, with the others following. What is found is never worse than what was given:
/// its violations are not larger, and where they are as large, nor is f. Returns whether every unit was
/// tried.
bool improve_routes_within(const Objective& objective, const Occupancy& pilot,
                           std::span<const std::int32_t> unit_state, const Constraints& constraints,
                           std::span<const std::uint8_t> forbidden, const ColumnGenerationResult& optimum,
                           RouteAssignment& assignment, const RouteSearchOptions& options = {});

/// Renumbers the routes that somebody follows and drops the others.
void drop_empty_routes(RouteAssignment& assignment);

/// What a pilot of whole units makes of an optimum: assign_routes(), then improve_routes(), or
/// improve_routes_within() where something is constrained. `searched` says whether every unit was tried.
RouteAssignment best_routes(const Objective& objective, const Occupancy& pilot,
                            const ColumnGenerationResult& optimum, std::span<const std::int32_t> unit_state,
                            const Constraints& constraints = {}, std::span<const std::uint8_t> forbidden = {},
                            const RouteSearchOptions& options = {}, bool* searched = nullptr);

}  // namespace mindgap::design
