#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <cmath>

#include "bindings/commands.h"
#include "bindings/python_workers.h"
#include "bindings/python_world.h"
#include "mindgap/base/error.h"
#include "mindgap/command/compare.h"
#include "mindgap/trial/world_case.h"
#include "paper/cases/registry.h"

namespace mindgap::python {
namespace {

using Asked = command::CompareRequest;

// With what a world of the user's raised.
struct Comparison {
  command::CompareAnswer answer;
  std::vector<trial::BrokenTrial> failures = {};

  report::Page page() const { return answer.page(); }
};

// A name, what makes it, and whether its choices depend on the horizon.
using Own = std::vector<std::tuple<std::string, nb::object, bool>>;

std::vector<trial::OtherPlanner> own_planners(const Own& own, LongCall& call) {
  std::vector<trial::OtherPlanner> all;
  for (const auto& [name, make, uses_horizon] : own) {
    const auto decided = planner_of_decision(make);
    all.push_back({name, decided ? *decided : python_planner(name, make, call), uses_horizon});
  }
  return all;
}

Comparison play(const trial::Case& on, Asked asked, const Own& own, LongCall& call, nb::object workers) {
  asked.run.listener = call.listener();
  asked.others = own_planners(own, call);
  const std::unique_ptr<base::Workers> shares = python_workers(std::move(workers), call);
  return call.run([&] {
    const base::SharedBy shared(shares.get());
    Comparison found{command::compare(on, asked)};
    found.answer.write();
    return found;
  });
}

Comparison compare_case(const std::string& name, const std::optional<mdp::Model>& simulator,
                        std::optional<std::int64_t> units, const std::map<std::string, std::string>& options,
                        const Own& own, const Asked& asked, nb::object progress, nb::object workers) {
  LongCall call(std::move(progress));
  const trial::CaseRequest request{asked.run.seed, units, options};
  const std::unique_ptr<trial::Case> on = call.run([&] {
    return simulator ? trial::make_world_case(name, request, *simulator) : cases::make_case(name, request);
  });
  return play(*on, asked, own, call, std::move(workers));
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

using Oracle = std::variant<std::monostate, mdp::Model, InArray<std::int32_t>>;

Comparison compare_world(const std::string& name, nb::object truth, const mdp::Model& simulator,
                         std::optional<std::int64_t> units, const Own& own, const Oracle& oracle,
                         const Asked& asked, nb::object progress, nb::object workers) {
  LongCall call(std::move(progress));
  trial::UserWorldOptions options{.name = name, .simulator = simulator, .make_world = {}};
  if (const auto* model = std::get_if<mdp::Model>(&oracle))
    options.oracle = call.run([&] { return trial::best_in(simulator.mdp, model->mdp); });
  if (const auto* actions = std::get_if<InArray<std::int32_t>>(&oracle))
    options.oracle = policy_from(simulator.mdp, *actions);
  if (units) options.units = *units;
  options.seed = asked.run.seed;
  options.make_world = [&, seed = options.seed, acting = options.units](std::uint64_t trial) {
    return std::make_unique<PythonWorld>(simulator.mdp, truth, seed, trial, acting, call);
  };
  const trial::UserWorldCase on(std::move(options));
  Comparison found = play(on, asked, own, call, std::move(workers));
  found.failures = on.broken();
  return found;
}

Comparison merge(const std::vector<std::string>& folders, const std::string& out) {
  const Freed free;
  Comparison found{command::merge({folders.begin(), folders.end()}, out)};
  found.answer.write();
  return found;
}

using Bound = std::optional<stats::Interval> trial::SummaryRow::*;

Table rows_table(const Comparison& c) {
  const auto row = [&](std::int64_t i) -> const trial::SummaryRow& {
    return c.answer.rows[static_cast<std::size_t>(i)];
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
  Table table(static_cast<std::int64_t>(c.answer.rows.size()));
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
  const auto planners = static_cast<std::int64_t>(c.answer.results.planners.size());
  const auto horizons = static_cast<std::int64_t>(c.answer.results.horizons.size());
  const auto at = [](const auto& values, std::int64_t i) { return values[static_cast<std::size_t>(i)]; };
  Table table(static_cast<std::int64_t>(c.answer.results.value.size()));
  table.add("trial", [&](std::int64_t i) { return at(c.answer.results.trials, i / (planners * horizons)); });
  table.add("planner",
            [&](std::int64_t i) { return at(c.answer.results.planners, i / horizons % planners); });
  table.add("horizon", [&](std::int64_t i) { return at(c.answer.results.horizons, i % horizons); });
  table.add("value", [&](std::int64_t i) { return at(c.answer.results.value, i); });
  return table;
}

void bind_comparison(nb::module_& module) {
  nb::class_<Comparison> type(module, "Comparison");
  type.def("__str__", [](const Comparison& c) { return c.answer.text(); });
  type.def("_rows", &rows_table);
  type.def("_results", &results_table);
  bind_page(type);
  type.def("_json", [](const Comparison& c) { return view::dumped(c.answer.json()); });
  type.def_prop_ro(
      "planners", [](const Comparison& c) { return c.answer.results.planners; }, "All that were run.");
  type.def_prop_ro("horizons", [](const Comparison& c) { return c.answer.results.horizons; });
  type.def_prop_ro("trials", [](const Comparison& c) { return c.answer.results.trials; });
  type.def_prop_ro("warnings", [](const Comparison& c) { return c.answer.warnings; });
  type.def_prop_ro("empty", [](const Comparison& c) { return c.answer.rows.empty(); });
  type.def_prop_ro(
      "failures",
      [](const Comparison& c) {
        using Row = std::tuple<std::uint64_t, std::string, std::int64_t, std::int64_t, std::uint64_t,
                               std::string, std::string>;
        std::vector<Row> rows;
        for (const trial::BrokenTrial& f : c.failures)
          rows.emplace_back(f.trial, f.planner, f.unit, f.step, f.seed, f.message, f.traceback);
        return rows;
      },
      "trial, planner, unit, step, seed, message, traceback.");
  def_array(
      type, "value",
      [](nb::handle self) {
        return view_of(std::span<const double>(nb::cast<const Comparison&>(self).answer.results.value), self);
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
                             shard,
                             shards,
                             std::move(out),
                             {seed, threads, {}}};
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
             nb::arg("progress").none(), nb::arg("workers").none());
  module.def("compare_world", &compare_world, nb::arg("name"), nb::arg("truth"), nb::arg("simulator"),
             nb::arg("units").none(), nb::arg("own"), nb::arg("oracle").none(), nb::arg("asked"),
             nb::arg("progress").none(), nb::arg("workers").none());
  module.def("merge", &merge, nb::arg("folders"), nb::arg("out"));
}

}  // namespace mindgap::python
