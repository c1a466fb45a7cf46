#include "mindgap/study/decisions.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mindgap/base/error.h"
#include "mindgap/study/assign.h"

namespace mindgap::study {
namespace {

using Json = nlohmann::ordered_json;

Event design_event(std::string kind, const Batch& batch, bool explore, const Json& look) {
  Json json;
  json["explore"] = explore;
  json["steps"] = batch.steps;
  json["routes"] = batch.routes.size();
  json["pvv_before"] = batch.before;
  json["pvv_after"] = batch.after;
  json["relative_gap"] = batch.relative_gap;
  json["expected_loss"] = batch.expected_loss;
  json["look"] = look;
  return {.kind = std::move(kind), .content = json.dump(), .data = encode_batch(batch)};
}

}  // namespace

bool is_decision(std::string_view kind) {
  return kind == "design" || kind == "redesign" || kind == "update" || kind == "stop";
}

Event decide_design(const State& state, int threads) {
  const Batch batch = make_batch(state, true, threads);
  return design_event("design", batch, state.options.plan.empty() || !batch.routes.empty(), nullptr);
}

Event decide_redesign(const State& state, const Summary& look, bool explore, int threads) {
  return design_event("redesign", make_batch(state, explore, threads), explore, Json::parse(look_json(look)));
}

Event decide_update(const State& state, int threads) {
  const std::vector<std::int32_t> policy = best_policy(state, threads), &old = state.policies.back();
  std::int64_t changed = 0, step = 0;
  for (std::size_t s = 0; s < policy.size(); ++s) changed += policy[s] != old[s];
  for (const UnitPlace& place : state.places) step = std::max<std::int64_t>(step, place.next_step);
  Json json;
  json["step"] = step;
  json["results"] = state.observations.size();
  json["changed_states"] = changed;
  return {.kind = "update", .content = json.dump(), .data = encode_policy(policy)};
}

Event decide_stop(const Summary& look, const std::string& why) {
  Json json;
  json["why"] = why;
  json["look"] = Json::parse(look_json(look));
  return {.kind = "stop", .content = json.dump()};
}

Event with_as_of(Event event, std::int64_t as_of, std::int64_t number) {
  if (as_of == number - 1) return event;
  Json json = Json::parse(event.content);
  json["as_of"] = as_of;
  event.content = json.dump();
  return event;
}

std::int64_t as_of(const Event& event) {
  const std::int64_t before = event.number - 1;
  if (event.content.find("\"as_of\"") == std::string::npos) return before;
  const Json json = Json::parse(event.content, nullptr, false);
  if (!json.is_object() || !json.contains("as_of")) return before;
  if (!json["as_of"].is_number_integer())
    throw StoreError("the study is damaged: a decision names no event that it knows");
  return json["as_of"].get<std::int64_t>();
}

bool still_holds(const State& then, const State& now) {
  if (then.assignments.size() != now.assignments.size() || then.units.size() != now.units.size() ||
      then.batches.size() != now.batches.size() || then.policies.size() != now.policies.size() ||
      then.mdp().states() != now.mdp().states() || then.stopped != now.stopped)
    return false;
  for (std::size_t u = 0; u < then.units.size(); ++u) {
    // Whoever was out is drawn on entering the design, wherever they are then.
    const bool was_out = then.places[u].pending || then.places[u].state < 0;
    if (!was_out && then.places[u].state != now.places[u].state) return false;
  }
  return true;
}

}  // namespace mindgap::study
