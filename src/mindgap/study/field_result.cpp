#include "mindgap/study/field_result.h"

#include <nlohmann/json.hpp>

#include "mindgap/base/error.h"
#include "mindgap/study/whole_number.h"

namespace mindgap::study {
namespace {

using ResultJson = nlohmann::ordered_json;

const char* word_of(mdp::Censoring bound) {
  return bound == mdp::Censoring::at_most ? "at_most" : "at_least";
}

}  // namespace

std::string to_json(const FieldResult& result) {
  ResultJson json;
  json["unit"] = result.unit;
  json["step"] = result.step;
  if (result.state) json["state"] = *result.state;
  if (result.action) json["action"] = *result.action;
  if (result.reward) json["reward"] = *result.reward;
  if (result.bound != mdp::Censoring::none) json["bound"] = word_of(result.bound);
  if (result.next_state) json["next_state"] = *result.next_state;
  if (result.is_void) json["void"] = true;
  if (result.correct) json["correct"] = true;
  return json.dump();
}

FieldResult field_result_from(const std::string& text) {
  try {
    const auto json = ResultJson::parse(text);
    const auto name = [&](const char* key) {
      return json.contains(key) ? std::optional(json.at(key).get<std::string>()) : std::nullopt;
    };
    FieldResult result{.unit = json.at("unit").get<std::string>(), .step = whole_number(json.at("step"))};
    result.state = name("state");
    result.action = name("action");
    result.next_state = name("next_state");
    if (json.contains("reward")) result.reward = json.at("reward").get<double>();
    if (json.contains("bound"))
      result.bound = json.at("bound").get<std::string>() == "at_most" ? mdp::Censoring::at_most
                                                                      : mdp::Censoring::at_least;
    result.is_void = json.value("void", false);
    result.correct = json.value("correct", false);
    return result;
  } catch (const nlohmann::json::exception&) {
    throw StoreError("the study is damaged: a result that was sent is malformed");
  }
}

}  // namespace mindgap::study
