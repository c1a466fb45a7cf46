#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mindgap/design/column_generation.h"
#include "mindgap/design/pilot.h"

// A design for a finite pilot as instructions: which unit follows which policy.
namespace mindgap::design {

/// A pilot with one route per corner of the design, in its order, and every unit on one of them.
struct RouteAssignment : Pilot {
  std::vector<double> counts;         // expected n per pair of the units on their routes
  double value = 0;                   // f(counts)
  double value_before_exchanges = 0;  // after the largest remainders alone
  std::int64_t exchanges = 0;
  double ratio = 0;  // value / f(optimum): what whole units cost
  /// By how much the assignment misses each constraint, linear ones first, in the units of its bound; 0 where
  /// it keeps to it.
  std::vector<double> violations;
};

/// Gives each unit one route. `unit_state` is where each unit begins; the pilot's positions must be their
/// numbers per state. Routes get units by the largest remainders of weight times units (Hamilton), spread
/// over the states where units begin as evenly as whole units allow; then single units change their route
/// while that makes f smaller by more than rounding. With constraints a change must not raise the sum of the
/// violations (each as a share of the most its row can be), and one that lowers it is made whatever f does.
/// Throws InvalidArgument where the pilot is not finite or the positions do not fit.
RouteAssignment assign_routes(const Objective& objective, const Occupancy& pilot,
                              const ColumnGenerationResult& design, std::span<const std::int32_t> unit_state,
                              const Constraints& constraints = {});

/// The route's table with -1 where units that begin in `from` cannot be at that step.
std::vector<std::int32_t> reachable_part(const mdp::Mdp& mdp, std::span<const std::int32_t> pair,
                                         std::int64_t steps, std::span<const std::int32_t> from);

/// One step of a way.
struct Leg {
  std::int32_t state, action;
};

/// Where a unit on the route most likely goes from `state`: at each step the likeliest next state. Ends where
/// the route does not say more.
std::vector<Leg> likely_way(const mdp::Mdp& mdp, const Route& route, std::int32_t state);

}  // namespace mindgap::design
