#include <nlohmann/json.hpp>

#include "mindgap/design/design.h"

namespace mindgap::design {

std::string plan_json(const mdp::Mdp& mdp, const Design& design, const DesignOptions& options) {
  using Json = nlohmann::ordered_json;
  Json plan;
  plan["format"] = "mindgap-plan/1";
  plan["occupancy"] = options.finite ? "finite" : "discounted";
  plan["units"] = options.units;
  plan["steps"] = options.steps;
  plan["target"] = to_string(options.target);
  plan["pvv_before"] = design.before;
  plan["pvv_after"] = design.after;
  plan["pvv_after_rounding"] = design.after_rounding;
  plan["relative_gap"] = design.relative_gap;
  plan["constraints_kept"] = design.constraints_kept;
  Json states = Json::array();
  for (std::int32_t s = 0; s < mdp.states(); ++s) states.push_back(mdp.state_name(s));
  plan["states"] = states;
  const auto width = static_cast<std::size_t>(mdp.states());
  plan["routes"] = Json::array();
  for (const Route& route : design.routes) {
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
  return plan.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mindgap::design
