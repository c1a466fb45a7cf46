#include "mindgap/view/json.h"

#include <cmath>

namespace mindgap::view {

Json json_of_model(const mdp::Model& model) {
  Json json;
  json["name"] = model.name;
  json["states"] = model.mdp.states();
  json["actions"] = model.mdp.actions();
  json["pairs"] = model.mdp.pairs();
  json["nonzeros"] = model.mdp.nonzeros();
  json["discount"] = model.mdp.discount();
  if (!model.added.empty()) {
    for (const std::int32_t s : model.added) json["new_states"].push_back(model.mdp.state_name(s));
  }
  return json;
}

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json json_of_pair(const mdp::Mdp& mdp, std::int32_t pair) {
  return {{"state", mdp.state_name(mdp.state_of_pair(pair))}, {"action", mdp.action_name_of_pair(pair)}};
}

Json json_of_price(const decide::BatchPrice& price) {
  return {{"steps", price.steps},
          {"explorers", price.explorers},
          {"draws", price.draws},
          {"worth", price.worth},
          {"standard_error", price.standard_error},
          {"cost", price.cost},
          {"net", price.net},
          {"interval", {price.interval.lower, price.interval.upper}},
          {"go_on", price.go_on()},
          {"certain", price.certain()}};
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mindgap::view
