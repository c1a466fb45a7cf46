#include "mindgap/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "mindgap/base/error.h"
#include "mindgap/base/remedy.h"
#include "mindgap/files/csv.h"
#include "mindgap/files/model_file.h"
#include "mindgap/files/named_file.h"
#include "mindgap/files/place.h"
#include "mindgap/files/text_file.h"
#include "mindgap/mdp/extend_states.h"
#include "mindgap/study/assign.h"
#include "mindgap/study/decisions.h"
#include "mindgap/study/model_blob.h"

namespace mindgap::study {
namespace {

Event signed_by(const Writer& writer, Event event) {
  event.time = writer.time;
  event.program = writer.program;
  return event;
}

Event event_of(const Writer& writer, std::string kind, std::string content, std::string data = {}) {
  return signed_by(writer, {.kind = std::move(kind), .content = std::move(content), .data = std::move(data)});
}

// Adds to the log and to the state alike, so that the two cannot part.
void append(Transaction& transaction, State& state, Event event,
            const std::vector<AssignmentRow>& assignments, const std::vector<ObservationRow>& observations,
            const std::vector<UnitRow>& units = {}) {
  transaction.append(event, units, assignments, observations);
  event.number = static_cast<std::int64_t>(state.times.size()) + 1;
  apply(state, event, units, assignments, observations);
}

Anchor anchor_of(Transaction& transaction, const State& state, const std::string& time) {
  return {state.id, transaction.events(), hex(transaction.head()), time};
}

// The log as it is before a writer adds to it.
State begin_writing(Transaction& transaction, const Writer& writer) {
  State state = replay(transaction.read_log());
  if (!state.keys.empty() && !writer.key)
    throw InvalidArgument(fmt::format("the study is signed: say which key signs what is added ({})",
                                      base::how_to(base::Remedy::give_key)));
  refuse_changed_model(state);
  return state;
}

// Signs the log with what was added, where the writer has a key, and commits.
Anchor seal(Transaction& transaction, State& state, const Writer& writer) {
  if (writer.key && !state.ends_signed) {
    std::string content = signature_content(*writer.key, hex(transaction.head()), transaction.events());
    append(transaction, state, event_of(writer, "signature", std::move(content)), {}, {});
  }
  Anchor after = anchor_of(transaction, state, writer.time);
  transaction.commit();
  return after;
}

// The record's event says which states are new.
std::string record_content(const ResultOptions& options, const Results& results) {
  nlohmann::ordered_json content;
  content["correct"] = options.correct;
  if (!results.new_states.empty()) content["new_states"] = results.new_states;
  return content.dump();
}

void refuse_stopped(const State& state, const char* what) {
  if (state.stopped)
    throw InvalidArgument(fmt::format("the study was stopped ({}): {}", base::printable(state.why), what));
}

bool is_blank(std::string_view text) {
  constexpr std::string_view kNoBreak = "\xc2\xa0";
  while (!text.empty()) {
    if (text.starts_with(kNoBreak)) {
      text.remove_prefix(kNoBreak.size());
    } else if (std::string_view(" \t\n\v\f\r").find(text.front()) != std::string_view::npos) {
      text.remove_prefix(1);
    } else {
      return false;
    }
  }
  return true;
}

// Whether units of one state are in both arms.
bool arms_are_drawn(const std::vector<UnitRow>& units) {
  std::map<std::int32_t, Arm> first;
  return std::any_of(units.begin(), units.end(), [&](const UnitRow& unit) {
    return first.emplace(unit.state, unit.arm).first->second != unit.arm;
  });
}

// Too few units in an arm, or arms that nobody drew: the two can hardly be compared.
std::optional<ArmsProblem> problem_of_arms(const std::vector<UnitRow>& units, bool planned) {
  const std::int64_t controls =
      std::count_if(units.begin(), units.end(), [](const UnitRow& unit) { return unit.arm == Arm::control; });
  const auto explorers = static_cast<std::int64_t>(units.size()) - controls;
  if (controls == 0) return ArmsProblem::no_control;
  if (explorers == 0) return ArmsProblem::no_explorer;
  if (planned && !arms_are_drawn(units)) return ArmsProblem::not_drawn;
  if (std::min(controls, explorers) < kFewest) return ArmsProblem::too_small;
  return std::nullopt;
}

void list_waiting(const State& state, Assigned& answer, std::optional<std::int64_t> step) {
  for (std::size_t u = 0; u < state.units.size(); ++u) {
    const UnitPlace& place = state.places[u];
    if (!place.pending && place.next_step >= state.options.horizon) ++answer.finished;
    const auto& steps = state.assignments_of_unit[u];
    if (steps.empty() || (place.state >= 0 && !place.pending)) continue;
    const std::int32_t last = steps.back();
    if (!place.pending && place.next_step >= state.options.horizon) continue;
    const bool listed =
        step ? place.next_step > *step : place.pending && state.issue[last] == state.last_issue;
    if (listed) continue;
    answer.waiting.push_back({static_cast<std::int32_t>(u), place.next_step - 1, !place.pending,
                              state.times[static_cast<std::size_t>(state.issue[last]) - 1]});
  }
}

void list_assignments(const State& state, Assigned& answer, std::optional<std::int64_t> step) {
  for (std::size_t u = 0; u < state.units.size(); ++u) {
    const auto& steps = state.assignments_of_unit[u];
    if (step) {
      const std::int32_t found = state.find_assignment(static_cast<std::int32_t>(u), *step);
      if (found >= 0) answer.assignments.push_back(found);
    } else if (state.places[u].pending && state.issue[steps.back()] == state.last_issue) {
      answer.assignments.push_back(steps.back());
    }
  }
}

}  // namespace

std::vector<UnitRow> read_units(const files::TextFile& file, const mdp::Mdp& mdp) {
  files::CsvReader reader(file.text, file.name, {"unit", "state"}, {"group"});
  const mdp::NameTable states = mdp::names_or_numbers(mdp.labels().states, mdp.states());
  const std::size_t unit_column = reader.column("unit"), state_column = reader.column("state");
  const auto group_column = reader.find_column("group");
  mdp::NameTable names;
  std::vector<UnitRow> units;
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view name = reader.field(i, unit_column), place = reader.field(i, state_column);
      if (name.empty() || !mdp::is_clean_utf8(name))
        reader.fail(i, "the unit must have a name in UTF-8", {.value = files::excerpt(name)});
      if (names.add(name) < 0) reader.fail(i, "the unit has a second line", {.value = files::excerpt(name)});
      const std::int32_t state = states.find(place);
      if (state < 0) reader.fail(i, "the state is unknown", {.value = files::excerpt(place)});
      const std::string_view group = group_column ? reader.field(i, *group_column) : "";
      if (!mdp::is_clean_utf8(group))
        reader.fail(i, "the group must be UTF-8", {.value = files::excerpt(group)});
      units.push_back({std::string(name), state, std::string(group), Arm::explore});
    }
  }
  if (units.empty()) throw InvalidModel("there are no units", {.file = file.name});
  if (units.size() > 1'000'000)
    throw InvalidModel("there are more than 1,000,000 units", {.file = file.name});
  return units;
}

