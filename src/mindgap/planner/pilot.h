#pragma once

#include <memory>

#include "mindgap/design/pilot.h"
#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// A pilot that was designed beforehand, for all units of the deployment. The pilot's units follow their
/// routes for its steps while all others follow the posterior-optimal policy; then everybody does. Every
/// observation of every unit counts. The policy is found again every replan_every steps, and at the step
/// after the pilot. Throws InvalidArgument where the pilot's units are not the setting's, or a route is not
/// there or too short.
std::unique_ptr<Planner> make_pilot(const Setting& setting, std::shared_ptr<const design::Pilot> pilot);

}  // namespace mindgap::planner
