#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mindgap/decide/simulation.h"
#include "mindgap/trial/open_case.h"

// Plans of a decision as planners, so that a verdict can be tested on a known truth.
namespace mindgap::decide {

/// The planner that a plan's name stands for: of pilot-UxT one that designs the pilot on the setting's belief
/// at the first step, from where the units are then. Throws InvalidArgument at that step where there are
/// fewer units, or the horizon is not longer.
std::unique_ptr<planner::Planner> make_plan(const Plan& plan, const planner::Setting& setting,
                                            const design::Target& target = {});

/// Throws InvalidArgument unless both have the same states and state-action pairs; `decided` is what a
/// decision was about.
void check_same_pairs(const mdp::Mdp& decided, const mdp::Mdp& here);

/// Follows a pilot that was designed before, with its very routes. Throws InvalidArgument where the setting
/// has other units than the pilot, or another model's states and pairs than `belief`, which it begins with.
std::unique_ptr<planner::Planner> follow_pilot(const belief::Belief& belief,
                                               std::shared_ptr<const design::Pilot> pilot,
                                               planner::Setting setting);

/// The names among `asked` that are plans and that no planner of a case has.
std::vector<Plan> plans_among(const std::vector<std::string>& asked,
                              const std::vector<trial::PlannerName>& known);
/// Such a plan as one that acts in a case, under the plan's name.
trial::OtherPlanner planner_for(const Plan& plan);

}  // namespace mindgap::decide
