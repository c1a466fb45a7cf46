#include "mindgap/study/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mindgap/files/log_file.h"
#include "mindgap/files/model_file.h"
#include "mindgap/files/output.h"
#include "mindgap/files/policy_file.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/study/export_folder.h"
#include "mindgap/study/state.h"

namespace mindgap::study {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const State& state, const UnitRow& row) {
  return {{"unit", row.name},
          {"state", state.mdp().state_name(row.state)},
          {"group", row.group.empty() ? Json(nullptr) : Json(row.group)},
          {"arm", to_string(row.arm)}};
}

Json json_of(const State& state, const AssignmentRow& row) {
  return {{"unit", state.units[row.unit].name},
          {"step", row.step},
          {"state", state.mdp().state_name(row.state)},
          {"action", state.mdp().action_name(row.action)},
          {"batch", row.batch},
          {"arm", to_string(row.arm)},
          {"route", row.route < 0 ? Json(nullptr) : Json(row.route)},
          {"draw_probability", row.draw_probability},
          {"probability", row.probability}};
}

Json json_of(const State& state, std::size_t i) {
  const ObservationRow& row = state.observations[i];
  const AssignmentRow& assigned = state.assignments[state.about[i]];
  const Author* author = state.authors[static_cast<std::size_t>(state.event_of[i]) - 1].get();
  Json json = {
      {"number", i + 1},
      {"unit", state.units[row.unit].name},
      {"step", row.step},
      {"state", state.mdp().state_name(row.state)},
      {"action", state.mdp().action_name(row.action)},
      {"assigned_action", state.mdp().action_name(assigned.action)},
      {"arm", to_string(assigned.arm)},
      {"batch", assigned.batch},
      {"probability", row.deviation ? Json(nullptr) : Json(assigned.probability)},
      {"reward", row.has_reward ? Json(row.reward) : Json(nullptr)},
      {"next_state", row.next_state < 0 ? Json(nullptr) : Json(state.mdp().state_name(row.next_state))},
      {"censored", row.at_most ? Json("at_most") : Json(row.censored)},
      {"status", row.is_void ? "void" : "ok"},
      {"deviation", row.deviation},
      {"replaces", row.replaces < 0 ? Json(nullptr) : Json(row.replaces + 1)},
      {"holds", state.holds(i)},
      {"event", state.event_of[i]},
      {"who", author == nullptr ? Json(nullptr) : Json(author->who)},
      {"why", author == nullptr || author->why.empty() ? Json(nullptr) : Json(author->why)}};
  return json;
}

Json json_of(const Event& event) {
  return {{"event", event.number},
          {"time", event.time},
          {"program", event.program},
          {"kind", event.kind},
          {"content", Json::parse(event.content, nullptr, false)}};
}

bool is_decision(const Event& event) {
  return event.kind != "assign" && event.kind != "record" && event.kind != "confirm";
}

class Lines {
 public:
  explicit Lines(const std::filesystem::path& path) : out_(path, path.filename().string()) {}
  void add(const Json& json) { out_.text(text_of(json)).text("\n"); }
  files::TextWriter& out() { return out_; }
  void close() { out_.close(); }

 private:
  files::TextWriter out_;
};

void write_units(const State& state, const std::filesystem::path& csv, const std::filesystem::path& jsonl) {
  Lines table(csv), lines(jsonl);
  table.out().text("unit,state,group,arm\n");
  for (const UnitRow& row : state.units) {
    table.out().field(row.name).text(",").field(state.mdp().state_name(row.state)).text(",").field(row.group);
    table.out().text(",").text(to_string(row.arm)).text("\n");
    lines.add(json_of(state, row));
  }
  table.close();
  lines.close();
}

// "unit,step,state,action," of an assignment or an observation.
template <typename Row>
void write_what(const State& state, const Row& row, files::TextWriter& out) {
  out.field(state.units[row.unit].name).text(",").number(std::int64_t{row.step}).text(",");
  out.field(state.mdp().state_name(row.state)).text(",");
  out.field(state.mdp().action_name(row.action)).text(",");
}

void write_assignments(const State& state, const std::filesystem::path& csv,
                       const std::filesystem::path& jsonl) {
  Lines table(csv), lines(jsonl);
  table.out().text("unit,step,state,action,batch,arm,route,draw_probability,probability\n");
  for (const AssignmentRow& row : state.assignments) {
    files::TextWriter& out = table.out();
    write_what(state, row, out);
    out.number(std::int64_t{row.batch}).text(",").text(to_string(row.arm)).text(",");
    if (row.route >= 0) out.number(std::int64_t{row.route});
    out.text(",").number(row.draw_probability).text(",").number(row.probability).text("\n");
    lines.add(json_of(state, row));
  }
  table.close();
  lines.close();
}

void write_observations(const State& state, const std::filesystem::path& jsonl) {
  Lines lines(jsonl);
  for (std::size_t i = 0; i < state.observations.size(); ++i) lines.add(json_of(state, i));
  lines.close();
}

