#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/decide/decide.h"
#include "mindgap/decide/work.h"

namespace mindgap::decide {

std::vector<Plan> fitting_plans(const Situation& situation, const DecideOptions& options,
                                std::vector<Note>& notes) {
  const bool own = options.plans.empty();
  std::vector<Plan> fitting;
  std::vector<std::string> left_out, unlimited;
  std::vector<Plan> asked = own ? default_plans(situation) : options.plans;
  if (own && options.simulation.terms.drift_rate > 0) {
    for (const Plan& plan : forgetting_plans(situation.units(), situation.horizon)) asked.push_back(plan);
  }
  if (const auto& given = options.simulation.given)
    asked.push_back(given_plan(static_cast<std::int64_t>(given->members.size()), given->pilot.steps));
  for (const Plan& plan : asked) {
    if (std::find(fitting.begin(), fitting.end(), plan) != fitting.end()) continue;
    if (plan.pilot_units > situation.units()) {
      throw InvalidArgument(fmt::format("{}: there are only {} units", plan.name, situation.units()));
    }
    if (std::max(plan.pilot_steps, plan.window) >= situation.horizon) {
      left_out.push_back(plan.name);
      continue;
    }
    if (!options.simulation.limits.empty() && plan.kind == Kind::experiment && !plan.is_pilot()) {
      unlimited.push_back(plan.name);
      continue;
    }
    if (own && !plan.given && !is_affordable(plan, situation, options.simulation_options()))
      continue;  // assumptions say so
    fitting.push_back(plan);
  }
  if (!left_out.empty()) notes.push_back({Note::What::past_horizon, left_out, situation.horizon});
  if (!unlimited.empty()) notes.push_back({Note::What::unlimited, unlimited});
  if (fitting.empty()) throw InvalidArgument("decide: no plan is left to compare");
  const bool no_pilot =
      std::none_of(fitting.begin(), fitting.end(), [](const Plan& p) { return p.is_pilot(); });
  const bool too_short = no_pilot && (own || !left_out.empty());
  if (too_short) notes.push_back({Note::What::no_pilot_fits});
  for (const Kind kind : {Kind::deploy, Kind::learn, Kind::experiment}) {
    if (std::any_of(fitting.begin(), fitting.end(), [&](const Plan& p) { return p.kind == kind; })) continue;
    if (kind == Kind::experiment && too_short) continue;
    notes.push_back({.what = Note::What::nothing_of_kind, .kind = kind});
  }
  return fitting;
}

}  // namespace mindgap::decide