Begun begin_study(const Storage& storage, const mdp::Model& model, std::vector<UnitRow> units,
                  StudyOptions options, const Writer& writer, int threads) {
  options.validate();
  storage.check_free();
  std::vector<std::int32_t> unit_state;
  unit_state.reserve(units.size());
  for (const UnitRow& unit : units) unit_state.push_back(unit.state);
  const std::vector<Arm> arms = draw_arms(unit_state, options, model.mdp);
  for (std::size_t u = 0; u < units.size(); ++u) units[u].arm = arms[u];
  Event first = event_of(writer, "study", "", encode_model(model));
  options.model_sha256 = hex(sha256(first.data));
  first.content = to_json(options);
  first.number = 1;
  first.units = static_cast<std::int64_t>(units.size());
  State state = begin(first);
  apply(state, first, units, {}, {});
  Event second = signed_by(writer, decide_design(state, threads));
  second.number = 2;
  apply(state, second, {}, {}, {});

  const std::unique_ptr<Transaction> transaction = storage.begin(Access::create, writer);
  transaction->append(first, units, {}, {});
  transaction->append(second, {}, {}, {});
  const Anchor after = seal(*transaction, state, writer);
  const std::optional<ArmsProblem> problem = problem_of_arms(units, !state.options.plan.empty());
  return {std::move(state), after, problem};
}

Assigned assign(const Storage& storage, std::optional<std::int64_t> step, const Writer& writer, int threads) {
  const std::unique_ptr<Transaction> transaction = storage.begin(Access::write, writer);
  State state = begin_writing(*transaction, writer);
  refuse_stopped(state, "there is nothing to assign; everybody follows the current policy");
  if (step && (*step < 0 || *step >= state.options.horizon)) {
    throw InvalidArgument(
        fmt::format("assign: step is {}, but the study has steps 0 to {}", *step, state.options.horizon - 1));
  }
  const bool updated = update_is_due(state, step);
  if (updated) append(*transaction, state, signed_by(writer, decide_update(state, threads)), {}, {});
  const std::vector<AssignmentRow> rows = next_assignments(state, step);
  if (!rows.empty()) {
    append(*transaction, state,
           event_of(writer, "assign", step ? fmt::format("{{\"step\":{}}}", *step) : "{}"), rows, {});
  }
  const Anchor after = seal(*transaction, state, writer);
  Assigned answer{.state = std::move(state),
                  .added = static_cast<std::int64_t>(rows.size()),
                  .updated = updated,
                  .after = after};
  list_assignments(answer.state, answer, step);
  list_waiting(answer.state, answer, step);
  return answer;
}

