#include <cmath>

#include "bindings/commands.h"
#include "mindgap/command/study.h"
#include "mindgap/command/study_import.h"

namespace mindgap::python {
namespace {

using command::StudyAssigned;
using command::StudyBegun;
using command::StudyImported;
using command::StudyJoined;
using command::StudyKnown;
using command::StudyRecorded;
using command::StudyRedesigned;
using command::StudyStatus;
using command::StudyVerification;

// What the door answers to a request. Other threads of Python go on meanwhile.
template <typename Request, typename Answer>
Answer answer_to(Request request, Answer (*ask)(const Request&), nb::object progress, int threads = 0) {
  LongCall call(std::move(progress));
  request.run.threads = threads;
  request.run.listener = call.listener();
  return call.run([&] { return ask(request); });
}

StudyBegun begin_study(const std::string& folder, const mdp::Model* model, const std::string& model_path,
                       const Source* units, const Source* plan, bool allow_new_states, std::int64_t horizon,
                       std::int64_t batch_steps, std::int64_t update_every, double control_share,
                       const command::LimitsRequest& limits, const Source* coverage,
                       const belief::PriorOverrides& prior, std::uint64_t seed, const std::string& key,
                       int threads, nb::object progress) {
  command::StudyInitRequest request{folder};
  if (model != nullptr) request.model = *model;
  request.model_path = model_path;
  request.units = given(units);
  request.plan = given(plan);
  request.allow_new_states = allow_new_states;
  request.horizon = horizon;
  request.batch_steps = batch_steps;
  request.update_every = update_every;
  request.control_share = control_share;
  request.limits = limits;
  request.coverage = given(coverage);
  request.prior = prior;
  request.run.seed = seed;
  request.key = key;
  return answer_to(std::move(request), command::study_init, std::move(progress), threads);
}

Table table_of_units(const study::State& state, std::size_t first) {
  Table table(static_cast<std::int64_t>(state.units.size() - first));
  const auto unit = [&, first](std::int64_t i) -> const study::UnitRow& {
    return state.units[first + static_cast<std::size_t>(i)];
  };
  table.add("unit", [&](std::int64_t i) { return unit(i).name; });
  table.add("state", [&](std::int64_t i) { return state.mdp().state_name(unit(i).state); });
  table.add("arm", [&](std::int64_t i) { return std::string(to_string(unit(i).arm)); });
  return table;
}

Table units_table(const StudyBegun& answer) {
  return table_of_units(answer.begun.state, 0);
}

Table joined_table(const StudyJoined& answer) {
  return table_of_units(answer.joined.state, answer.joined.first);
}

Table belief_table(const StudyKnown& known) {
  const auto pair = [](std::int64_t row) { return static_cast<std::int32_t>(row); };
  Table table(known.state.mdp().pairs());
  add_pairs(table, known.state.mdp(), pair);
  table.add("count", [&](std::int64_t k) { return known.seen[static_cast<std::size_t>(k)]; });
  table.add("simulated_reward", [&](std::int64_t k) { return known.state.mdp().reward()[pair(k)]; });
  table.add("reward_mean", [&](std::int64_t k) { return known.belief.reward_mean(pair(k)); });
  table.add("reward_sd", [&](std::int64_t k) { return std::sqrt(known.belief.reward_variance(pair(k))); });
  table.add("transition_strength", [&](std::int64_t k) { return known.belief.transition_strength(pair(k)); });
  return table;
}

void bind_known(nb::module_& module) {
  nb::class_<StudyKnown> type(module, "StudyKnown");
  type.def_prop_ro("model", [](const StudyKnown& known) { return known.state.model; });
  type.def_prop_ro("mean", [](const StudyKnown& known) { return known.mean; });
  type.def("_table", &belief_table);
  def_array(
      type, "policy",
      [](nb::handle self) {
        return view_of(std::span<const std::int32_t>(nb::cast<const StudyKnown&>(self).action), self);
      },
      "The action of each state.");
}

Table assignments_table(const StudyAssigned& answer) {
  const study::Assigned& assigned = answer.assigned;
  const study::State& state = assigned.state;
  Table table(static_cast<std::int64_t>(assigned.assignments.size()));
  const auto put = [&](const char* name, auto get) {
    table.add(name, [&](std::int64_t i) { return get(state.assignments[assigned.assignments[i]]); });
  };
  using Row = study::AssignmentRow;
  put("unit", [&](const Row& row) { return state.units[row.unit].name; });
  put("step", [](const Row& row) { return row.step; });
  put("state", [&](const Row& row) { return state.mdp().state_name(row.state); });
  put("action", [&](const Row& row) { return state.mdp().action_name(row.action); });
  put("route", [](const Row& row) { return row.route < 0 ? std::nullopt : std::optional(row.route); });
  put("arm", [](const Row& row) { return std::string(to_string(row.arm)); });
  put("probability", [](const Row& row) { return row.probability; });
  put("draw_probability", [](const Row& row) { return row.draw_probability; });
  put("batch", [](const Row& row) { return row.batch; });
  return table;
}

template <typename Answer>  // StudyRecorded or StudyImported
Table recorded_table(const Answer& answer) {
  const study::State& state = answer.recorded.state;
  const auto& rows = answer.recorded.results.rows;
  Table table(static_cast<std::int64_t>(rows.size()));
  const auto put = [&](const char* name, auto get) {
    table.add(name, [&](std::int64_t i) { return get(rows[i]); });
  };
  using Row = study::ObservationRow;
  put("unit", [&](const Row& row) { return state.units[row.unit].name; });
  put("step", [](const Row& row) { return row.step; });
  put("state", [&](const Row& row) { return state.mdp().state_name(row.state); });
  put("action", [&](const Row& row) { return state.mdp().action_name(row.action); });
  put("reward", [](const Row& row) { return row.has_reward ? std::optional(row.reward) : std::nullopt; });
  put("next_state", [&](const Row& row) {
    return row.next_state < 0 ? std::nullopt : std::optional(state.mdp().state_name(row.next_state));
  });
  put("censored", [](const Row& row) { return row.censored; });
  put("at_most", [](const Row& row) { return row.at_most; });
  put("void", [](const Row& row) { return row.is_void; });
  put("deviation", [](const Row& row) { return row.deviation; });
  return table;
}

Table studied_pairs(const StudyStatus& answer) {
  const study::Status& status = answer.status;
  const auto& pairs = status.summary.pairs;
  Table table(static_cast<std::int64_t>(pairs.size()));
  add_pairs(table, status.state.mdp(), [&](std::int64_t row) { return pairs[row].pair; });
  const auto put = [&](const char* name, auto get) {
    table.add(name, [&](std::int64_t i) { return get(pairs[i]); });
  };
  using Pair = study::PairSummary;
  put("count", [](const Pair& pair) { return pair.seen; });
  put("simulated_reward", [](const Pair& pair) { return pair.simulated_reward; });
  put("reward_mean", [](const Pair& pair) { return pair.mean_reward; });
  put("reward_sd", [](const Pair& pair) { return pair.reward_sd; });
  put("transition_strength", [](const Pair& pair) { return pair.transition_strength; });
  return table;
}

Table waiting_table(const StudyStatus& answer) {
  const study::Status& status = answer.status;
  const auto& waiting = status.summary.waiting;
  Table table(static_cast<std::int64_t>(waiting.size()));
  table.add("unit", [&](std::int64_t i) { return status.state.units[waiting[i].unit].name; });
  table.add("step", [&](std::int64_t i) { return waiting[i].step; });
  table.add("missing",
            [&](std::int64_t i) { return std::string(waiting[i].place_unknown ? "next_state" : "result"); });
  table.add("since", [&](std::int64_t i) { return waiting[i].since; });
  return table;
}

Table conflicts_table(const StudyStatus& answer) {
  const study::State& state = answer.status.state;
  const std::vector<const study::Conflict*> open = answer.open_conflicts();
  const auto author = [&](std::int64_t i) {
    return state.authors[static_cast<std::size_t>(open[i]->event) - 1];
  };
  Table table(static_cast<std::int64_t>(open.size()));
  table.add("conflict", [&](std::int64_t i) { return open[i]->event; });
  table.add("reason", [&](std::int64_t i) { return open[i]->reason; });
  table.add("unit", [&](std::int64_t i) { return open[i]->sent.unit; });
  table.add("step", [&](std::int64_t i) { return open[i]->sent.step; });
  table.add("reward", [&](std::int64_t i) { return open[i]->sent.reward; });
  table.add("next_state", [&](std::int64_t i) { return open[i]->sent.next_state; });
  table.add("who", [&](std::int64_t i) { return author(i) ? author(i)->who : std::string(); });
  table.add("time",
            [&](std::int64_t i) { return state.times[static_cast<std::size_t>(open[i]->event) - 1]; });
  return table;
}

// One row: the design that was made.
Table design_table(const StudyRedesigned& answer) {
  const study::Redesigned& made = answer.redesigned;
  const study::Batch& batch = made.state.batches.back();
  Table table(1);
  table.add("designs", [&](std::int64_t) { return made.state.batches.size(); });
  table.add("stopped", [&](std::int64_t) { return made.state.stopped; });
  table.add("batch_steps", [&](std::int64_t) { return batch.steps; });
  table.add("routes", [&](std::int64_t) { return batch.routes.size(); });
  table.add("pvv_before", [&](std::int64_t) { return batch.before; });
  table.add("pvv_after", [&](std::int64_t) { return batch.after; });
  table.add("expected_loss", [&](std::int64_t) { return batch.expected_loss; });
  return table;
}

Table counts_table(const StudyVerification& answer) {
  const study::Verification& found = answer.found;
  Table table(1);
  table.add("verified", [&](std::int64_t) { return found.good; });
  table.add("events", [&](std::int64_t) { return found.events; });
  table.add("units", [&](std::int64_t) { return found.units; });
  table.add("designs", [&](std::int64_t) { return found.designs; });
  table.add("assignments", [&](std::int64_t) { return found.assignments; });
  table.add("observations", [&](std::int64_t) { return found.observations; });
  return table;
}

template <typename Answer>
nb::class_<Answer> bind_answer(nb::module_& module, const char* name, Table (*table)(const Answer&)) {
  nb::class_<Answer> type(module, name);
  type.def("__str__", &Answer::text);
  type.def("_json", &Answer::json);
  type.def("_table", table);
  return type;
}

void bind_answers(nb::module_& module) {
  auto joined = bind_answer<StudyJoined>(module, "StudyJoined", &joined_table);
  joined.def_prop_ro("head", [](const StudyJoined& r) { return r.joined.after.head; });
  auto begun = bind_answer<StudyBegun>(module, "StudyBegun", &units_table);
  begun.def_prop_ro("warnings", [](const StudyBegun& r) { return r.warnings; });
  begun.def_prop_ro("head", [](const StudyBegun& r) { return r.begun.after.head; });
  auto assigned = bind_answer<StudyAssigned>(module, "StudyAssigned", &assignments_table);
  assigned.def_prop_ro("updated", [](const StudyAssigned& r) { return r.assigned.updated; });
  assigned.def_prop_ro("added", [](const StudyAssigned& r) { return r.assigned.added; });
  assigned.def_prop_ro("finished", [](const StudyAssigned& r) { return r.assigned.finished; });
  auto recorded = bind_answer<StudyRecorded>(module, "StudyRecorded", &recorded_table<StudyRecorded>);
  recorded.def_prop_ro("recorded", [](const StudyRecorded& r) { return r.recorded.results.rows.size(); });
  recorded.def_prop_ro("warnings", [](const StudyRecorded& r) { return r.warnings; });
  recorded.def_prop_ro("already", [](const StudyRecorded& r) { return r.recorded.results.already; });
  auto imported = bind_answer<StudyImported>(module, "StudyImported", &recorded_table<StudyImported>);
  imported.def_prop_ro("recorded", [](const StudyImported& r) { return r.recorded.results.rows.size(); });
  imported.def_prop_ro("already", [](const StudyImported& r) { return r.recorded.results.already; });
  imported.def_prop_ro("left_out", [](const StudyImported& r) { return r.left_out; });
  imported.def_prop_ro("dry_run", [](const StudyImported& r) { return r.dry_run; });
  imported.def_prop_ro("warnings", [](const StudyImported& r) { return r.warnings; });
  imported.def_prop_ro("head", [](const StudyImported& r) { return r.recorded.after.head; });
  auto redesigned = bind_answer<StudyRedesigned>(module, "StudyRedesigned", &design_table);
  redesigned.def_prop_ro("warnings", [](const StudyRedesigned& r) { return r.warnings; });
  redesigned.def_prop_ro("head", [](const StudyRedesigned& r) { return r.redesigned.after.head; });
  joined.def_prop_ro("warnings", [](const StudyJoined& r) { return r.warnings; });
  assigned.def_prop_ro("warnings", [](const StudyAssigned& r) { return r.warnings; });
  assigned.def_prop_ro("head", [](const StudyAssigned& r) { return r.assigned.after.head; });
  recorded.def_prop_ro("head", [](const StudyRecorded& r) { return r.recorded.after.head; });
  auto verified = bind_answer<StudyVerification>(module, "StudyVerification", &counts_table);
  verified.def_prop_ro("good", [](const StudyVerification& r) { return r.found.good; });
  verified.def_prop_ro("problem", [](const StudyVerification& r) { return r.found.problem; });
  verified.def_prop_ro("head", [](const StudyVerification& r) { return r.found.head; });
  verified.def_prop_ro("anchors", [](const StudyVerification& r) { return r.found.anchors; });
  verified.def_prop_ro("signatures", [](const StudyVerification& r) { return r.found.signatures; });
  verified.def_prop_ro("keys", [](const StudyVerification& r) { return r.found.keys; });
  verified.def_prop_ro("events_since", [](const StudyVerification& r) { return r.found.events_since; });
}

void bind_status(nb::module_& module) {
  auto status = bind_answer<StudyStatus>(module, "StudyStatus", &studied_pairs);
  status.def("_waiting", &waiting_table);
  status.def("_conflicts", &conflicts_table);
  bind_page(status);
  const auto of_summary = [&](const char* name, auto get, auto... more) {
    status.def_prop_ro(
        name, [get](const StudyStatus& r) { return get(r.status.summary); }, more...);
  };
  using study::Summary;
  of_summary("phase", [](const Summary& s) { return std::string(to_string(s.phase)); });
  of_summary("results", [](const Summary& s) { return s.results; });
  of_summary("open_conflicts", [](const Summary& s) { return s.open_conflicts; });
  of_summary("go_on", [](const Summary& s) { return s.price.go_on(); });
  of_summary("net", [](const Summary& s) { return s.price.net; });
  of_summary(
      "interval",
      [](const Summary& s) { return nb::make_tuple(s.price.interval.lower, s.price.interval.upper); },
      nb::sig("def interval(self) -> tuple[float, float]"));
  of_summary("experiment_pays", [](const Summary& s) { return s.experiment_pays; });
  status.def_prop_ro("warnings", [](const StudyStatus& r) { return r.warnings(); });
  status.def_prop_ro("head", [](const StudyStatus& r) { return r.status.after.head; });
}

void bind_field_verbs(nb::module_& module) {
  module.def("study_begin", &begin_study, nb::arg("folder"), nb::arg("model").none(), nb::arg("model_path"),
             nb::arg("units").none(), nb::arg("plan").none(), nb::arg("allow_new_states"), nb::arg("horizon"),
             nb::arg("batch_steps"), nb::arg("update_every"), nb::arg("control_share"), nb::arg("limits"),
             nb::arg("coverage").none(), nb::arg("prior"), nb::arg("seed"), nb::arg("key"),
             nb::arg("threads"), nb::arg("progress").none());
  module.def(
      "study_assign",
      [](const std::string& folder, std::optional<std::int64_t> step, const std::string& key, int threads,
         nb::object progress) {
        return answer_to(command::StudyAssignRequest{.folder = folder, .step = step, .key = key},
                         command::study_assign, std::move(progress), threads);
      },
      nb::arg("folder"), nb::arg("step").none(), nb::arg("key"), nb::arg("threads"),
      nb::arg("progress").none());
  module.def(
      "study_add_units",
      [](const std::string& folder, const Source& units, const std::string& key) {
        return answer_to(command::StudyUnitsRequest{.folder = folder, .units = units, .key = key},
                         command::study_add_units, nb::none());
      },
      nb::arg("folder"), nb::arg("units"), nb::arg("key"));
  module.def(
      "study_record",
      [](const std::string& folder, const Source& results, bool correct, const std::string& key,
         nb::object progress) {
        return answer_to(
            command::StudyRecordRequest{.folder = folder, .results = results, .correct = correct, .key = key},
            command::study_record, std::move(progress));
      },
      nb::arg("folder"), nb::arg("results"), nb::arg("correct"), nb::arg("key"), nb::arg("progress").none());
  module.def(
      "study_import",
      [](const std::string& folder, const Source& results, const Source& columns,
         const std::optional<Source>& parent, bool correct, bool dry_run, const std::string& key,
         nb::object progress) {
        return answer_to(command::StudyImportRequest{.folder = folder,
                                                     .results = results,
                                                     .columns = columns,
                                                     .parent = parent,
                                                     .correct = correct,
                                                     .dry_run = dry_run,
                                                     .key = key},
                         command::study_import, std::move(progress));
      },
      nb::arg("folder"), nb::arg("results"), nb::arg("columns"), nb::arg("parent").none(), nb::arg("correct"),
      nb::arg("dry_run"), nb::arg("key"), nb::arg("progress").none());
  module.def(
      "study_redesign",
      [](const std::string& folder, bool follow, const std::string& key, int threads, nb::object progress) {
        return answer_to(command::StudyRedesignRequest{.folder = folder, .follow = follow, .key = key},
                         command::study_redesign, std::move(progress), threads);
      },
      nb::arg("folder"), nb::arg("follow"), nb::arg("key"), nb::arg("threads"), nb::arg("progress").none());
  module.def(
      "study_stop",
      [](const std::string& folder, const std::string& why, const std::string& key, nb::object progress) {
        return answer_to(command::StudyStopRequest{.folder = folder, .why = why, .key = key},
                         command::study_stop, std::move(progress));
      },
      nb::arg("folder"), nb::arg("why"), nb::arg("key"), nb::arg("progress").none());
}

void bind_reading_verbs(nb::module_& module) {
  module.def("study_check", &command::study_check, nb::arg("folder"),
             "Raises StoreError where there is no study.");
  module.def(
      "study_known",
      [](const std::string& folder, nb::object progress) {
        return answer_to(command::StudyRequest{folder}, command::study_known, std::move(progress));
      },
      nb::arg("folder"), nb::arg("progress").none());
  module.def(
      "study_status",
      [](const std::string& folder, nb::object progress) {
        return answer_to(command::StudyRequest{folder}, command::study_status, std::move(progress));
      },
      nb::arg("folder"), nb::arg("progress").none());
  module.def(
      "study_export",
      [](const std::string& folder, const std::string& out, bool csv_safe) {
        LongCall(nb::none()).run([&] { command::study_export(folder, out, csv_safe); });
      },
      nb::arg("folder"), nb::arg("out"), nb::arg("csv_safe"));
  module.def(
      "study_export_json",
      [](const std::string& folder) {
        return LongCall(nb::none()).run([&] { return command::study_export_json(folder); });
      },
      nb::arg("folder"));
  module.def(
      "study_verify",
      [](const std::string& folder, int threads, const std::optional<std::string>& head,
         const std::string& anchors, const std::vector<std::string>& keys, bool sign, bool accept_loss,
         nb::object progress) {
        return answer_to(command::StudyVerifyRequest{.folder = folder,
                                                     .head = head,
                                                     .sign = sign,
                                                     .anchors = command::source_of(anchors),
                                                     .keys = keys,
                                                     .accept_loss = accept_loss},
                         command::study_verify, std::move(progress), threads);
      },
      nb::arg("folder"), nb::arg("threads"), nb::arg("head").none(), nb::arg("anchors"), nb::arg("keys"),
      nb::arg("sign"), nb::arg("accept_loss"), nb::arg("progress").none());
  module.def(
      "study_anchor",
      [](const std::string& folder, const std::string& out) {
        return command::study_anchor(folder, out).text();
      },
      nb::arg("folder"), nb::arg("out"));
  module.def(
      "study_key_new", [](const std::string& file) { return command::study_key_new(file).public_key; },
      nb::arg("file"));
}

}  // namespace

void bind_study(nb::module_& module) {
  bind_answers(module);
  bind_status(module);
  bind_known(module);
  bind_field_verbs(module);
  bind_reading_verbs(module);
}

}  // namespace mindgap::python
