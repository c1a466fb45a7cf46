#include <fmt/format.h>

#include <nanobind/stl/pair.h>

#include <algorithm>
#include <numeric>

#include "bindings/commands.h"
#include "mindgap/base/error.h"
#include "mindgap/files/output.h"
#include "mindgap/files/pilot_tables.h"
#include "mindgap/report/charts.h"
#include "mindgap/view/design.h"
#include "mindgap/view/print.h"

namespace mindgap::python {
namespace {

// A design with what its words are about.
struct Designed {
  mdp::Model model;
  design::Design design;
  design::DesignOptions options;
  std::size_t top = 10;

  view::DesignView view() const { return {model, design, options, top, ""}; }
};

using Shares = std::vector<std::pair<std::string, double>>;

// What a design must keep to.
struct Limits {
  const Source *forbid, *capacity, *costs;
  std::optional<double> cost_budget, max_loss;
  Shares minimum_shares, maximum_shares;
};

void keep_to(const Limits& limits, const mdp::Mdp& mdp, design::DesignOptions& options) {
  if (limits.forbid != nullptr) options.forbidden = files::parse_forbidden(limits.forbid->file, mdp);
  if (limits.capacity != nullptr) options.capacity = files::parse_capacities(limits.capacity->file, mdp);
  if (limits.costs != nullptr) options.cost = files::parse_costs(limits.costs->file, mdp);
  options.cost_budget = limits.cost_budget;
  options.max_loss = limits.max_loss;
  options.minimum_shares = limits.minimum_shares;
  options.maximum_shares = limits.maximum_shares;
}

Designed design_pilot(const mdp::Model& model, std::int64_t units, std::int64_t steps,
                      std::optional<std::int64_t> others, const Source* positions, const std::string& target,
                      const std::string& occupancy, const std::string& method, bool credit,
                      const std::string& block, const Source* coverage, const Source* log,
                      const belief::PriorOverrides& prior, Shares minimum_shares, Shares maximum_shares,
                      const Source* forbid, const Source* capacity, const Source* costs,
                      std::optional<double> cost_budget, std::optional<double> max_loss, double gap,
                      std::optional<double> time_limit, std::size_t top, std::uint64_t seed, int threads,
                      nb::object progress) {
  design::DesignOptions options;
  options.units = units;
  options.steps = steps;
  options.others = others.value_or(0);
  options.target = design::target_from_string(target);
  if (occupancy != "finite" && occupancy != "discounted") {
    throw InvalidArgument(
        fmt::format("occupancy is '{}': finite or discounted is wanted", base::printable(occupancy)));
  }
  options.finite = occupancy == "finite";
  options.method = design::minimiser_from_string(method);
  options.use_credit = credit;
  options.block = design::block_from_string(block);
  options.relative_gap = gap;
  if (time_limit) options.time_limit = *time_limit;
  options.seed = seed;
  options.threads = threads;
  LongCall call(std::move(progress));
  const Limits limits{
      forbid, capacity, costs, cost_budget, max_loss, std::move(minimum_shares), std::move(maximum_shares)};
  return call.run([&] {
    keep_to(limits, model.mdp, options);
    if (positions != nullptr) {
      design::place_units(files::parse_positions(positions->file, model.mdp), positions->file.name, others,
                          model.mdp, options);
    }
    const belief::Knowledge knowledge =
        belief::gather_knowledge(model, coverage_of(coverage, model), log_of(log, model), prior);
    options.on_progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
      call.report(what, done, total);
    };
    Designed made{model, design::design_pilot(knowledge, options), options, top};
    made.options.on_progress = nullptr;
    return made;
  });
}

Table pairs_table(const Designed& made) {
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
Table routes_table(const Designed& made) {
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

report::Figure visits(const Designed& made) {
  const design::Design& d = made.design;
  const mdp::Mdp& mdp = made.model.mdp;
  std::vector<std::int32_t> order(d.counts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return d.counts[a] > d.counts[b]; });
  report::BarsChart chart;
  chart.words = {"where-to-look", "Where to look", "Pairs that the pilot observes most, in expectation.", ""};
  chart.table = {"", {"state / action", "visits"}, {}};
  for (std::size_t i = 0; i < std::min<std::size_t>(10, order.size()) && d.counts[order[i]] > 0; ++i) {
    const std::int32_t k = order[i];
    chart.table.rows.push_back(
        {fmt::format("{} / {}", base::printable(mdp.state_name(mdp.state_of_pair(k)), 40),
                     base::printable(mdp.action_name_of_pair(k), 40)),
         fmt::format("{:.4g}", d.counts[k])});
  }
  chart.category = "state / action";
  chart.value = {"visits", "expected observations"};
  return report::bars(chart);
}

report::Page page_of(const Designed& made) {
  const design::Design& d = made.design;
  const auto number = [](double value) { return fmt::format("{:.4g}", value); };
  report::Answer answer{"",
                        fmt::format("A pilot of {} over {}", view::count(made.options.units, "unit"),
                                    view::count(made.options.steps, "step")),
                        view::headline(made.model),
                        {{"Variance of the target's value now", number(d.before)},
                         {"after the pilot, with whole units", number(d.after_rounding)},
                         {"no pilot of this size brings it below", number(d.after - d.gap)},
                         {"Reward given up meanwhile", number(d.expected_loss)}}};
  report::Table routes{"Routes", {"unit", "from", "most likely"}, {}};
  for (std::size_t u = 0; u < d.route_of_unit.size(); ++u) {
    const auto way = design::likely_way(made.model.mdp, d.routes[d.route_of_unit[u]], d.unit_state[u]);
    routes.rows.push_back({base::printable(unit_name(made, u)),
                           base::printable(made.model.mdp.state_name(d.unit_state[u])),
                           design::in_words(made.model.mdp, way)});
  }
  report::Section section{"", {answer, visits(made)}};
  if (!routes.rows.empty()) section.blocks.emplace_back(std::move(routes));
  return {"A pilot", "", {section}, ""};
}

}  // namespace

void bind_design(nb::module_& module) {
  nb::class_<Designed> type(module, "Design");
  type.def("__str__", [](const Designed& r) { return view::text_of(r.view()); });
  type.def("_json", [](const Designed& r) { return view::dumped(view::json_of(r.view())); });
  type.def("_plan", [](const Designed& r) { return design::plan_json(r.model.mdp, r.design, r.options); });
  type.def("_pairs", &pairs_table);
  type.def("_routes", &routes_table);
  bind_page<Designed>(type, &page_of);
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
             nb::arg("log").none(), nb::arg("prior"), nb::arg("minimum_shares"), nb::arg("maximum_shares"),
             nb::arg("forbid").none(), nb::arg("capacity").none(), nb::arg("costs").none(),
             nb::arg("cost_budget").none(), nb::arg("max_loss").none(), nb::arg("gap"),
             nb::arg("time_limit").none(), nb::arg("top"), nb::arg("seed"), nb::arg("threads"),
             nb::arg("progress").none());
  module.def(
      "write_text",
      [](const std::string& path, const std::string& text) {
        const Freed free;
        files::write_file(path, text);
      },
      nb::arg("path"), nb::arg("text"), "Writes a file, all or nothing.");
}

}  // namespace mindgap::python
