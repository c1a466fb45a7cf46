#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mindgap/design/routes.h"
#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// A pilot that was designed beforehand: who follows which route for how long.
struct RoutedPilot {
  std::int64_t steps = 0;
  std::vector<design::Route> routes;
  std::vector<std::int32_t> route_of_unit;  // per unit of the deployment; -1: not in the pilot
};

/// The pilot's units follow their routes for its steps while all others follow the posterior-optimal policy;
/// then everybody does. Every observation of every unit counts. The policy is found again every replan_every
/// steps, and at the step after the pilot. Throws InvalidArgument where the pilot's units are not the
/// setting's, or a route is not there or too short.
std::unique_ptr<Planner> make_pilot(const Setting& setting, std::shared_ptr<const RoutedPilot> pilot);

}  // namespace mindgap::planner
