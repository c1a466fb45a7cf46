#include <fmt/format.h>

#include "bindings/commands.h"
#include "mindgap/command/design.h"
#include "mindgap/command/files.h"

namespace mindgap::python {
namespace {

using Designed = command::DesignAnswer;

Designed design_pilot(const mdp::Model& model, std::int64_t units, std::int64_t steps,
                      std::optional<std::int64_t> others, const Source* positions, const std::string& target,
                      const std::string& occupancy, const std::string& method, bool credit,
                      const std::string& block, const Source* coverage, const Source* log,
                      const belief::PriorOverrides& prior, const command::LimitsRequest& limits, double gap,
                      std::optional<double> time_limit, bool navigation,
                      const std::vector<std::string>& bottleneck, bool sizes,
                      const std::vector<std::int64_t>& size_units,
                      const std::vector<std::int64_t>& size_steps, std::optional<double> remove,
                      std::size_t top, std::uint64_t seed, int threads, nb::object progress) {
  command::DesignRequest request{model};
  request.evidence = evidence_of(coverage, log, prior);
  request.units = units;
  request.steps = steps;
  request.others = others;
  request.positions = given(positions);
  request.target = target;
  request.occupancy = occupancy;
  request.method = method;
  request.block = block;
  request.use_credit = credit;
  request.limits = limits;
  request.relative_gap = gap;
  request.time_limit = time_limit;
  request.navigation = navigation;
  request.bottleneck = bottleneck;
  request.sizes = sizes;
  request.size_table.units = size_units;
  request.size_table.steps = size_steps;
  request.size_table.remove = remove;
  request.top = top;
  LongCall call(std::move(progress));
  request.run = {seed, threads, call.listener()};
  return call.run([&] { return command::design(request); });
}

Table designed_pairs(const Designed& made) {
  const design::Design& d = made.design;
  Table table(made.model.mdp.pairs());
  add_pairs(table, made.model.mdp, [](std::int64_t row) { return static_cast<std::int32_t>(row); });
  table.add("expected", [&](std::int64_t k) { return d.counts[k]; });
  table.add("pvv_before", [&](std::int64_t k) { return d.contributions_before[k]; });
  table.add("pvv_after", [&](std::int64_t k) { return d.contributions_after[k]; });
  return table;
}

std::string unit_name(const Designed& made, std::size_t unit) {
  return made.options.unit_names.empty() ? fmt::format("{}", unit + 1) : made.options.unit_names[unit];
}

// Who follows which route from where, most likely how: one row per unit and step.
Table designed_routes(const Designed& made) {
  const design::Design& d = made.design;
  const mdp::Mdp& mdp = made.model.mdp;
  struct Row {
    std::size_t unit;
    std::int64_t step;
    design::Leg leg;
  };
  std::vector<Row> rows;
  for (std::size_t u = 0; u < d.route_of_unit.size(); ++u) {
    std::int64_t step = 0;
    for (const design::Leg& leg : design::likely_way(mdp, d.routes[d.route_of_unit[u]], d.unit_state[u]))
      rows.push_back({u, step++, leg});
  }
  Table table(static_cast<std::int64_t>(rows.size()));
  table.add("unit", [&](std::int64_t i) { return unit_name(made, rows[i].unit); });
  table.add("route", [&](std::int64_t i) { return d.route_of_unit[rows[i].unit]; });
  table.add("step", [&](std::int64_t i) { return rows[i].step; });
  table.add("state", [&](std::int64_t i) { return mdp.state_name(rows[i].leg.state); });
  table.add("action", [&](std::int64_t i) { return mdp.action_name(rows[i].leg.action); });
  return table;
}

}  // namespace

void bind_design(nb::module_& module) {
  nb::class_<Designed> type(module, "Design");
  type.def("__str__", &Designed::text);
  type.def("_json", [](const Designed& r) { return view::dumped(r.json()); });
  type.def_ro("warnings", &Designed::warnings);
  type.def("_plan", &Designed::plan);
  type.def("_pairs", &designed_pairs);
  type.def("_routes", &designed_routes);
  bind_page(type);
  type.def_prop_ro("model", [](const Designed& r) { return r.model; });
  const auto number = [&](const char* name, double design::Design::*which) {
    type.def_prop_ro(name, [which](const Designed& r) { return r.design.*which; });
  };
  number("pvv_before", &design::Design::before);
  number("pvv_with_credit", &design::Design::with_credit);
  number("pvv_after", &design::Design::after);
  number("pvv_after_rounding", &design::Design::after_rounding);
  number("gap", &design::Design::gap);
  number("relative_gap", &design::Design::relative_gap);
  number("expected_loss", &design::Design::expected_loss);
  number("seconds", &design::Design::seconds);
  type.def_prop_ro("status", [](const Designed& r) { return std::string(to_string(r.design.status)); });
  type.def_prop_ro("constraints_kept", [](const Designed& r) { return r.design.constraints_kept; });
  def_array(
      type, "counts",
      [](nb::handle self) {
        return view_of(std::span<const double>(nb::cast<const Designed&>(self).design.counts), self);
      },
      "Expected observations, per pair.");
  module.def("design", &design_pilot, nb::arg("model"), nb::arg("units"), nb::arg("steps"),
             nb::arg("others").none(), nb::arg("positions").none(), nb::arg("target"), nb::arg("occupancy"),
             nb::arg("method"), nb::arg("credit"), nb::arg("block"), nb::arg("coverage").none(),
             nb::arg("log").none(), nb::arg("prior"), nb::arg("limits"), nb::arg("gap"),
             nb::arg("time_limit").none(), nb::arg("navigation"), nb::arg("bottleneck"), nb::arg("sizes"),
             nb::arg("size_units"), nb::arg("size_steps"), nb::arg("remove").none(), nb::arg("top"),
             nb::arg("seed"), nb::arg("threads"), nb::arg("progress").none());
  module.def(
      "write_text",
      [](const std::string& path, const std::string& text) {
        const Freed free;
        command::write_file(path, text);
      },
      nb::arg("path"), nb::arg("text"), "Writes a file, all or nothing.");
}

}  // namespace mindgap::python
