#include "mindgap/server/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mindgap/view/study_conflicts.h"

namespace mindgap::server {
namespace {

constexpr std::size_t kMostUnits = 20, kMostNextStates = 20;

const study::Author* author_at(const study::LiveLog& log, std::int64_t event) {
  return log.state.authors[static_cast<std::size_t>(event) - 1].get();
}

ApiJson text_or_null(const std::string& text) {
  return text.empty() ? ApiJson(nullptr) : ApiJson(text);
}

const char* bound_word(const study::ObservationRow& row) {
  return row.at_most ? "at_most" : "at_least";
}

study::FieldResult sent_of(const study::Event& event) {
  const auto content = ApiJson::parse(event.content, nullptr, false);
  if (!content.is_object() || !content.contains("sent")) return {};
  return study::field_result_from(content["sent"].dump());
}

std::string people_words(const study::Event& event) {
  const auto content = ApiJson::parse(event.content, nullptr, false);
  std::string text;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : "; ") + words; };
  for (const char* key : {"added", "changed"}) {
    if (!content.contains(key)) continue;
    for (const auto& person : content[key])
      add(fmt::format("{} {} ({})", key, person.value("name", ""), person.value("role", "")));
  }
  if (content.contains("removed")) {
    for (const auto& name : content["removed"]) add("removed " + name.get<std::string>());
  }
  return text;
}

// The most likely next states first.
ApiJson next_states(const mdp::Mdp& mdp, std::int32_t pair) {
  const mdp::Row row = mdp.row(pair);
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return row.probability[a] > row.probability[b]; });
  ApiJson names = ApiJson::array();
  for (std::size_t i = 0; i < std::min(order.size(), kMostNextStates); ++i)
    names.push_back(mdp.state_name(row.next_state[order[i]]));
  return names;
}

}  // namespace

ApiJson result_json(const study::LiveLog& log, std::int32_t observation, bool with_history) {
  const study::State& state = log.state;
  const study::ObservationRow& row = state.observations[observation];
  const std::int64_t event = state.event_of[observation];
  const study::Author* author = author_at(log, event);
  ApiJson json = {
      {"unit", state.units[row.unit].name},
      {"step", row.step},
      {"state", state.mdp().state_name(row.state)},
      {"action", state.mdp().action_name(row.action)},
      {"reward", row.has_reward ? ApiJson(row.reward) : ApiJson(nullptr)},
      {"bound", row.censored ? ApiJson(bound_word(row)) : ApiJson(nullptr)},
      {"next_state", row.next_state < 0 ? ApiJson(nullptr) : ApiJson(state.mdp().state_name(row.next_state))},
      {"void", row.is_void},
      {"deviation", row.deviation},
      {"event", event},
      {"who", author == nullptr ? ApiJson(nullptr) : ApiJson(author->who)},
      {"time", state.times[static_cast<std::size_t>(event) - 1]},
      {"at", author == nullptr ? ApiJson(nullptr) : text_or_null(author->at)},
      {"why", author == nullptr ? "" : author->why}};
  if (!with_history) return json;
  json["replaced"] = ApiJson::array();
  for (std::int64_t at = row.replaces; at >= 0;
       at = state.observations[static_cast<std::size_t>(at)].replaces)
    json["replaced"].insert(json["replaced"].begin(), result_json(log, static_cast<std::int32_t>(at), false));
  return json;
}

ApiJson assignment_json(const study::LiveLog& log, std::int32_t assignment, bool with_arm) {
  const study::State& state = log.state;
  const study::AssignmentRow& row = state.assignments[assignment];
  const std::int64_t event = state.issue[assignment];
  ApiJson json = {{"unit", state.units[row.unit].name},
                  {"step", row.step},
                  {"state", state.mdp().state_name(row.state)},
                  {"action", state.mdp().action_name(row.action)},
                  {"since", state.times[static_cast<std::size_t>(event) - 1]},
                  {"event", event}};
  if (with_arm) json["arm"] = study::to_string(row.arm);
  json["next_states"] = next_states(state.mdp(), study::pair_of(state.mdp(), row));
  json["result"] =
      state.result[assignment] < 0 ? ApiJson(nullptr) : result_json(log, state.result[assignment], false);
  json["conflicts"] = ApiJson::array();
  for (const study::Conflict& conflict : state.conflicts) {
    if (conflict.assignment == assignment && conflict.settled == 0)
      json["conflicts"].push_back(conflict.event);
  }
  return json;
}

