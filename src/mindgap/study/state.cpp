#include "mindgap/study/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mindgap/base/error.h"
#include "mindgap/files/log_file.h"
#include "mindgap/mdp/extend_states.h"
#include "mindgap/mdp/observation_log.h"
#include "mindgap/study/model_blob.h"
#include "mindgap/study/whole_number.h"

namespace mindgap::study {
namespace {

void require_sound(bool good, const char* what) {
  if (!good) throw StoreError(fmt::format("the study is damaged: {}", what));
}

void add_unit(State& state, const UnitRow& row) {
  require_sound(row.state >= 0 && row.state < state.mdp().states(),
                "a unit begins in a state that is not there");
  require_sound(state.names.add(row.name) >= 0, "a unit is there twice");
  state.units.push_back(row);
  state.places.push_back({.state = row.state});
  state.assignments_of_unit.emplace_back();
  // Who comes later follows the design in force: explorers draw a route when they enter.
  for (Batch& batch : state.batches)
    batch.route_of_unit.push_back(row.arm == Arm::control ? Batch::kPolicy : Batch::kDrawn);
}

// The states that a record brought in: nothing is known of them, and no route leads through them. The policy
// there is the first action, until the next update.
void grow(State& state, const std::vector<std::string>& names) {
  if (names.empty()) return;
  const auto before = static_cast<std::size_t>(state.mdp().states());
  state.model = mdp::extend_states(state.model, names);
  const auto states = static_cast<std::size_t>(state.mdp().states());
  if (!state.options.coverage.empty())
    state.options.coverage.resize(static_cast<std::size_t>(state.mdp().pairs()), 0.0);
  const auto extend = [&](std::vector<std::int32_t>& policy) {
    for (std::size_t s = before; s < states; ++s) policy.push_back(state.mdp().pair_begin()[s]);
  };
  for (std::vector<std::int32_t>& policy : state.policies) extend(policy);
  for (Batch& batch : state.batches) {
    extend(batch.policy);
    batch.widen(state.mdp().states());
  }
}

void add_assignment(State& state, const AssignmentRow& row, std::int64_t event) {
  require_sound(row.unit >= 0 && row.unit < state.names.size(),
                "an assignment is of a unit that is not there");
  require_sound(row.batch >= 0 && row.batch < static_cast<std::int32_t>(state.batches.size()),
                "an assignment follows a design that is not there");
  require_sound(pair_of(state.mdp(), row) >= 0, "an assignment is of an action that is not available");
  const auto routes = static_cast<std::int32_t>(state.batches[row.batch].routes.size());
  require_sound(row.route >= Batch::kPolicy && row.route < routes,
                "an assignment follows a route that is not there");
  UnitPlace& place = state.places[row.unit];
  require_sound(row.step == place.next_step && !place.pending && row.state == place.state,
                "an assignment is not of its unit's next step");
  if (place.batch != row.batch) {
    place.batch = row.batch;
    place.entry_step = row.step;
    place.entry_state = row.state;
    place.route = row.route;
  }
  place.pending = true;
  ++place.next_step;
  state.assignments_of_unit[row.unit].push_back(static_cast<std::int32_t>(state.assignments.size()));
  state.assignments.push_back(row);
  state.result.push_back(-1);
  state.issue.push_back(static_cast<std::int32_t>(event));
  state.policy_of.push_back(static_cast<std::int32_t>(state.policies.size()) - 1);
}

void add_observation(State& state, const ObservationRow& row, std::int64_t event) {
  require_sound(row.unit >= 0 && row.unit < state.names.size(), "a result is of a unit that is not there");
  const std::int32_t assignment = state.find_assignment(row.unit, row.step);
  require_sound(assignment >= 0, "a result is of a step that was never assigned");
  require_sound(state.result[assignment] == row.replaces, "a result does not name the one it replaces");
  require_sound(pair_of(state.mdp(), row) >= 0, "a result is of an action that is not available");
  require_sound(row.next_state >= -1 && row.next_state < state.mdp().states(),
                "a result leads to a state that is not there");
  state.result[assignment] = static_cast<std::int32_t>(state.observations.size());
  state.about.push_back(assignment);
  state.event_of.push_back(static_cast<std::int32_t>(event));
  state.observations.push_back(row);
  UnitPlace& place = state.places[row.unit];
  if (row.step + 1 != place.next_step) return;  // about the past
  place.pending = false;
  place.state = row.next_state;
}

void add_policy(State& state, std::vector<std::int32_t> policy) {
  state.policies.push_back(std::move(policy));
  state.policy_results = static_cast<std::int64_t>(state.observations.size());
}

void add_key(State& state, const Event& event) {
  const auto content = nlohmann::json::parse(event.content, nullptr, false);
  require_sound(content.is_object() && content.contains("key") && content["key"].is_string(),
                "a signature names no key");
  const auto key = content["key"].get<std::string>();
  if (std::find(state.keys.begin(), state.keys.end(), key) == state.keys.end()) state.keys.push_back(key);
}

void add_author(State& state, const Event& event) {
  state.authors.push_back(author_of(event));
  const Author* author = state.authors.back().get();
  if (author == nullptr || author->id.empty()) return;
  require_sound(state.ids.emplace(author->id, event.number).second, "two events have the same id");
}

void add_conflict(State& state, const Event& event) {
  const auto content = nlohmann::ordered_json::parse(event.content, nullptr, false);
  require_sound(content.is_object() && content.contains("sent") && content.contains("reason") &&
                    content["reason"].is_string(),
                "a conflict has no result");
  Conflict conflict{event.number, content["reason"].get<std::string>(),
                    field_result_from(content["sent"].dump()), 0, 0};
  const std::int32_t unit = state.names.find(conflict.sent.unit);
  conflict.assignment = unit < 0 ? -1 : state.find_assignment(unit, conflict.sent.step);
  require_sound(conflict.assignment >= 0, "a conflict is about a step that was never assigned");
  state.conflicts.push_back(std::move(conflict));
}

void settle(State& state, const Event& event) {
  const auto content = nlohmann::json::parse(event.content, nullptr, false);
  require_sound(
      content.is_object() && content.contains("conflict") && content["conflict"].is_number_integer(),
      "a conflict that is settled is not named");
  const auto number = whole_number(content["conflict"]);
  const auto found = std::find_if(state.conflicts.begin(), state.conflicts.end(),
                                  [&](const Conflict& conflict) { return conflict.event == number; });
  require_sound(found != state.conflicts.end() && found->settled == 0,
                "a conflict is settled that is not there or was settled before");
  found->settled = event.number;
}

nlohmann::ordered_json person_json(const std::string& name, const Person& person) {
  nlohmann::ordered_json json = {{"name", name}, {"role", person.role}};
  if (!person.units.empty()) json["units"] = person.units;
  return json;
}

belief::Knowledge knowledge_of(const mdp::Model& model, const StudyOptions& options) {
  const std::optional<std::vector<double>> coverage =
      options.coverage.empty() ? std::nullopt : std::optional(options.coverage);
  belief::Knowledge knowledge =
      belief::gather_knowledge(model, coverage, log_before(model, options), options.prior);
  if (knowledge.variance.empty()) belief::ask_for_variance("a study");
  return knowledge;
}

belief::Knowledge with_results(const State& state, belief::Knowledge knowledge) {
  knowledge.now.observe(evidence_of(state));
  return knowledge;
}

}  // namespace

State begin(const Event& event) {
  require_sound(event.kind == "study", "it does not begin with its options");
  const StudyOptions options = options_from_json(event.content);
  require_sound(hex(sha256(event.data)) == options.model_sha256,
                "the model is not the one the study began with");
  State state{.id = hex(Chain().add(event)), .model = decode_model(event.data), .options = options};
  state.times.push_back(event.time);
  state.authors.push_back(nullptr);
  return state;
}

void apply(State& state, const Event& event, std::span<const UnitRow> units,
           std::span<const AssignmentRow> assignments, std::span<const ObservationRow> observations) {
  if (event.kind == "study") {
    require_sound(event.number == 1, "it begins twice");
  } else {
    state.times.push_back(event.time);
    add_author(state, event);
  }
  for (const UnitRow& row : units) add_unit(state, row);
  if (event.kind == "units") state.joined += static_cast<std::int64_t>(units.size());
  if (event.kind == "record" || event.kind == "settle") grow(state, new_states_of(event));
  if (event.kind == "design" || event.kind == "redesign") {
    state.batches.push_back(decode_batch(event.data, state.mdp(), state.units.size()));
    add_policy(state, state.batches.back().policy);
    for (UnitPlace& place : state.places) place.design_state = place.state;
  }
  if (event.kind == "update") add_policy(state, decode_policy(event.data, state.mdp()));
  for (const AssignmentRow& row : assignments) add_assignment(state, row, event.number);
  for (const ObservationRow& row : observations) add_observation(state, row, event.number);
  if (event.kind == "conflict") add_conflict(state, event);
  if (event.kind == "settle") settle(state, event);
  if (event.kind == "people") state.people = people_after(std::move(state.people), event);
  if (event.kind == "assign") state.last_issue = static_cast<std::int32_t>(event.number);
  if (event.kind == "record") ++state.records;
  state.ends_signed = event.kind == "signature";
  if (state.ends_signed) add_key(state, event);
  if (event.kind == "stop") {
    state.stopped = true;
    const auto content = nlohmann::json::parse(event.content, nullptr, false);
    require_sound(content.is_object() && content.contains("why") && content["why"].is_string(),
                  "a stop gives no reason");
    state.why = content["why"].get<std::string>();
  }
}

std::vector<std::string> new_states_of(const Event& event) {
  if (event.content.find("\"new_states\"") == std::string::npos) return {};
  const auto content = nlohmann::json::parse(event.content, nullptr, false);
  if (!content.is_object() || !content.contains("new_states")) return {};
  require_sound(content["new_states"].is_array(), "new states are not a list");
  std::vector<std::string> names;
  for (const auto& name : content["new_states"]) {
    require_sound(name.is_string(), "a new state has no name");
    names.push_back(name.get<std::string>());
  }
  return names;
}

const Conflict* State::find_conflict(std::int64_t event) const {
  const auto found = std::find_if(conflicts.begin(), conflicts.end(),
                                  [&](const Conflict& conflict) { return conflict.event == event; });
  return found == conflicts.end() ? nullptr : &*found;
}

std::int64_t State::open_conflicts() const {
  return std::count_if(conflicts.begin(), conflicts.end(),
                       [](const Conflict& conflict) { return conflict.settled == 0; });
}

std::map<std::string, Person> people_after(std::map<std::string, Person> people, const Event& event) {
  try {
    const auto content = nlohmann::json::parse(event.content);
    for (const auto& name : content.value("removed", nlohmann::json::array()))
      people.erase(name.get<std::string>());
    for (const char* key : {"added", "changed"}) {
      for (const auto& person : content.value(key, nlohmann::json::array()))
        people[person.at("name").get<std::string>()] = {person.at("role").get<std::string>(),
                                                        person.value("units", std::vector<std::string>{})};
    }
    return people;
  } catch (const nlohmann::json::exception&) {
    throw StoreError(fmt::format("the study is damaged: event {} names people wrongly", event.number));
  }
}

std::string people_change(const std::map<std::string, Person>& before,
                          const std::map<std::string, Person>& after) {
  nlohmann::ordered_json change = nlohmann::ordered_json::object();
  for (const auto& [name, person] : after) {
    const auto old = before.find(name);
    if (old != before.end() && old->second == person) continue;
    change[old == before.end() ? "added" : "changed"].push_back(person_json(name, person));
  }
  for (const auto& [name, person] : before) {
    if (!after.contains(name)) change["removed"].push_back(name);
  }
  return change.empty() ? "" : change.dump();
}

State replay(const Log& log) {
  require_sound(!log.events.empty(), "there is nothing in it");
  State state = begin(log.events.front());
  state.units.reserve(log.units.size());
  state.assignments.reserve(log.assignments.size());
  state.observations.reserve(log.observations.size());
  for_each_event(log, [&](const Event& event, auto units, auto assignments, auto observations) {
    apply(state, event, units, assignments, observations);
  });
  // A study begins in one transaction with its first design: what reads a state may rely on it.
  require_sound(!state.batches.empty(), "it has no design");
  return state;
}

std::optional<mdp::ObservationLog> log_before(const mdp::Model& model, const StudyOptions& options) {
  if (options.log.empty()) return std::nullopt;
  return files::parse_log({"the study's log of earlier observations", options.log, {}}, model.mdp);
}

mdp::ObservationLog evidence_of(const State& state) {
  mdp::ObservationLog log;
  log.units = state.names;
  for (std::size_t i = 0; i < state.observations.size(); ++i) {
    const ObservationRow& row = state.observations[i];
    if (row.is_void || row.deviation || !state.holds(i) || (!row.has_reward && row.next_state < 0)) continue;
    const bool bound = row.has_reward && row.censored;
    log.unit.push_back(row.unit);
    log.step.push_back(row.step);
    log.pair.push_back(pair_of(state.mdp(), row));
    log.reward.push_back(row.has_reward ? row.reward : mdp::ObservationLog::kNoReward);
    log.next_state.push_back(row.next_state < 0 ? mdp::ObservationLog::kNoState : row.next_state);
    log.probability.push_back(state.assignments[state.about[i]].probability);
    log.censored.push_back(!bound        ? mdp::Censoring::none
                           : row.at_most ? mdp::Censoring::at_most
                                         : mdp::Censoring::at_least);
  }
  return log;
}

belief::Knowledge knowledge_before(const State& state) {
  return knowledge_of(state.model, state.options);
}

belief::Knowledge knowledge_now(const State& state) {
  return with_results(state, knowledge_before(state));
}

}  // namespace mindgap::study
