#include "mindgap/view/json.h"

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
