#pragma once

#include <cstdint>

#include "mindgap/decide/situation.h"

// What plans cost to follow: a function of sizes alone, never of a clock, so that an answer does not depend
// on the machine.
namespace mindgap::decide {

/// About how many nanoseconds one look of a plan at the belief takes: a policy found again, models drawn,
/// pilots designed. Fitted on the vans (40 states, 166 state-action pairs), on a core of 2020.
double work_of_look(const Plan& plan, const Situation& situation);

/// About how many nanoseconds one world takes: its looks, and the steps of its units.
double work_of_world(const Plan& plan, const Situation& situation, const SimulationOptions& options);

/// Steps between two looks: as asked for, or planner::default_replanning(); of a plan whose looks at that
/// rate would take more than options.most_work in one world, as many more as it needs, but not more than a
/// twentieth of the horizon, from 1 to 5 steps.
std::int64_t replanning_of(const Plan& plan, const Situation& situation, const SimulationOptions& options);

/// Whether one world takes the plan no more than options.most_work at that rate, or no more than asop takes;
/// of average and robust, whether finding their policy takes seconds rather than minutes.
bool is_affordable(const Plan& plan, const Situation& situation, const SimulationOptions& options);

}  // namespace mindgap::decide
