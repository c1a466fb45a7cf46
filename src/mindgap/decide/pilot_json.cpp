#include "mindgap/decide/decide.h"

namespace mindgap::decide {

std::string pilot_json(const mdp::Mdp& mdp, const Decision& decision, const DecideOptions& options,
                       const std::vector<std::string>& names) {
  if (!decision.pilot) return {};
  const Plan& plan = decision.plans[*decision.pilot_plan].plan;
  design::DesignOptions pilot;  // what the plan says of itself
  pilot.units = plan.pilot_units;
  pilot.steps = plan.pilot_steps;
  pilot.target = target_of_pilots(mdp, options.simulation.target);
  for (const std::int32_t unit : decision.pilot_members) pilot.unit_names.push_back(names[unit]);
  return design::plan_json(mdp, *decision.pilot, pilot);
}

}  // namespace mindgap::decide
