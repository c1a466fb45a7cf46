#include "decide/follow.h"

#include "mindgap/decide/follow_plan.h"
#include "mindgap/decide/work.h"
#include "mindgap/planner/pilot.h"

namespace mindgap::decide {
namespace {

planner::Setting setting_of(const Situation& situation, const DecideOptions& options, std::uint64_t trial,
                            std::int64_t replan_every) {
  planner::Setting setting{
      situation.belief(), situation.units(), situation.horizon, options.simulation.run.seed, trial, {}};
  setting.options.replan_every = replan_every;
  return setting;
}

std::unique_ptr<planner::Planner> routed(const planner::Setting& setting, const design::Design& design,
                                         const std::vector<std::int32_t>& members) {
  return planner::make_pilot(setting, std::make_shared<const design::Pilot>(
                                          design.among(static_cast<std::size_t>(setting.units), members)));
}

}  // namespace

std::unique_ptr<planner::Planner> follow_recommended(const Situation& situation, const DecideOptions& options,
                                                     const Decision& decision, std::uint64_t trial) {
  const PlanResult& recommended = decision.plans[decision.recommended];
  const planner::Setting setting = setting_of(situation, options, trial, recommended.replan_every);
  if (recommended.plan.is_pilot()) return routed(setting, *decision.pilot, decision.pilot_members);
  return make_plan(recommended.plan, setting);
}

std::unique_ptr<planner::Planner> follow_prepared(const Situation& situation, const DecideOptions& options,
                                                  const PreparedPlan& plan, std::uint64_t trial) {
  const planner::Setting setting = setting_of(situation, options, trial, plan.replan_every);
  if (plan.plan.is_pilot()) return planner::make_pilot(setting, plan.pilot);
  return make_plan(plan.plan, setting);
}

std::unique_ptr<planner::Planner> follow_plan(const Situation& situation, const DecideOptions& options,
                                              const Plan& plan, std::uint64_t trial) {
  if (!plan.is_pilot())
    return make_plan(
        plan, setting_of(situation, options, trial, replanning_of(plan, situation, options.simulation)));
  return follow_prepared(situation, options, design_plan(situation, plan, options.simulation), trial);
}

std::unique_ptr<planner::Planner> follow_name(const Situation& situation, const DecideOptions& options,
                                              const std::string& name, std::uint64_t trial) {
  if (is_plan(name)) return follow_plan(situation, options, plan_from_string(name), trial);
  return planner::find_planner(name).make(
      setting_of(situation, options, trial, replanning_of(situation, options.simulation)));
}

}  // namespace mindgap::decide
