#include "mindgap/study/verify.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "mindgap/base/error.h"
#include "mindgap/study/assign.h"
#include "mindgap/study/decisions.h"
#include "mindgap/study/schema.h"
#include "mindgap/study/store.h"

namespace mindgap::study {
namespace {

void require(bool good, const std::string& problem) {
  if (!good) throw StoreError(problem);
}

void check_chain(const Log& log, const LogHashes& hashes) {
  Chain chain;
  std::size_t event = 0, unit = 0, assignment = 0, observation = 0;
  for_each_event(log, [&](const Event& row, auto units, auto assignments, auto observations) {
    const auto same = [&](const Digest& wanted, const std::vector<Digest>& stored, std::size_t& at,
                          const char* what) {
      require(at < stored.size() && stored[at] == wanted,
              fmt::format("{} {} is not as it was written: its hash does not follow", what, at + 1));
      ++at;
    };
    same(chain.add(row), hashes.events, event, "event");
    for (const UnitRow& one : units) same(chain.add(one), hashes.units, unit, "unit");
    for (const AssignmentRow& one : assignments)
      same(chain.add(one), hashes.assignments, assignment, "assignment");
    for (const ObservationRow& one : observations)
      same(chain.add(one), hashes.observations, observation, "observation");
  });
}

// The version the file claims is the one its log says.
void check_version(const Log& log, std::int64_t version) {
  using Json = nlohmann::json;
  std::int64_t told = Json::parse(log.events.front().content).at("schema").get<std::int64_t>();
  for (const Event& event : log.events) {
    if (event.kind == "migrate") told = Json::parse(event.content).at("to").get<std::int64_t>();
  }
  require(told == version, fmt::format("the file says it is of version {}, its log {}", version, told));
}

void check_arms(const State& state, std::span<const UnitRow> units) {
  std::vector<std::int32_t> unit_state;
  for (const UnitRow& unit : units) unit_state.push_back(unit.state);
  const std::vector<Arm> arms = draw_arms(unit_state, state.options.control_share, state.options.seed);
  for (std::size_t u = 0; u < units.size(); ++u)
    require(units[u].arm == arms[u], fmt::format("unit {} is not in the arm it was drawn into", u + 1));
}

void check_assignments(const State& state, const Event& event, std::span<const AssignmentRow> stored) {
  const auto content = nlohmann::json::parse(event.content);
  const std::optional<std::int64_t> step =
      content.contains("step") ? std::optional(content["step"].get<std::int64_t>()) : std::nullopt;
  require(!update_is_due(state, step),
          fmt::format("event {} assigned by a policy that was to be updated", event.number));
  const std::vector<AssignmentRow> wanted = next_assignments(state, step);
  require(wanted.size() == stored.size(),
          fmt::format("event {} assigned {} units, but {} were to be assigned", event.number, stored.size(),
                      wanted.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    require(wanted[i] == stored[i], fmt::format("assignment {} does not follow from the log before it",
                                                state.assignments.size() + i + 1));
}

void check_deviations(const State& state, std::span<const ObservationRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t assignment = state.find_assignment(rows[i].unit, rows[i].step);
    require(assignment >= 0 && state.assignments[assignment].state == rows[i].state &&
                (state.assignments[assignment].action != rows[i].action) == rows[i].deviation,
            fmt::format("observation {} does not follow from the log before it",
                        state.observations.size() + i + 1));
  }
}

void check_decision(const State& state, const Event& event, int threads) {
  Event again;
  const auto content = nlohmann::json::parse(event.content);
  if (event.kind == "design") again = decide_design(state, threads);
  if (event.kind == "redesign")
    again = decide_redesign(state, summarise(state), content.at("explore").get<bool>(), threads);
  if (event.kind == "update") {
    require(update_is_due(state), fmt::format("event {}: no update was due", event.number));
    again = decide_update(state, threads);
  }
  if (event.kind == "stop") again = decide_stop(summarise(state), content.at("why").get<std::string>());
  require(again.content == event.content && again.data == event.data,
          fmt::format("event {} ({}) does not follow from the log before it", event.number, event.kind));
}

void check_events(const Log& log, Verification& result, int threads) {
  std::optional<State> state;
  for_each_event(log, [&](const Event& event, auto units, auto assignments, auto observations) {
    if (!state) state.emplace(begin(event));
    const std::string& kind = event.kind;
    const bool decision = kind == "design" || kind == "redesign" || kind == "update" || kind == "stop";
    require(decision || kind == "study" || kind == "assign" || kind == "record" || kind == "migrate",
            fmt::format("event {} is of no known kind", event.number));
    require((units.empty() || kind == "study") && (assignments.empty() || kind == "assign") &&
                (observations.empty() || kind == "record"),
            fmt::format("event {} has rows that are not its own", event.number));
    if (kind == "study") check_arms(*state, units);
    if (kind == "assign") check_assignments(*state, event, assignments);
    if (kind == "record") check_deviations(*state, observations);
    if (decision) check_decision(*state, event, threads);
    if (kind == "design" || kind == "redesign") ++result.designs;
    apply(*state, event, units, assignments, observations);
  });
  require(state.has_value(), "there is nothing in it");
}

}  // namespace

Verification verify(const std::filesystem::path& folder, int threads) {
  Verification result;
  Store store(folder, Access::read);
  try {
    const Transaction transaction(store.database(), false);
    const std::string integrity = store.integrity();
    require(integrity == "ok", "SQLite finds the file damaged: " + integrity);
    const std::string schema = schema_difference(store.database());
    require(schema.empty(), "the layout of the file was changed: " + schema);
    const Log log = store.read_log();
    require(!log.events.empty(), "there is nothing in it");
    check_chain(log, store.read_hashes());
    check_version(log, schema_version(store.database()));
    check_events(log, result, threads);
    result.events = static_cast<std::int64_t>(log.events.size());
    result.units = static_cast<std::int64_t>(log.units.size());
    result.assignments = static_cast<std::int64_t>(log.assignments.size());
    result.observations = static_cast<std::int64_t>(log.observations.size());
    result.head = hex(store.head());
    result.good = true;
  } catch (const Error& error) {
    result.problem = error.what();
  } catch (const nlohmann::json::exception& error) {
    result.problem = std::string("what an event says cannot be read: ") + error.what();
  }
  return result;
}

}  // namespace mindgap::study
