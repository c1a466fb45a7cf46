#include "mindgap/view/plan_file.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/study/options.h"
#include "mindgap/study/plan.h"

namespace mindgap::view {
namespace {

Json states_of(const mdp::Mdp& mdp) {
  Json names = Json::array();
  for (std::int32_t s = 0; s < mdp.states(); ++s) names.push_back(mdp.state_name(s));
  return names;
}

Json plan_of(const mdp::Mdp& mdp, const design::Design& design, const design::DesignOptions& options) {
  Json plan;
  plan["format"] = study::kPlanFormat;
  plan["occupancy"] = options.finite ? "finite" : "discounted";
  plan["units"] = options.units;
  plan["steps"] = options.steps;
  plan["target"] = design::to_string(options.target);
  plan["pvv_before"] = design.before;
  plan["pvv_after"] = design.after;
  plan["pvv_after_rounding"] = design.after_rounding;
  plan["relative_gap"] = design.relative_gap;
  plan["constraints_kept"] = design.constraints_kept;
  plan["states"] = states_of(mdp);
  const auto width = static_cast<std::size_t>(mdp.states());
  plan["routes"] = Json::array();
  for (const design::Route& route : design.routes) {
    Json steps = Json::array();
    for (std::size_t at = 0; at < route.pair.size(); at += width) {
      Json step = Json::array();
      for (std::size_t s = 0; s < width; ++s) {
        const std::int32_t pair = route.pair[at + s];
        step.push_back(pair < 0 ? Json(nullptr) : Json(mdp.action_name_of_pair(pair)));
      }
      steps.push_back(step);
    }
    plan["routes"].push_back({{"weight", route.weight}, {"units", route.units}, {"actions", steps}});
  }
  if (!design.policy.empty()) {
    plan["policy"] = Json::array();
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      if (!(design.policy[k] > 1e-9)) continue;
      plan["policy"].push_back({{"state", mdp.state_name(mdp.state_of_pair(k))},
                                {"action", mdp.action_name_of_pair(k)},
                                {"probability", design.policy[k]}});
    }
  }
  if (!design.route_of_unit.empty()) {
    Json units = Json::array();
    for (std::size_t u = 0; u < design.route_of_unit.size(); ++u) {
      units.push_back(
          {{"unit", u < options.unit_names.size() ? options.unit_names[u] : std::to_string(u + 1)},
           {"route", design.route_of_unit[u]},
           {"state", mdp.state_name(design.unit_state[u])}});
    }
    plan["assignment"] = units;
  }
  return plan;
}

// What a study needs beside the routes to begin with a plan.
Json study_of(const DecideView& view, const decide::Plan& plan) {
  const mdp::Mdp& mdp = view.model.mdp;
  const decide::SimulationOptions& simulation = view.options.simulation;
  Json json;
  json["plan"] = plan.name;
  json["horizon"] = view.situation.horizon;
  json["replan_every"] = decide::replanning_of(view.situation, simulation);
  json["seed"] = simulation.run.seed;
  json["units"] = Json::array();
  for (std::size_t u = 0; u < view.unit_names.size(); ++u)
    json["units"].push_back(
        {{"unit", view.unit_names[u]}, {"state", mdp.state_name(view.situation.unit_state[u])}});
  json["prior"] = Json::parse(study::prior_to_json(view.prior));
  if (const design::Limits& limits = view.options.simulation.limits; !limits.empty())
    json["limits"] = Json::parse(study::limits_to_json(limits));
  const bool covered = view.situation.knowledge.source == belief::PriorSource::coverage;
  json["coverage"] = covered ? Json(view.situation.knowledge.coverage) : Json(nullptr);
  json["log"] = view.log.empty() ? Json(nullptr) : Json(view.log);
  json["model"] = view.model_path.empty() ? Json(nullptr) : Json(view.model_path);
  json["model_sha256"] = study::sha_wherever_it_starts(view.model);
  json["new_states"] = Json::array();
  for (const std::int32_t s : view.model.added) json["new_states"].push_back(mdp.state_name(s));
  return json;
}

std::string written(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string plan_json(const mdp::Mdp& mdp, const design::Design& design,
                      const design::DesignOptions& options) {
  return written(plan_of(mdp, design, options));
}

std::string pilot_plan(const DecideView& view) {
  const decide::Decision& decision = view.decision;
  if (!decision.pilot) return {};
  const decide::Plan& plan = decision.plans[*decision.pilot_plan].plan;
  design::DesignOptions pilot;  // what the plan says of itself
  pilot.units = plan.pilot_units;
  pilot.steps = plan.pilot_steps;
  pilot.target = decide::target_of_pilots(view.model.mdp, view.options.simulation.target);
  for (const std::int32_t unit : decision.pilot_members) pilot.unit_names.push_back(view.unit_names[unit]);
  Json json = plan_of(view.model.mdp, *decision.pilot, pilot);
  json["expected_loss"] = decision.pilot->expected_loss;
  json["study"] = study_of(view, plan);
  return written(json);
}

std::string recommended_plan(const DecideView& view) {
  const decide::Decision& decision = view.decision;
  const decide::Plan& plan = decision.plans[decision.recommended].plan;
  if (decision.pilot_plan == decision.recommended) return pilot_plan(view);
  if (plan.name != "asop" && plan.name != "sop") {
    throw InvalidArgument(fmt::format(
        "the decision recommends {}, which a study cannot run: it can run a pilot with routes (pilot-UxT), "
        "asop "
        "(nobody explores, the policy is updated as results come) and sop (today's policy, never changed). "
        "{}",
        plan.name,
        decision.pilot_plan ? fmt::format("The best pilot is {}: {} begins that one",
                                          decision.plans[*decision.pilot_plan].plan.name,
                                          base::told("study init --plan with the file of decide --out",
                                                     "Study.init(folder, plan=decision.plan())"))
                            : std::string("Decide again with pilots among the plans")));
  }
  Json json;
  json["format"] = study::kPlanFormat;
  json["steps"] = 0;
  json["states"] = states_of(view.model.mdp);
  json["routes"] = Json::array();
  json["assignment"] = Json::array();
  json["study"] = study_of(view, plan);
  return written(json);
}

}  // namespace mindgap::view
