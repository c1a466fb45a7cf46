#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "bindings/commands.h"
#include "bindings/python_world.h"
#include "mindgap/base/error.h"
#include "mindgap/decide/case_with_plans.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/trial/results_folder.h"
#include "mindgap/trial/world_case.h"
#include "mindgap/view/compare.h"
#include "paper/cases/registry.h"

namespace mindgap::python {
namespace {

// What was compared and how it came out; without rows where every trial failed.
struct Comparison {
  trial::RunDescription run;
  trial::Results results;
  std::vector<trial::SummaryRow> rows;
  std::vector<std::string> warnings;
  std::vector<Failure> failures;
};

// What every comparison is asked, whatever it is on.
struct Asked {
  std::vector<std::string> planners;
  std::vector<std::int64_t> horizons;
  std::uint64_t first_trial = 0;
  std::int64_t trials = 0;  // 0: the case's own
  std::string reference;
  std::uint64_t seed = 42;
  int threads = 0;
  std::string out;
  std::int64_t shard = 1, shards = 1;
};

trial::Results without(const trial::Results& results, const std::vector<Failure>& failures) {
  std::set<std::uint64_t> failed;
  for (const Failure& failure : failures) failed.insert(failure.trial);
  trial::Results kept{results.planners, results.horizons, {}, {}};
  const auto block = static_cast<std::ptrdiff_t>(results.planners.size() * results.horizons.size());
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    if (failed.contains(results.trials[i])) continue;
    kept.trials.push_back(results.trials[i]);
    const auto from = results.value.begin() + static_cast<std::ptrdiff_t>(i) * block;
    kept.value.insert(kept.value.end(), from, from + block);
  }
  return kept;
}

trial::RunDescription described(const trial::Case& on, const Asked& asked) {
  trial::SweepOptions options;
  options.planners = asked.planners;
  options.horizons = asked.horizons;
  std::sort(options.horizons.begin(), options.horizons.end());
  options.first_trial = asked.first_trial;
  options.trials = asked.trials;
  options.shard = asked.shard;
  options.shards = asked.shards;
  trial::RunDescription run = trial::describe(on, options, asked.reference, asked.seed);
  run.program = "mindgap " MINDGAP_VERSION;
  if (trial::trials_of(trial::sweep_options(run)).empty())
    throw InvalidArgument(
        fmt::format("shard {} of {} has none of the {} trials", run.shard, run.shards, run.trials));
  return run;
}

// Without the interpreter.
Comparison play(const trial::Case& on, const Asked& asked, LongCall& call,
                const PythonCase* python = nullptr) {
  Comparison found;
  found.run = described(on, asked);
  found.warnings = on.warnings();
  trial::SweepOptions options = trial::sweep_options(found.run);
  options.threads = asked.threads;
  const std::string what = "comparing on " + base::printable(found.run.case_name);
  options.on_progress = [&](std::int64_t done, std::int64_t total) { call.report(what, done, total); };
  std::unique_ptr<trial::ResultsFolder> folder;
  if (!asked.out.empty()) folder = std::make_unique<trial::ResultsFolder>(asked.out, found.run);
  found.results = trial::run_sweep(on, options, folder ? folder->finished() : trial::Results{},
                                   [&](std::uint64_t trial, std::span<const double> values) {
                                     if (folder) folder->keep(trial, values);
                                   });
  if (python != nullptr) {
    found.failures = python->failures();
    for (std::string& finding : python->findings()) found.warnings.push_back(std::move(finding));
    found.results = without(found.results, found.failures);
    if (found.results.trials.empty()) return found;
  }
  found.rows = trial::summarise(found.results, found.run.shown, found.run.reference);
  if (folder) folder->complete(found.results, trial::summary_json(found.run, found.rows));
  return found;
}

// A name, what makes it, and whether its choices depend on the horizon.
using Own = std::vector<std::tuple<std::string, nb::object, bool>>;

std::vector<OwnPlanner> own_planners(const Own& own) {
  std::vector<OwnPlanner> all;
  for (const auto& [name, make, uses_horizon] : own) {
    const auto decided = planner_of_decision(make);
    all.push_back({name, decided ? *decided : python_planner(name, make), uses_horizon});
  }
  return all;
}

// Plans by the names that decisions give them, beside what a case knows.
void add_plans(const Asked& asked, const std::vector<trial::PlannerName>& known,
               std::vector<OwnPlanner>& own) {
  for (const decide::Plan& plan : decide::plans_among(asked.planners, known)) {
    if (std::any_of(own.begin(), own.end(), [&](const OwnPlanner& one) { return one.name == plan.name; }))
      continue;
    const bool uses_horizon = !plan.planner.empty() && planner::find_planner(plan.planner).uses_horizon;
    own.push_back({plan.name,
                   [plan](const planner::Setting& setting) { return decide::make_plan(plan, setting); },
                   uses_horizon});
  }
}

Comparison compare_case(const std::string& name, const std::optional<mdp::Model>& simulator,
                        std::optional<std::int64_t> units, const std::map<std::string, std::string>& options,
                        const Own& own, const Asked& asked, nb::object progress) {
  LongCall call(std::move(progress));
  const trial::CaseRequest request{asked.seed, units, options};
  const std::unique_ptr<trial::Case> on = call.run([&] {
    return simulator ? trial::make_world_case(name, request, *simulator) : cases::make_case(name, request);
  });
  std::vector<OwnPlanner> others = own_planners(own);
  add_plans(asked, on->planners(), others);
  const OpenCase open(*on, std::move(others), call);
  return call.run([&] { return play(open, asked, call); });
}

// What is known to be best in a world: a policy that is followed.
OwnPlanner follow(const mdp::Mdp& mdp, const mdp::Policy& policy) {
  return {"oracle",
          [mdp, policy](const planner::Setting& setting) {
            return planner::follow_policy(mdp, policy, setting.seed, setting.trial);
          },
          false};
}

mdp::Policy policy_from(const mdp::Mdp& mdp, const InArray<std::int32_t>& actions) {
  std::vector<std::int32_t> states;
  for (std::int32_t s = 0; s < mdp.states(); ++s) states.push_back(s);
  if (actions.size() != states.size()) {
    throw InvalidArgument(fmt::format("oracle: {} actions came, but the simulator has {} states",
                                      actions.size(), states.size()));
  }
  return mdp::Policy::deterministic(mdp, pairs_of(mdp, states, {actions.data(), actions.size()}, "oracle"));
}

// The optimal policy of a truth that somebody wrote down, pair for pair.
mdp::Policy best_in(const mdp::Mdp& mdp, const mdp::Mdp& truth) {
  if (!std::ranges::equal(truth.pair_begin(), mdp.pair_begin()) ||
      !std::ranges::equal(truth.pair_action(), mdp.pair_action())) {
    throw InvalidArgument(
        fmt::format("oracle: its states and actions must be the simulator's, but it has {} states and {} "
                    "pairs, not {} and {}{}",
                    truth.states(), truth.pairs(), mdp.states(), mdp.pairs(),
                    truth.pairs() == mdp.pairs() ? ", or others" : ""));
  }
  return mdp::solve(truth, {.threads = 1}).policy;
}

using Oracle = std::variant<std::monostate, mdp::Model, InArray<std::int32_t>>;

Comparison compare_world(const std::string& name, nb::object truth, const mdp::Model& simulator,
                         std::optional<std::int64_t> units, const Own& own, const Oracle& oracle,
                         const Asked& asked, nb::object progress) {
  LongCall call(std::move(progress));
  PythonCaseOptions options{name, simulator, std::move(truth), own_planners(own)};
  if (const auto* model = std::get_if<mdp::Model>(&oracle))
    options.own.push_back(
        follow(simulator.mdp, call.run([&] { return best_in(simulator.mdp, model->mdp); })));
  if (const auto* actions = std::get_if<InArray<std::int32_t>>(&oracle))
    options.own.push_back(follow(simulator.mdp, policy_from(simulator.mdp, *actions)));
  std::vector<trial::PlannerName> known;
  for (const planner::PlannerInfo& info : planner::planners()) known.push_back({info.name, info.description});
  add_plans(asked, known, options.own);
  if (units) options.units = *units;
  options.seed = asked.seed;
  options.call = &call;
  const PythonCase on(std::move(options));
  return call.run([&] { return play(on, asked, call, &on); });
}

Comparison merge(const std::vector<std::string>& folders, const std::string& out) {
  const Freed free;
  const trial::Merged merged =
      trial::merge(std::vector<std::filesystem::path>(folders.begin(), folders.end()));
  Comparison found{merged.run, merged.results, {}, {}, {}};
  found.rows = trial::summarise(found.results, found.run.shown, found.run.reference);
  if (!out.empty())
    trial::ResultsFolder(out, found.run).complete(found.results, trial::summary_json(found.run, found.rows));
  return found;
}

using Bound = std::optional<stats::Interval> trial::SummaryRow::*;

Table rows_table(const Comparison& c) {
  const auto row = [&](std::int64_t i) -> const trial::SummaryRow& {
    return c.rows[static_cast<std::size_t>(i)];
  };
  const auto number = [&](double trial::SummaryRow::*value) {
    return [row, value](std::int64_t i) {  // missing where it is not defined
      const double x = row(i).*value;
      return std::isnan(x) ? std::optional<double>() : x;
    };
  };
  const auto end = [&](Bound interval, double stats::Interval::*side) {
    return [row, interval, side](std::int64_t i) {
      const auto& found = row(i).*interval;
      return found ? std::optional<double>((*found).*side) : std::nullopt;
    };
  };
  using Row = trial::SummaryRow;
  Table table(static_cast<std::int64_t>(c.rows.size()));
  table.add("planner", [&](std::int64_t i) { return row(i).planner; });
  table.add("horizon", [&](std::int64_t i) { return row(i).horizon; });
  table.add("trials", [&](std::int64_t i) { return row(i).trials; });
  table.add("mean", [&](std::int64_t i) { return row(i).mean; });
  table.add("percent_of_oracle", number(&Row::percent_of_oracle));
  table.add("percent_lower", end(&Row::interval, &stats::Interval::lower));
  table.add("percent_upper", end(&Row::interval, &stats::Interval::upper));
  table.add("difference", number(&Row::difference));
  table.add("difference_lower", end(&Row::difference_interval, &stats::Interval::lower));
  table.add("difference_upper", end(&Row::difference_interval, &stats::Interval::upper));
  table.add("mean_difference", number(&Row::mean_difference));
  table.add("mean_difference_lower", end(&Row::mean_difference_interval, &stats::Interval::lower));
  table.add("mean_difference_upper", end(&Row::mean_difference_interval, &stats::Interval::upper));
  table.add("t_p_value", [&](std::int64_t i) { return row(i).t_p_value; });
  table.add("p_value", [&](std::int64_t i) { return row(i).p_value; });
  table.add("p_method", [&](std::int64_t i) { return row(i).p_method; });
  return table;
}

Table results_table(const Comparison& c) {
  const auto planners = static_cast<std::int64_t>(c.results.planners.size());
  const auto horizons = static_cast<std::int64_t>(c.results.horizons.size());
  const auto at = [](const auto& values, std::int64_t i) { return values[static_cast<std::size_t>(i)]; };
  Table table(static_cast<std::int64_t>(c.results.value.size()));
  table.add("trial", [&](std::int64_t i) { return at(c.results.trials, i / (planners * horizons)); });
  table.add("planner", [&](std::int64_t i) { return at(c.results.planners, i / horizons % planners); });
  table.add("horizon", [&](std::int64_t i) { return at(c.results.horizons, i % horizons); });
  table.add("value", [&](std::int64_t i) { return at(c.results.value, i); });
  return table;
}

void bind_comparison(nb::module_& module) {
  nb::class_<Comparison> type(module, "Comparison");
  type.def("__str__", [](const Comparison& c) { return view::text_of(c.run, c.rows, c.failures.size()); });
  type.def("_rows", &rows_table);
  type.def("_results", &results_table);
  bind_page<Comparison>(type,
                        [](const Comparison& c) { return view::page_of(c.run, c.rows, c.failures.size()); });
  type.def("_json", [](const Comparison& c) { return trial::summary_json(c.run, c.rows); });
  type.def_prop_ro(
      "planners", [](const Comparison& c) { return c.results.planners; }, "All that were run.");
  type.def_prop_ro("horizons", [](const Comparison& c) { return c.results.horizons; });
  type.def_prop_ro("trials", [](const Comparison& c) { return c.results.trials; });
  type.def_prop_ro("warnings", [](const Comparison& c) { return c.warnings; });
  type.def_prop_ro("empty", [](const Comparison& c) { return c.rows.empty(); });
  type.def_prop_ro(
      "failures",
      [](const Comparison& c) {
        using Row = std::tuple<std::uint64_t, std::string, std::int64_t, std::int64_t, std::uint64_t,
                               std::string, std::string>;
        std::vector<Row> rows;
        for (const Failure& f : c.failures)
          rows.emplace_back(f.trial, f.planner, f.unit, f.step, f.seed, f.message, f.traceback);
        return rows;
      },
      "trial, planner, unit, step, seed, message, traceback.");
  def_array(
      type, "value",
      [](nb::handle self) {
        return view_of(std::span<const double>(nb::cast<const Comparison&>(self).results.value), self);
      },
      "[trial, planner, horizon], flat.");
}

}  // namespace

