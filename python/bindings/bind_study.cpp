#include <nanobind/stl/pair.h>

#include <cmath>

#include "bindings/commands.h"
#include "mindgap/files/log_file.h"
#include "mindgap/study/export.h"
#include "mindgap/study/plan.h"
#include "mindgap/study/study.h"
#include "mindgap/study/verify.h"
#include "mindgap/view/study.h"
#include "mindgap/view/study_page.h"

namespace mindgap::python {
namespace {

using view::json_of;
using view::text_of;

study::Writer writer() {
  return {"mindgap " MINDGAP_VERSION, study::utc_now()};
}

// A plan as a text, and what it is called in messages.
using PlanText = std::optional<std::pair<std::string, std::string>>;

study::Begun begin_study(const std::string& folder, const mdp::Model& model, const std::string& model_path,
                         const Source* units, const PlanText& plan, bool allow_new_states,
                         std::int64_t horizon, std::int64_t batch_steps, std::int64_t update_every,
                         double control_share, const command::LimitsRequest& limits, const Source* coverage,
                         const belief::PriorOverrides& prior, std::uint64_t seed, int threads,
                         nb::object progress) {
  study::StudyOptions options;
  options.horizon = horizon;
  options.batch_steps = batch_steps;
  options.update_every = update_every;
  options.control_share = control_share;
  options.prior = prior;
  options.model_path = model_path;
  options.allow_new_states = allow_new_states;
  options.seed = seed;
  LongCall call(std::move(progress));
  return call.run([&] {
    options.limits = limits.read(model.mdp);
    if (coverage != nullptr) options.coverage = files::parse_coverage(coverage->file, model.mdp);
    std::vector<study::UnitRow> members;
    if (units != nullptr) members = study::read_units(units->file, model.mdp);
    if (plan) study::follow_plan(plan->first, plan->second, model, options, members);
    return study::begin_study(folder, model, members, options, writer(), threads);
  });
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

Table units_table(const study::Begun& begun) {
  return table_of_units(begun.state, 0);
}

Table joined_table(const study::Joined& joined) {
  return table_of_units(joined.state, joined.first);
}

// What a study knows: its model, the policy in force and the belief.
struct Known {
  study::State state;
  mdp::Model mean;
  belief::Belief belief;
  std::vector<std::int32_t> action;  // of each state
  std::vector<std::int64_t> seen;    // per pair: results that count
};

Known known_of(const std::string& folder) {
  study::State state = study::read_study(folder);
  belief::Belief belief = study::knowledge_now(state).now;
  mdp::Model mean = state.model;
  mean.mdp = belief.mean();
  std::vector<std::int32_t> action;
  for (const std::int32_t pair : state.policies.back()) action.push_back(state.mdp().pair_action()[pair]);
  std::vector<std::int64_t> seen(static_cast<std::size_t>(state.mdp().pairs()), 0);
  for (std::size_t i = 0; i < state.observations.size(); ++i) {
    const study::ObservationRow& row = state.observations[i];
    if (state.holds(i) && !row.is_void && !row.deviation) ++seen[study::pair_of(state.mdp(), row)];
  }
  return {std::move(state), std::move(mean), std::move(belief), std::move(action), std::move(seen)};
}

Table belief_table(const Known& known) {
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
  nb::class_<Known> type(module, "StudyKnown");
  type.def_prop_ro("model", [](const Known& known) { return known.state.model; });
  type.def_prop_ro("mean", [](const Known& known) { return known.mean; });
  type.def("_table", &belief_table);
  def_array(
      type, "policy",
      [](nb::handle self) {
        return view_of(std::span<const std::int32_t>(nb::cast<const Known&>(self).action), self);
      },
      "The action of each state.");
}

Table assignments_table(const study::Assigned& assigned) {
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

// What was recorded, from a file or from a table, whose places are rows.
struct Taken {
  study::Recorded recorded;
  bool table = false;
};
std::string text_of(const Taken& taken) {
  return view::text_of(taken.recorded);
}
view::Json json_of(const Taken& taken) {
  return view::json_of(taken.recorded);
}

Taken take(const std::string& folder, const Source& source, bool correct) {
  Taken taken{study::record(folder, source.file, {.correct = correct}, writer()), source.table};
  if (taken.table) {
    for (std::int64_t& line : taken.recorded.results.lines)
      line -= 2;  // the header is line 1, rows begin with 0
  }
  return taken;
}

Table results_table(const Taken& taken) {
  const study::State& state = taken.recorded.state;
  const auto& rows = taken.recorded.results.rows;
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

Table pairs_table(const study::Status& status) {
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

Table waiting_table(const study::Status& status) {
  const auto& waiting = status.summary.waiting;
  Table table(static_cast<std::int64_t>(waiting.size()));
  table.add("unit", [&](std::int64_t i) { return status.state.units[waiting[i].unit].name; });
  table.add("step", [&](std::int64_t i) { return waiting[i].step; });
  table.add("missing",
            [&](std::int64_t i) { return std::string(waiting[i].place_unknown ? "next_state" : "result"); });
  table.add("since", [&](std::int64_t i) { return waiting[i].since; });
  return table;
}

// One row: the design that was made.
Table design_table(const study::Redesigned& made) {
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

// A verification, and whether a hash that somebody noted was to be found.
struct Verified {
  study::Verification found;
  bool since_head = false;
};
std::string text_of(const Verified& verified) {
  return view::text_of(verified.found, verified.since_head);
}
view::Json json_of(const Verified& verified) {
  return view::json_of(verified.found, verified.since_head);
}

Table counts_table(const Verified& verified) {
  const study::Verification& found = verified.found;
  Table table(1);
  table.add("verified", [&](std::int64_t) { return found.good; });
  table.add("events", [&](std::int64_t) { return found.events; });
  table.add("units", [&](std::int64_t) { return found.units; });
  table.add("designs", [&](std::int64_t) { return found.designs; });
  table.add("assignments", [&](std::int64_t) { return found.assignments; });
  table.add("observations", [&](std::int64_t) { return found.observations; });
  return table;
}

report::Page status_page(const study::Status& status) {
  return view::page_of(status, MINDGAP_VERSION);
}

template <typename Result>
std::string json_text(const Result& result) {
  return view::dumped(json_of(result));
}
std::string json_text(const study::Assigned& assigned) {
  return view::written_json(assigned);
}

template <typename Result>
nb::class_<Result> bind_result(nb::module_& module, const char* name, Table (*table)(const Result&)) {
  nb::class_<Result> type(module, name);
  type.def("__str__", [](const Result& r) { return text_of(r); });
  type.def("_json", [](const Result& r) { return json_text(r); });
  type.def("_table", table);
  return type;
}

void bind_results(nb::module_& module) {
  auto joined = bind_result<study::Joined>(module, "StudyJoined", &joined_table);
  joined.def_prop_ro("head", [](const study::Joined& r) { return r.head; });
  auto begun = bind_result<study::Begun>(module, "StudyBegun", &units_table);
  begun.def_prop_ro("warnings", [](const study::Begun& r) { return r.warnings; });
  begun.def_prop_ro("head", [](const study::Begun& r) { return r.head; });
  auto assigned = bind_result<study::Assigned>(module, "StudyAssigned", &assignments_table);
  assigned.def_prop_ro("updated", [](const study::Assigned& r) { return r.updated; });
  assigned.def_prop_ro("added", [](const study::Assigned& r) { return r.added; });
  assigned.def_prop_ro("finished", [](const study::Assigned& r) { return r.finished; });
  auto recorded = bind_result<Taken>(module, "StudyRecorded", &results_table);
  recorded.def_prop_ro("recorded", [](const Taken& r) { return r.recorded.results.rows.size(); });
  recorded.def_prop_ro(
      "warnings", [](const Taken& r) { return view::warnings_of(r.recorded, r.table ? "row" : "line"); });
  recorded.def_prop_ro("already", [](const Taken& r) { return r.recorded.results.already; });
  auto status = bind_result<study::Status>(module, "StudyStatus", &pairs_table);
  status.def("_waiting", &waiting_table);
  status.def("_html", [](const study::Status& r) { return report::to_html(status_page(r)); });
  bind_page<study::Status>(status, &status_page);
  status.def_prop_ro("phase", [](const study::Status& r) { return std::string(to_string(r.summary.phase)); });
  status.def_prop_ro("results", [](const study::Status& r) { return r.summary.results; });
  status.def_prop_ro("go_on", [](const study::Status& r) { return r.summary.price.go_on(); });
  status.def_prop_ro("net", [](const study::Status& r) { return r.summary.price.net; });
  status.def_prop_ro(
      "interval",
      [](const study::Status& r) {
        return nb::make_tuple(r.summary.price.interval.lower, r.summary.price.interval.upper);
      },
      nb::sig("def interval(self) -> tuple[float, float]"));
  status.def_prop_ro("experiment_pays", [](const study::Status& r) { return r.summary.experiment_pays; });
  status.def_prop_ro("warnings", [](const study::Status& r) { return r.summary.warnings; });
  status.def_prop_ro("head", [](const study::Status& r) { return r.head; });
  bind_result<study::Redesigned>(module, "StudyRedesigned", &design_table);
  auto verified = bind_result<Verified>(module, "StudyVerification", &counts_table);
  verified.def_prop_ro("good", [](const Verified& r) { return r.found.good; });
  verified.def_prop_ro("problem", [](const Verified& r) { return r.found.problem; });
  verified.def_prop_ro("head", [](const Verified& r) { return r.found.head; });
  verified.def_prop_ro("events_since", [](const Verified& r) { return r.found.events_since; });
}

// The verbs: transactions on a folder. Other threads of Python go on meanwhile.
template <typename Deed>
auto freely(nb::object progress, Deed deed) {
  LongCall call(std::move(progress));
  return call.run(deed);
}

}  // namespace

void bind_study(nb::module_& module) {
  bind_results(module);
  bind_known(module);
  module.def("study_begin", &begin_study, nb::arg("folder"), nb::arg("model"), nb::arg("model_path"),
             nb::arg("units").none(), nb::arg("plan").none(), nb::arg("allow_new_states"), nb::arg("horizon"),
             nb::arg("batch_steps"), nb::arg("update_every"), nb::arg("control_share"), nb::arg("limits"),
             nb::arg("coverage").none(), nb::arg("prior"), nb::arg("seed"), nb::arg("threads"),
             nb::arg("progress").none());
  module.def(
      "study_assign",
      [](const std::string& folder, std::optional<std::int64_t> step, int threads, nb::object progress) {
        return freely(std::move(progress), [&] { return study::assign(folder, step, writer(), threads); });
      },
      nb::arg("folder"), nb::arg("step").none(), nb::arg("threads"), nb::arg("progress").none());
  module.def(
      "study_known",
      [](const std::string& folder, nb::object progress) {
        return freely(std::move(progress), [&] { return known_of(folder); });
      },
      nb::arg("folder"), nb::arg("progress").none());
  module.def(
      "study_add_units",
      [](const std::string& folder, const Source& units) {
        return freely(nb::none(), [&] { return study::add_units(folder, units.file, writer()); });
      },
      nb::arg("folder"), nb::arg("units"));
  module.def(
      "study_record",
      [](const std::string& folder, const Source& results, bool correct, nb::object progress) {
        return freely(std::move(progress), [&] { return take(folder, results, correct); });
      },
      nb::arg("folder"), nb::arg("results"), nb::arg("correct"), nb::arg("progress").none());
  module.def(
      "study_status",
      [](const std::string& folder, nb::object progress) {
        return freely(std::move(progress), [&] { return study::study_status(folder); });
      },
      nb::arg("folder"), nb::arg("progress").none());
  module.def(
      "study_redesign",
      [](const std::string& folder, bool follow, int threads, nb::object progress) {
        return freely(std::move(progress),
                      [&] { return study::redesign(folder, !follow, writer(), threads); });
      },
      nb::arg("folder"), nb::arg("follow"), nb::arg("threads"), nb::arg("progress").none());
  module.def(
      "study_stop",
      [](const std::string& folder, const std::string& why, nb::object progress) {
        return freely(std::move(progress), [&] { return study::stop(folder, why, writer()); });
      },
      nb::arg("folder"), nb::arg("why"), nb::arg("progress").none());
  module.def(
      "study_export",
      [](const std::string& folder, const std::string& out) {
        freely(nb::none(), [&] { study::export_study(folder, out); });
      },
      nb::arg("folder"), nb::arg("out"));
  module.def(
      "study_export_json",
      [](const std::string& folder) {
        return freely(nb::none(), [&] { return study::export_json(folder); });
      },
      nb::arg("folder"));
  module.def(
      "study_verify",
      [](const std::string& folder, int threads, const std::optional<std::string>& head, bool sign,
         nb::object progress) {
        const auto deed = sign ? study::verify_and_sign : study::verify;
        return freely(std::move(progress), [&] {
          return Verified{deed(folder, threads, head), head.has_value()};
        });
      },
      nb::arg("folder"), nb::arg("threads"), nb::arg("head").none(), nb::arg("sign"),
      nb::arg("progress").none());
}

}  // namespace mindgap::python
