#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "mindgap/study/plan.h"
#include "mindgap/view/study.h"
#include "mindgap/view/study_conflicts.h"

namespace mindgap::view {
namespace {

constexpr std::size_t kListedPairs = 20;

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of_waiting(const study::State& state, const std::vector<study::Waiting>& waiting) {
  Json list = Json::array();
  for (const study::Waiting& one : waiting) {
    list.push_back({{"unit", state.units[one.unit].name},
                    {"step", one.step},
                    {"missing", one.place_unknown ? "next_state" : "result"},
                    {"since", one.since}});
  }
  return list;
}

Json json_of_flagged(const study::State& state, const study::Summary& summary) {
  Json list = Json::array();
  for (const study::PairEvidence& one : summary.flagged) {
    Json item = json_of_pair(state.mdp(), one.pair);
    item["count"] = std::max(one.rewards, one.moves);
    item["simulated_reward"] = state.mdp().reward()[one.pair];
    item["mean_reward"] = one.rewards > 0 ? Json(one.mean_reward) : Json(nullptr);
    item["p_value"] = one.p_value;
    item["p_benjamini_hochberg"] = one.adjusted;
    item["log_e_reward"] = finite_or_null(one.log_reward);
    item["log_e_transition"] = finite_or_null(one.log_transition);
    list.push_back(item);
  }
  return list;
}

Json json_of_drift(const study::State& state, const study::Drift& drift) {
  Json json = {
      {"batches", drift.batches}, {"log_e", drift.log_e}, {"p_value", drift.p_value}, {"alarm", drift.alarm}};
  json["pairs"] = Json::array();
  for (std::size_t i = 0; i < std::min(drift.pairs.size(), kListedPairs); ++i) {
    Json item = json_of_pair(state.mdp(), drift.pairs[i].pair);
    item["log_e"] = drift.pairs[i].log_e;
    item["mean_before"] = drift.pairs[i].mean_before;
    item["mean_last"] = drift.pairs[i].mean_last;
    json["pairs"].push_back(item);
  }
  return json;
}

Json json_of_permutation(const study::Difference& difference) {
  if (!difference.permutation) return nullptr;
  const study::Permutation& test = *difference.permutation;
  return {{"p_value", test.p_value},
          {"p_all_looks", test.adjusted},
          {"method", test.exact ? "exact" : "approximate"},
          {"arrangements", test.arrangements}};
}

Json json_of_units(const study::State& state, std::size_t first) {
  Json units = Json::array();
  for (std::size_t u = first; u < state.units.size(); ++u) {
    const study::UnitRow& unit = state.units[u];
    units.push_back(
        {{"unit", unit.name}, {"state", state.mdp().state_name(unit.state)}, {"arm", to_string(unit.arm)}});
  }
  return units;
}

Json json_of_arms(const study::Summary& summary) {
  const study::SampleRatio& ratio = summary.ratio;
  const study::Difference& difference = summary.difference;
  Json json;
  json["sample_ratio"] = {
      {"assigned", {{"explore", ratio.assigned_explore}, {"control", ratio.assigned_control}}},
      {"results", {{"explore", ratio.results_explore}, {"control", ratio.results_control}}},
      {"due_steps", ratio.due_steps},
      {"short", {{"explore", ratio.short_explore}, {"control", ratio.short_control}}},
      {"p_value", ratio.p_value},
      {"alarm", ratio.alarm}};
  Json interval = nullptr;
  if (difference.interval) interval = {difference.interval->lower, difference.interval->upper};
  const bool some = difference.steps > 0;
  json["difference_to_control"] = {{"steps", difference.steps},
                                   {"explore", some ? Json(difference.explore) : Json(nullptr)},
                                   {"control", some ? Json(difference.control) : Json(nullptr)},
                                   {"difference", some ? Json(difference.difference) : Json(nullptr)},
                                   {"interval", interval},
                                   {"permutation", json_of_permutation(difference)}};
  return json;
}

enum class Odd { deviation, move, reward };

Json json_of_oddities(const study::State& state, const std::vector<study::Oddity>& odd, Odd kind) {
  Json list = Json::array();
  for (const study::Oddity& one : odd) {
    Json item = {{"unit", state.units[one.unit].name},
                 {"step", one.step},
                 {"state", state.mdp().state_name(one.state)},
                 {"action", state.mdp().action_name(one.action)}};
    if (kind == Odd::move) item["next_state"] = state.mdp().state_name(one.next_state);
    if (kind == Odd::deviation) item["assigned_action"] = state.mdp().action_name(one.assigned_action);
    if (kind == Odd::reward) item["reward"] = one.reward;
    list.push_back(item);
  }
  return list;
}

}  // namespace

Json json_of(const study::Begun& begun) {
  const study::State& state = begun.state;
  const study::Batch& batch = state.batches.back();
  Json json = json_of_model(state.model);
  json["horizon"] = state.options.horizon;
  json["update_every"] = state.options.update_every;
  json["control_share"] = state.options.control_share;
  json["seed"] = state.options.seed;
  json["units"] = json_of_units(state, 0);
  json["batch_steps"] = batch.steps;
  json["routes"] = batch.routes.size();
  json["pvv_before"] = batch.before;
  json["pvv_after"] = batch.after;
  json["expected_loss"] = batch.expected_loss;
  json["plan"] = state.options.plan.empty()
                     ? Json(nullptr)
                     : Json(study::parse_plan(state.options.plan, "the study's plan", state.mdp()).name);
  json["model_sha256"] = state.options.model_sha256;
  json["warnings"] = warnings_of(begun);
  json["head"] = begun.after.head;
  return json;
}

Json json_of(const study::Joined& joined) {
  return {{"units", json_of_units(joined.state, joined.first)},
          {"all_units", joined.state.units.size()},
          {"compared_units", joined.state.founding()},
          {"head", joined.after.head}};
}

std::string written_json(const study::Assigned& assigned) {
  const study::State& state = assigned.state;
  const mdp::Mdp& mdp = state.mdp();
  std::vector<std::string> places, actions;  // in JSON, once each
  for (std::int32_t s = 0; s < mdp.states(); ++s) places.push_back(quoted(mdp.state_name(s)));
  for (std::int32_t a = 0; a < mdp.actions(); ++a) actions.push_back(quoted(mdp.action_name(a)));
  std::string text = "{\n  \"assignments\": [";
  const char* between = "\n";
  for (const std::int32_t i : assigned.assignments) {
    const study::AssignmentRow& row = state.assignments[i];
    fmt::format_to(
        std::back_inserter(text),
        "{}    {{\"unit\": {}, \"step\": {}, \"state\": {}, \"action\": {}, \"route\": {}, \"arm\": \"{}\", "
        "\"probability\": {}, \"draw_probability\": {}, \"batch\": {}}}",
        between, quoted(state.units[row.unit].name), row.step, places[row.state], actions[row.action],
        row.route < 0 ? "null" : std::to_string(row.route), to_string(row.arm), Json(row.probability).dump(),
        Json(row.draw_probability).dump(), row.batch);
    between = ",\n";
  }
  const Json rest = {{"new", assigned.added},
                     {"updated", assigned.updated},
                     {"waiting", json_of_waiting(state, assigned.waiting)},
                     {"finished", assigned.finished},
                     {"head", assigned.after.head}};
  return text + "\n  ]," + rest.dump(2, ' ', false, Json::error_handler_t::replace).substr(1);
}

Json json_of(const study::Recorded& recorded) {
  const study::Results& results = recorded.results;
  const study::State& state = recorded.state;
  Json deviations = Json::array(), impossible = Json::array(), far = Json::array();
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const study::ObservationRow& row = results.rows[i];
    if (!row.deviation) continue;
    const std::int32_t assigned = state.find_assignment(row.unit, row.step);
    deviations.push_back({{"line", results.lines[i]},
                          {"unit", state.units[row.unit].name},
                          {"step", row.step},
                          {"action", state.mdp().action_name(row.action)},
                          {"assigned_action", state.mdp().action_name(state.assignments[assigned].action)}});
  }
  for (const std::size_t i : results.impossible) {
    const study::ObservationRow& row = results.rows[i];
    impossible.push_back({{"line", results.lines[i]},
                          {"unit", state.units[row.unit].name},
                          {"step", row.step},
                          {"state", state.mdp().state_name(row.state)},
                          {"action", state.mdp().action_name(row.action)},
                          {"next_state", state.mdp().state_name(row.next_state)}});
  }
  for (const std::size_t i : results.far) {
    const study::ObservationRow& row = results.rows[i];
    far.push_back({{"line", results.lines[i]},
                   {"unit", state.units[row.unit].name},
                   {"step", row.step},
                   {"state", state.mdp().state_name(row.state)},
                   {"action", state.mdp().action_name(row.action)},
                   {"reward", row.reward}});
  }
  return {{"recorded", results.rows.size()},
          {"already", results.already},
          {"completed", results.completed},
          {"corrected", results.corrected},
          {"deviations", deviations},
          {"impossible", impossible},
          {"far_rewards", far},
          {"new_states", results.new_states},
          {"head", recorded.after.head}};
}

