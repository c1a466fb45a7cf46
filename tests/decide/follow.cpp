#include "decide/follow.h"

#include "mindgap/planner/pilot.h"

namespace mindgap::decide {
namespace {

planner::Setting setting_of(const Situation& situation, const DecideOptions& options, std::uint64_t trial) {
  planner::Setting setting{
      situation.belief(), situation.units(), situation.horizon, options.simulation.seed, trial, {}};
  setting.options.replan_every = options.simulation.replan_every > 0 ? options.simulation.replan_every
                                                                     : default_replanning(situation.horizon);
  return setting;
}

std::unique_ptr<planner::Planner> routed(const planner::Setting& setting, const Plan& plan,
                                         const design::Design& design,
                                         const std::vector<std::int32_t>& members) {
  planner::RoutedPilot pilot{plan.pilot_steps, design.routes,
                             std::vector<std::int32_t>(static_cast<std::size_t>(setting.units), -1)};
  for (std::size_t i = 0; i < members.size(); ++i)
    pilot.route_of_unit[static_cast<std::size_t>(members[i])] = design.route_of_unit[i];
  return planner::make_pilot(setting, std::make_shared<const planner::RoutedPilot>(std::move(pilot)));
}

}  // namespace

std::unique_ptr<planner::Planner> follow_recommended(const Situation& situation, const DecideOptions& options,
                                                     const Decision& decision, std::uint64_t trial) {
  const Plan& plan = decision.plans[decision.recommended].plan;
  if (!plan.is_pilot()) return follow_plan(situation, options, plan, trial);
  return routed(setting_of(situation, options, trial), plan, *decision.pilot, decision.pilot_members);
}

std::unique_ptr<planner::Planner> follow_prepared(const Situation& situation, const DecideOptions& options,
                                                  const PreparedPlan& plan, std::uint64_t trial) {
  const planner::Setting setting = setting_of(situation, options, trial);
  if (plan.plan.is_pilot()) return planner::make_pilot(setting, plan.pilot);
  return planner::find_planner(plan.plan.name).make(setting);
}

std::unique_ptr<planner::Planner> follow_plan(const Situation& situation, const DecideOptions& options,
                                              const Plan& plan, std::uint64_t trial) {
  if (!plan.is_pilot()) return follow_prepared(situation, options, {plan}, trial);
  return follow_prepared(situation, options,
                         Simulation(situation, {plan}, options.simulation).plans().front(), trial);
}

std::unique_ptr<planner::Planner> follow_name(const Situation& situation, const DecideOptions& options,
                                              const std::string& name, std::uint64_t trial) {
  for (const planner::PlannerInfo& info : planner::planners()) {
    if (info.name == name) return info.make(setting_of(situation, options, trial));
  }
  return follow_plan(situation, options, plan_from_string(name), trial);
}

}  // namespace mindgap::decide