Joined add_units(const Storage& storage, const files::TextFile& file, const Writer& writer) {
  const std::unique_ptr<Transaction> transaction = storage.begin(Access::write, writer);
  State state = begin_writing(*transaction, writer);
  refuse_stopped(state, "nobody can join it");
  std::vector<UnitRow> units = read_units(file, state.mdp());
  std::vector<std::int32_t> unit_state;
  for (const UnitRow& unit : units) {
    if (state.names.find(unit.name) >= 0)
      throw InvalidModel("the unit is in the study already",
                         {.file = file.name, .value = files::excerpt(unit.name)});
    unit_state.push_back(unit.state);
  }
  const std::size_t present = state.units.size();
  const std::vector<Arm> arms = draw_later_arms(unit_state, state.options, present);
  for (std::size_t u = 0; u < units.size(); ++u) units[u].arm = arms[u];
  append(*transaction, state, event_of(writer, "units", "{}"), {}, {}, units);
  const Anchor after = seal(*transaction, state, writer);
  return {std::move(state), present, after};
}

Recorded record(const Storage& storage, const files::TextFile& file, const ResultOptions& options,
                const Writer& writer) {
  const std::unique_ptr<Transaction> transaction = storage.begin(Access::write, writer);
  State state = begin_writing(*transaction, writer);
  Results results = check_results(state, file, options);
  if (!results.rows.empty()) {
    append(*transaction, state, event_of(writer, "record", record_content(options, results)), {},
           results.rows);
  }
  const Anchor after = seal(*transaction, state, writer);
  return {std::move(state), std::move(results), after};
}

Redesigned redesign(const Storage& storage, bool explore, const Writer& writer, int threads) {
  const std::unique_ptr<Transaction> transaction = storage.begin(Access::write, writer);
  State state = begin_writing(*transaction, writer);
  refuse_stopped(state, "there is nothing to design");
  Summary look = summarise(state);
  if (look.phase == Phase::finished)
    throw InvalidArgument("every unit has done all its steps: nothing is left to design");
  append(*transaction, state, signed_by(writer, decide_redesign(state, look, explore, threads)), {}, {});
  const Anchor after = seal(*transaction, state, writer);
  return {std::move(state), std::move(look), after};
}

Redesigned stop(const Storage& storage, const std::string& why, const Writer& writer) {
  if (is_blank(why) || !mdp::is_clean_utf8(why)) throw InvalidArgument("stop: say why, in UTF-8");
  const std::unique_ptr<Transaction> transaction = storage.begin(Access::write, writer);
  State state = begin_writing(*transaction, writer);
  refuse_stopped(state, "it cannot be stopped twice");
  Summary look = summarise(state);
  append(*transaction, state, signed_by(writer, decide_stop(look, why)), {}, {});
  const Anchor after = seal(*transaction, state, writer);
  return {std::move(state), std::move(look), after};
}

Status study_status(const Storage& storage) {
  const std::unique_ptr<Transaction> transaction = storage.begin_reading();
  const Log log = transaction->read_log();
  State state = replay(log);
  Summary summary = summarise(state, log);
  summary.model_difference = changed_model(state);
  const Anchor after = anchor_of(*transaction, state, state.times.back());
  return {std::move(state), std::move(summary), after};
}

Anchor study_anchor(const Storage& storage, const std::string& time) {
  const std::unique_ptr<Transaction> transaction = storage.begin_reading();
  const State state = replay(transaction->read_log());
  return anchor_of(*transaction, state, time);
}

State read_study(const Storage& storage) {
  return replay(storage.begin_reading()->read_log());
}

std::string changed_model(const State& state) {
  if (state.options.model_path.empty()) return "";
  try {
    if (!files::is_there(state.options.model_path)) return "";
    const files::AllowOutside as_when_it_began;
    std::vector<std::string> grown;
    for (const std::int32_t s : state.model.added) grown.push_back(state.mdp().state_name(s));
    return model_difference(state.model,
                            mdp::extend_states(files::read_model(state.options.model_path), grown));
  } catch (const Error& problem) {
    return fmt::format("it cannot be read any more ({})", problem.what());
  }
}

void refuse_changed_model(const State& state) {
  const std::string difference = changed_model(state);
  if (difference.empty()) return;
  throw InvalidArgument(
      fmt::format("the model at {} changed under the study: {}. Put it back or move it away (the "
                  "study has its own copy), or begin a new study with it",
                  base::printable(state.options.model_path, 200), difference));
}

}  // namespace mindgap::study