Json json_of(const study::Status& status) {
  const study::Summary& s = status.summary;
  Json json = json_of_model(status.state.model);
  json["phase"] = to_string(s.phase);
  json["why"] = s.why.empty() ? Json(nullptr) : Json(s.why);
  json["units"] = s.units;
  json["controls"] = s.controls;
  json["horizon"] = s.horizon;
  json["designs"] = s.batches;
  json["updates"] = s.updates;
  json["batch_steps"] = s.batch_steps;
  json["steps_done"] = {s.least_step, s.most_step};
  json["assigned"] = s.assigned;
  json["results"] = s.results;
  json["pending"] = s.pending;
  json["void"] = s.void_results;
  json["censored"] = s.censored;
  json["partial"] = s.partial;
  json["replaced"] = s.replaced;
  json["waiting"] = json_of_waiting(status.state, s.waiting);
  json["open_conflicts"] = s.open_conflicts;
  json["conflicts"] = json_of_conflicts(status.state);
  json["deviations"] = json_of_oddities(status.state, s.deviating, Odd::deviation);
  json["impossible"] = json_of_oddities(status.state, s.impossible_moves, Odd::move);
  json["far_rewards"] = json_of_oddities(status.state, s.far_rewards, Odd::reward);
  json["mean_reward"] = s.mean_reward;
  json["simulator_value"] = s.simulator_value;
  json["policy_value_now"] = s.policy_value_now;
  json["best_value_now"] = s.best_value_now;
  json["changed_states"] = s.changed_states;
  json["pairs"] = Json::array();
  for (const study::PairSummary& pair : s.pairs) {
    Json item = json_of_pair(status.state.mdp(), pair.pair);
    item["count"] = pair.seen;
    item["simulated_reward"] = pair.simulated_reward;
    item["reward_mean"] = pair.mean_reward;
    item["reward_sd"] = pair.reward_sd;
    item["transition_strength"] = pair.transition_strength;
    json["pairs"].push_back(item);
  }
  json["flagged"] = json_of_flagged(status.state, s);
  json["level"] = s.level;
  json["drift"] = json_of_drift(status.state, s.drift);
  json.update(json_of_arms(s));
  json["next_batch"] = json_of_price(s.price);
  json["experiment_pays"] = s.experiment_pays;
  json["decisions"] = Json::array();
  for (const study::Decision& one : s.decisions)
    json["decisions"].push_back({{"event", one.event},
                                 {"time", one.time},
                                 {"kind", one.kind},
                                 {"content", Json::parse(one.content, nullptr, false)}});
  json["warnings"] = warnings_of(status);
  json["head"] = status.after.head;
  return json;
}

Json json_of(const study::Redesigned& redesigned) {
  const study::State& state = redesigned.state;
  const study::Batch& batch = state.batches.back();
  return {{"designs", state.batches.size()},
          {"stopped", state.stopped},
          {"why", state.stopped ? Json(state.why) : Json(nullptr)},
          {"batch_steps", batch.steps},
          {"routes", batch.routes.size()},
          {"pvv_before", batch.before},
          {"pvv_after", batch.after},
          {"expected_loss", batch.expected_loss},
          {"look", Json::parse(study::look_json(redesigned.look))},
          {"head", redesigned.after.head}};
}

Json json_of(const study::Verification& v, bool since_head) {
  Json json = {{"verified", v.good},
               {"problem", v.good ? Json(nullptr) : Json(v.problem)},
               {"events", v.events},
               {"units", v.units},
               {"designs", v.designs},
               {"assignments", v.assignments},
               {"observations", v.observations},
               {"head", v.head},
               {"anchors", v.anchors},
               {"signatures", v.signatures},
               {"keys", v.keys},
               {"ok", v.good}};
  if (since_head) json["events_since_head"] = v.events_since ? Json(*v.events_since) : Json(nullptr);
  return json;
}

}  // namespace mindgap::view