void bind_trial(nb::module_& module) {
  bind_comparison(module);
  nb::class_<Asked>(module, "Asked")
      .def(
          "__init__",
          [](Asked* self, std::vector<std::string> planners, std::vector<std::int64_t> horizons,
             std::uint64_t first_trial, std::int64_t trials, std::string reference, std::uint64_t seed,
             int threads, std::string out, std::int64_t shard, std::int64_t shards) {
            new (self) Asked{std::move(planners),
                             std::move(horizons),
                             first_trial,
                             trials,
                             std::move(reference),
                             seed,
                             threads,
                             std::move(out),
                             shard,
                             shards};
          },
          nb::arg("planners"), nb::arg("horizons"), nb::arg("first_trial"), nb::arg("trials"),
          nb::arg("reference"), nb::arg("seed"), nb::arg("threads"), nb::arg("out"), nb::arg("shard"),
          nb::arg("shards"));
  module.def("cases", [] {
    using Option = std::tuple<std::string, std::string, std::string, std::vector<std::string>>;
    std::vector<std::tuple<std::string, std::string, std::vector<Option>>> all;
    for (const cases::CaseInfo& info : cases::all_cases()) {
      std::vector<Option> options;
      for (const trial::CaseOption& o : info.options)
        options.emplace_back(o.name, o.meaning, o.standard, o.choices);
      all.emplace_back(info.name, info.description, std::move(options));
    }
    return all;
  });
  module.def(
      "planners_of_case",
      [](const std::string& name) {
        std::vector<std::pair<std::string, std::string>> all;
        for (const trial::PlannerName& planner : cases::make_case(name, {})->planners())
          all.emplace_back(planner.name, planner.description);
        return all;
      },
      nb::arg("name"));
  module.def("compare_case", &compare_case, nb::arg("name"), nb::arg("simulator").none(),
             nb::arg("units").none(), nb::arg("options"), nb::arg("own"), nb::arg("asked"),
             nb::arg("progress").none());
  module.def("compare_world", &compare_world, nb::arg("name"), nb::arg("truth"), nb::arg("simulator"),
             nb::arg("units").none(), nb::arg("own"), nb::arg("oracle").none(), nb::arg("asked"),
             nb::arg("progress").none());
  module.def("merge", &merge, nb::arg("folders"), nb::arg("out"));
}

}  // namespace mindgap::python
