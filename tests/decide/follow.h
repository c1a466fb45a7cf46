#pragma once

#include <memory>
#include <string>

#include "mindgap/decide/decide.h"
#include "mindgap/planner/planner.h"

namespace mindgap::decide {

/// What a user does who follows the recommendation: a planner that acts as the recommended plan says, with
/// the routes of the decision's own pilot where it is one. `trial` tells its draws from those of others.
std::unique_ptr<planner::Planner> follow_recommended(const Situation& situation, const DecideOptions& options,
                                                     const Decision& decision, std::uint64_t trial);

/// A plan that is ready, with its pilot where it is one.
std::unique_ptr<planner::Planner> follow_prepared(const Situation& situation, const DecideOptions& options,
                                                  const PreparedPlan& plan, std::uint64_t trial);

/// Any plan by its name, a pilot designed for the situation. The belief, units and horizon are the
/// situation's.
std::unique_ptr<planner::Planner> follow_plan(const Situation& situation, const DecideOptions& options,
                                              const Plan& plan, std::uint64_t trial);

/// A plan, or else a planner of the registry, by its name.
std::unique_ptr<planner::Planner> follow_name(const Situation& situation, const DecideOptions& options,
                                              const std::string& name, std::uint64_t trial);

}  // namespace mindgap::decide