// The results that count as evidence, and, where the study began with a log, that log's rows followed by
// them: a belief that reads this file in place of the log knows what the study knows, to the last bit.
void write_evidence(const State& state, const ExportFolder& folder) {
  const mdp::ObservationLog results = evidence_of(state);
  files::write_log(folder / "observations.csv", state.mdp(), results);
  std::optional<mdp::ObservationLog> all = log_before(state.model, state.options);
  if (!all) return;
  mdp::append(*all, results);
  files::write_log(folder / "evidence.csv", state.mdp(), *all);
}

// The study's model. A variance of one reward that was estimated from the log it began with is stated: read
// back, nobody is to estimate it again from more rows.
mdp::Model model_of(const State& state, const belief::Knowledge& known) {
  mdp::Model model = state.model;
  if (known.variance_estimated) model.reward_variance = known.variance.front();
  return model;
}

bool begins_with(const std::vector<Digest>& list, const std::vector<Digest>& beginning) {
  return beginning.size() <= list.size() && std::equal(beginning.begin(), beginning.end(), list.begin());
}

// A copy that was continued where it lies has rows that are nowhere else.
void check_behind(const std::filesystem::path& out, const Storage& copy, const LogHashes& hashes) {
  if (!copy.exists()) return;
  LogHashes there;
  try {
    copy.begin_reading()->read_log(&there);
  } catch (const StoreError& error) {
    throw StoreError(
        fmt::format("{}: holds a study that cannot be read, so that it may have been continued there; export "
                    "into another "
                    "folder or remove it ({})",
                    out.string(), error.what()));
  }
  if (!begins_with(hashes.events, there.events) || !begins_with(hashes.units, there.units) ||
      !begins_with(hashes.assignments, there.assignments) ||
      !begins_with(hashes.observations, there.observations))
    throw StoreError(out.string() +
                     ": the study there has entries that this one does not have (it was continued there, or "
                     "is another one); export into another folder");
}

void export_once(Transaction& moment, const std::filesystem::path& out, bool csv_safe) {
  LogHashes hashes;
  const Log log = moment.read_log(&hashes);
  const State state = replay(log);
  const std::unique_ptr<Storage> there = storage_at(out);
  ExportFolder staged(out, there->side_files());
  if (there->is_in_use())
    throw StoreError(out.string() + ": the copy of a study there is in use; export into another folder");
  check_behind(out, *there, hashes);
  moment.copy_to(staged.folder());
  std::optional<files::SafeForSpreadsheets> safe;
  if (csv_safe) safe.emplace();
  write_units(state, staged / "units.csv", staged / "units.jsonl");
  write_assignments(state, staged / "assignments.csv", staged / "assignments.jsonl");
  write_observations(state, staged / "observations.jsonl");
  write_evidence(state, staged);
  Lines decisions(staged / "decisions.jsonl");
  for (const Event& event : log.events) {
    if (is_decision(event)) decisions.add(json_of(event));
  }
  decisions.close();
  const belief::Knowledge known = knowledge_now(state);
  const mdp::Mdp mean = known.now.mean();
  files::write_policy(staged / "policy.csv", mean, mdp::solve(mean).policy);
  safe.reset();  // the model is to be read again
  files::write_model(model_of(state, known), staged / "model");
  if (!moment.overtaken()) staged.commit();
}

}  // namespace

void export_study(const Storage& storage, const std::filesystem::path& out, bool csv_safe) {
  // Only what an export wrote may be replaced, and a study is not that.
  if (storage.lies_in(out))
    throw StoreError(out.string() + ": is the study itself; export into another folder");
  const std::unique_ptr<Transaction> moment = storage.begin_reading();
  moment->steadily([&] {
    export_once(*moment, out, csv_safe);
    return true;
  });
}

std::string export_json(const Storage& storage) {
  const std::unique_ptr<Transaction> moment = storage.begin_reading();
  const Log log = moment->read_log();
  const State state = replay(log);
  std::string text = "{\"units\":[";
  const auto list = [&text](std::size_t size, auto item) {
    for (std::size_t i = 0; i < size; ++i) text.append(i == 0 ? "\n" : ",\n").append(text_of(item(i)));
  };
  list(state.units.size(), [&](std::size_t i) { return json_of(state, state.units[i]); });
  text += "],\n\"assignments\":[";
  list(state.assignments.size(), [&](std::size_t i) { return json_of(state, state.assignments[i]); });
  text += "],\n\"observations\":[";
  list(state.observations.size(), [&](std::size_t i) { return json_of(state, i); });
  text += "],\n\"decisions\":[";
  std::vector<Json> decisions;
  for (const Event& event : log.events) {
    if (is_decision(event)) decisions.push_back(json_of(event));
  }
  list(decisions.size(), [&](std::size_t i) { return decisions[i]; });
  return text + "]}\n";
}

}  // namespace mindgap::study
