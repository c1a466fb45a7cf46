#include <fmt/format.h>

#include "bindings/commands.h"
#include "bindings/python_planner.h"
#include "bindings/python_workers.h"
#include "mindgap/command/decide.h"

namespace mindgap::python {
namespace {

using Decided = command::DecideAnswer;

Decided decide_now(const mdp::Model& model, const std::string& model_path, const std::string& date,
                   std::int64_t units, std::int64_t horizon, const Source* coverage, const Source* log,
                   const belief::PriorOverrides& prior, const Source* positions,
                   const std::vector<std::string>& plans, const Source* plan, std::int64_t worlds,
                   std::int64_t most_draws, std::int64_t most_worlds, const std::string& objective,
                   double indifference, double time_limit, std::int64_t replan_every,
                   const std::string& target, const command::LimitsRequest& limits,
                   const command::TermsRequest& terms, bool tipping, bool tornado, const std::string& device,
                   std::uint64_t seed, int threads, nb::object progress, nb::object workers) {
  command::DecideRequest request{model};
  request.model_path = model_path;
  request.date = date;
  request.evidence = evidence_of(coverage, log, prior);
  request.positions = given(positions);
  request.units = units;
  request.horizon = horizon;
  request.plans = plans;
  request.plan = given(plan);
  request.worlds = worlds;
  request.most_worlds = most_worlds;
  request.most_draws = most_draws;
  request.objective = objective;
  request.indifference = indifference;
  request.time_limit = time_limit;
  request.replan_every = replan_every;
  request.target = target;
  request.limits = limits;
  request.terms = terms;
  request.tipping = tipping;
  request.tornado = tornado;
  request.device = device;
  LongCall call(std::move(progress));
  request.run = {seed, threads, call.listener()};
  const std::unique_ptr<base::Workers> found = python_workers(std::move(workers), call);
  return call.run([&] {
    const base::SharedBy shared(found.get());
    return command::decide(request);
  });
}

// Everything that is said beside the result.
std::vector<std::string> warnings_of(const Decided& made) {
  std::vector<std::string> all = made.warnings;
  for (std::string& finding : made.findings()) all.push_back(std::move(finding));
  for (std::string& note : made.notes()) all.push_back(std::move(note));
  return all;
}

Table table_of_plans(const Decided& made) {
  const auto& plans = made.decision.plans;
  Table table(static_cast<std::int64_t>(plans.size()));
  const auto put = [&](const char* name, auto get) {
    table.add(name, [&](std::int64_t i) { return get(plans[i]); });
  };
  using Result = decide::PlanResult;
  put("name", [](const Result& r) { return r.plan.name; });
  put("kind", [](const Result& r) { return std::string(decide::name_of(r.plan.kind)); });
  put("exploration", [](const Result& r) { return std::string(decide::name_of(r.plan.exploration)); });
  put("units", [](const Result& r) { return r.plan.pilot_units; });
  put("steps", [](const Result& r) { return r.plan.pilot_steps; });
  put("window", [](const Result& r) { return r.plan.window; });
  put("replan_every", [](const Result& r) { return r.replan_every; });
  put("value", [](const Result& r) { return r.value; });
  put("standard_error", [](const Result& r) { return r.standard_error; });
  put("range_lower", [](const Result& r) { return r.range.lower; });
  put("range_upper", [](const Result& r) { return r.range.upper; });
  put("total", [](const Result& r) { return r.total; });
  put("discounted", [](const Result& r) { return r.discounted; });
  put("difference_to_best", [](const Result& r) { return r.difference_to_best; });
  put("lower", [](const Result& r) { return r.interval.lower; });
  put("upper", [](const Result& r) { return r.interval.upper; });
  put("share_best", [](const Result& r) { return r.share_best; });
  put("expected_loss",
      [](const Result& r) { return r.expected_loss ? std::optional(r.expected_loss->mean) : std::nullopt; });
  put("worlds", [](const Result& r) { return r.worlds; });
  put("screened", [](const Result& r) { return r.screened; });
  return table;
}

// What each plan has gathered by some steps: mean, and where 80 % of the worlds lie.
Table curves_table(const Decided& made) {
  const auto& plans = made.decision.plans;
  std::vector<std::pair<std::size_t, std::size_t>> rows;  // plan, point
  for (std::size_t p = 0; p < plans.size(); ++p) {
    for (std::size_t i = 0; i < plans[p].mean.size(); ++i) rows.emplace_back(p, i);
  }
  Table table(static_cast<std::int64_t>(rows.size()));
  table.add("plan", [&](std::int64_t i) { return plans[rows[i].first].plan.name; });
  table.add("step", [&](std::int64_t i) { return made.decision.steps[rows[i].second]; });
  table.add("mean", [&](std::int64_t i) { return plans[rows[i].first].mean[rows[i].second]; });
  table.add("lower", [&](std::int64_t i) { return plans[rows[i].first].lower[rows[i].second]; });
  table.add("upper", [&](std::int64_t i) { return plans[rows[i].first].upper[rows[i].second]; });
  return table;
}

// Where the pilot's units go, most likely.
Table table_of_ways(const Decided& made) {
  const decide::Decision& decision = made.decision;
  const mdp::Mdp& mdp = made.model.mdp;
  struct Row {
    std::int32_t unit;
    std::int64_t step;
    design::Leg leg;
  };
  std::vector<Row> rows;
  for (std::size_t i = 0; decision.pilot && i < decision.pilot_members.size(); ++i) {
    const design::Design& pilot = *decision.pilot;
    std::int64_t step = 0;
    for (const design::Leg& leg :
         design::likely_way(mdp, pilot.routes[pilot.route_of_unit[i]], pilot.unit_state[i]))
      rows.push_back({decision.pilot_members[i], step++, leg});
  }
  Table table(static_cast<std::int64_t>(rows.size()));
  table.add("unit", [&](std::int64_t i) { return made.unit_names[rows[i].unit]; });
  table.add("step", [&](std::int64_t i) { return rows[i].step; });
  table.add("state", [&](std::int64_t i) { return mdp.state_name(rows[i].leg.state); });
  table.add("action", [&](std::int64_t i) { return mdp.action_name(rows[i].leg.action); });
  return table;
}

Table tipping_table(const Decided& made) {
  std::vector<std::pair<const decide::TippingMap*, const decide::TippingCell*>> rows;
  for (const decide::TippingMap& map : made.tipping) {
    for (const decide::TippingCell& cell : map.cells) rows.emplace_back(&map, &cell);
  }
  Table table(static_cast<std::int64_t>(rows.size()));
  const auto put = [&](const char* name, auto get) {
    table.add(name, [&](std::int64_t i) { return get(*rows[i].second); });
  };
  using Cell = decide::TippingCell;
  table.add("axis", [&](std::int64_t i) { return std::string(name_of(rows[i].first->axis)); });
  put("setting", [](const Cell& c) { return c.setting; });
  put("horizon", [](const Cell& c) { return c.horizon; });
  put("verdict",
      [](const Cell& c) { return std::string(c.verdict ? decide::name_of(*c.verdict) : "undecided"); });
  put("leaning", [](const Cell& c) { return std::string(decide::name_of(c.leaning)); });
  put("gain", [](const Cell& c) { return c.gain; });
  put("lower", [](const Cell& c) { return c.gain_interval.lower; });
  put("upper", [](const Cell& c) { return c.gain_interval.upper; });
  return table;
}

template <typename Get>
nb::object priced(const Decided& made, Get get) {
  if (!made.decision.against) return nb::none();
  return nb::cast(get(*made.decision.against));
}

// plan, other, gain, (lower, upper), worlds.
nb::object gain_tuple(const Decided& made, const std::optional<decide::Comparison>& gain) {
  if (!gain) return nb::none();
  const auto& plans = made.decision.plans;
  return nb::make_tuple(plans[gain->plan].plan.name, plans[gain->other].plan.name, gain->gain,
                        nb::make_tuple(gain->gain_interval.lower, gain->gain_interval.upper), gain->worlds);
}

void bind_gains(nb::class_<Decided>& type) {
  type.def_prop_ro(
      "over_learning", [](const Decided& r) { return gain_tuple(r, r.decision.over_learning); },
      nb::sig("def over_learning(self) -> tuple[str, str, float, tuple[float, float], int] | None"));
  type.def_prop_ro(
      "over_undirected", [](const Decided& r) { return gain_tuple(r, r.decision.over_undirected); },
      nb::sig("def over_undirected(self) -> tuple[str, str, float, tuple[float, float], int] | None"));
  type.def_prop_ro("uses_horizon", [](const Decided& r) {
    const decide::Plan& plan = r.decision.plans[r.decision.recommended].plan;
    return !plan.planner.empty() && planner::find_planner(plan.planner).uses_horizon;
  });
}

void bind_numbers(nb::class_<Decided>& type) {
  using decide::Comparison;
  type.def_prop_ro("verdict", [](const Decided& r) {
    return std::string(r.decision.verdict ? decide::name_of(*r.decision.verdict) : "undecided");
  });
  type.def_prop_ro("leaning",
                   [](const Decided& r) { return std::string(decide::name_of(r.decision.leaning)); });
  type.def_prop_ro("headline", &Decided::headline);
  type.def_prop_ro("reason", &Decided::reason);
  type.def_prop_ro("plan",
                   [](const Decided& r) { return r.decision.plans[r.decision.recommended].plan.name; });
  type.def_prop_ro(
      "gain", [](const Decided& r) { return priced(r, [](const Comparison& c) { return c.gain; }); },
      nb::sig("def gain(self) -> float | None"));
  type.def_prop_ro(
      "interval",
      [](const Decided& r) {
        return priced(r, [](const Comparison& c) {
          return nb::make_tuple(c.gain_interval.lower, c.gain_interval.upper);
        });
      },
      nb::sig("def interval(self) -> tuple[float, float] | None"));
  type.def_prop_ro(
      "cost", [](const Decided& r) { return priced(r, [](const Comparison& c) { return c.cost; }); },
      nb::sig("def cost(self) -> float | None"));
  type.def_prop_ro(
      "break_even_step",
      [](const Decided& r) { return priced(r, [](const Comparison& c) { return c.break_even_step; }); },
      nb::sig("def break_even_step(self) -> int | None"));
  type.def_prop_ro(
      "probability_of_loss",
      [](const Decided& r) { return priced(r, [](const Comparison& c) { return c.probability_of_loss; }); },
      nb::sig("def probability_of_loss(self) -> float | None"));
  type.def_prop_ro("worlds", [](const Decided& r) { return r.decision.worlds; });
  type.def_prop_ro("seconds", [](const Decided& r) { return r.decision.seconds; });
  type.def_prop_ro("assumptions", [](const Decided& r) { return r.assumptions(); });
  type.def_prop_ro("warnings", &warnings_of);
}

}  // namespace

std::optional<trial::MakePlanner> planner_of_decision(nb::handle made) {
  if (!nb::isinstance<Decided>(made)) return std::nullopt;
  return nb::cast<const Decided&>(made).planner();
}

void bind_decide(nb::module_& module) {
  nb::class_<Decided> type(module, "Decision");
  type.def("__str__", &Decided::text);
  type.def("_json", [](const Decided& r) { return view::dumped(r.json()); });
  type.def("_plan", &Decided::pilot_plan);
  type.def("_study_plan", &Decided::recommended_plan);
  type.def("_plans", &table_of_plans);
  type.def("_curves", &curves_table);
  type.def("_routes", &table_of_ways);
  type.def("_tipping", &tipping_table);
  type.def("_draws", &Decided::draws);
  bind_page(type);
  type.def_prop_ro("model", [](const Decided& r) { return r.model; });
  bind_numbers(type);
  bind_gains(type);
  module.def("decide", &decide_now, nb::arg("model"), nb::arg("model_path"), nb::arg("date"),
             nb::arg("units"), nb::arg("horizon"), nb::arg("coverage").none(), nb::arg("log").none(),
             nb::arg("prior"), nb::arg("positions").none(), nb::arg("plans"), nb::arg("plan").none(),
             nb::arg("worlds"), nb::arg("most_draws"), nb::arg("most_worlds"), nb::arg("objective"),
             nb::arg("indifference"), nb::arg("time_limit"), nb::arg("replan_every"), nb::arg("target"),
             nb::arg("limits"), nb::arg("terms"), nb::arg("tipping"), nb::arg("tornado"), nb::arg("device"),
             nb::arg("seed"), nb::arg("threads"), nb::arg("progress").none(), nb::arg("workers").none());
}

}  // namespace mindgap::python