ApiJson conflict_json(const study::LiveLog& log, const study::Conflict& conflict) {
  const study::State& state = log.state;
  const study::Author* author = author_at(log, conflict.event);
  ApiJson json = {{"conflict", conflict.event},
                  {"reason", conflict.reason},
                  {"unit", conflict.sent.unit},
                  {"step", conflict.sent.step},
                  {"sent", ApiJson::parse(study::to_json(conflict.sent))},
                  {"who", author == nullptr ? ApiJson(nullptr) : ApiJson(author->who)},
                  {"time", state.times[static_cast<std::size_t>(conflict.event) - 1]},
                  {"at", author == nullptr ? ApiJson(nullptr) : text_or_null(author->at)},
                  {"seen", author == nullptr ? ApiJson(nullptr) : ApiJson(author->seen)},
                  {"why", author == nullptr ? "" : author->why},
                  {"against", result_json(log, state.result[conflict.assignment], true)},
                  {"settled", nullptr}};
  if (conflict.settled == 0) return json;
  const study::Author* owner = author_at(log, conflict.settled);
  const auto content = ApiJson::parse(
      log.entries[static_cast<std::size_t>(conflict.settled) - 1].event.content, nullptr, false);
  json["settled"] = {{"event", conflict.settled},
                     {"who", owner == nullptr ? ApiJson(nullptr) : ApiJson(owner->who)},
                     {"time", state.times[static_cast<std::size_t>(conflict.settled) - 1]},
                     {"choose", content.value("choose", "")},
                     {"why", owner == nullptr ? "" : owner->why}};
  return json;
}

std::vector<std::string> units_of(const study::LiveLog& log, const study::LiveLog::Entry& entry) {
  const study::State& state = log.state;
  std::vector<std::string> names;
  const auto add = [&](std::int32_t unit) { names.push_back(state.units[unit].name); };
  for (std::int64_t i = 0; i < entry.event.assignments; ++i)
    add(state.assignments[entry.first_assignment + static_cast<std::size_t>(i)].unit);
  for (std::int64_t i = 0; i < entry.event.observations; ++i)
    add(state.observations[entry.first_observation + static_cast<std::size_t>(i)].unit);
  if (!names.empty()) return names;
  const std::string& kind = entry.event.kind;
  if (kind == "confirm" || kind == "conflict") return {sent_of(entry.event).unit};
  if (kind == "settle") {
    const auto content = ApiJson::parse(entry.event.content, nullptr, false);
    const study::Conflict* conflict = state.find_conflict(content.value("conflict", std::int64_t{0}));
    if (conflict != nullptr) return {conflict->sent.unit};
  }
  return {};
}

std::string summary_of(const study::LiveLog& log, const study::LiveLog::Entry& entry) {
  const study::Event& event = entry.event;
  const study::State& state = log.state;
  const auto content = ApiJson::parse(event.content, nullptr, false);
  if (event.kind == "record" && event.observations == 1)
    return view::result_in_words(state, state.observations[entry.first_observation]);
  if (event.kind == "record") return fmt::format("{} results", event.observations);
  if (event.kind == "confirm") return "the same again: " + view::result_in_words(sent_of(event));
  if (event.kind == "conflict") return "kept, not counted: " + view::result_in_words(sent_of(event));
  if (event.kind == "settle")
    return fmt::format("conflict {}: {}", content.value("conflict", std::int64_t{0}),
                       content.value("choose", ""));
  if (event.kind == "assign") return fmt::format("{} assignments", event.assignments);
  if (event.kind == "study") return fmt::format("the study begins with {} units", event.units);
  if (event.kind == "units") return fmt::format("{} units joined", event.units);
  if (event.kind == "design") return "the first design";
  if (event.kind == "redesign")
    return content.value("explore", true) ? "a new design" : "everybody follows the best policy by now";
  if (event.kind == "update") return "the current policy was found again";
  if (event.kind == "stop") return content.value("why", "");
  if (event.kind == "people") return people_words(event);
  return "";
}

ApiJson event_json(const study::LiveLog& log, const study::LiveLog::Entry& entry, const SeesUnit& sees) {
  const study::Event& event = entry.event;
  const study::Author* author = author_at(log, event.number);
  std::vector<std::string> units = units_of(log, entry);
  std::erase_if(units, [&](const std::string& unit) { return !sees(unit); });
  if (units.size() > kMostUnits) units.resize(kMostUnits);
  const bool known = author != nullptr;
  return {{"event", event.number},
          {"kind", event.kind},
          {"time", event.time},
          {"program", event.program},
          {"who", known ? ApiJson(author->who) : ApiJson(nullptr)},
          {"role", known ? ApiJson(author->role) : ApiJson(nullptr)},
          {"at", known ? text_or_null(author->at) : ApiJson(nullptr)},
          {"seen", known ? ApiJson(author->seen) : ApiJson(nullptr)},
          {"id", known ? text_or_null(author->id) : ApiJson(nullptr)},
          {"why", known ? author->why : ""},
          {"units", units},
          {"summary", summary_of(log, entry)}};
}

std::string csv_field(std::string text) {
  if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos)
    text.insert(0, "'");
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace mindgap::server
