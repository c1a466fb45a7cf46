#include "mindgap/study/decisions.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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

}  // namespace mindgap::study
