#include <fmt/format.h>

#include "bindings/commands.h"
#include "bindings/python_planner.h"
#include "mindgap/base/error.h"
#include "mindgap/decide/case_with_plans.h"
#include "mindgap/decide/page.h"
#include "mindgap/decide/places.h"
#include "mindgap/files/pilot_tables.h"
#include "mindgap/study/plan.h"
#include "mindgap/view/decide.h"
#include "mindgap/view/history.h"

namespace mindgap::python {
namespace {

// A decision with what its words are about.
struct Decided {
  mdp::Model model;  // as it starts from where the units are
  decide::Situation situation;
  decide::DecideOptions options;
  decide::Decision decision;
  std::vector<decide::TippingMap> tipping;
  std::vector<std::string> unit_names;
  std::vector<std::string> warnings;
  belief::PriorOverrides prior;
  std::string log;  // the text of the log, or ""

  study::DecisionInput plan() const { return {model, situation, options, decision, unit_names, prior, log}; }
  view::DecideView view() const { return {model, situation, options, decision, tipping, unit_names}; }
  decide::PageInput page() const {
    return {model, situation, options, decision, tipping, unit_names, MINDGAP_VERSION};
  }
};

decide::DecideOptions options_of(const std::vector<std::string>& plans, std::int64_t worlds,
                                 const std::string& objective, double indifference, double time_limit,
                                 std::int64_t replan_every, const std::string& target, std::uint64_t seed,
                                 int threads) {
  decide::DecideOptions options;
  for (const std::string& name : plans) options.plans.push_back(decide::plan_from_string(name));
  options.worlds = worlds;
  if (objective != "total" && objective != "discounted") {
    throw InvalidArgument(
        fmt::format("objective is '{}': total or discounted is wanted", base::printable(objective)));
  }
  options.objective = objective == "total" ? decide::Objective::total : decide::Objective::discounted;
  options.indifference = indifference;
  options.time_limit = time_limit;
  options.simulation.replan_every = replan_every;
  options.simulation.target = design::target_from_string(target);
  options.simulation.seed = seed;
  options.simulation.threads = threads;
  options.validate();
  return options;
}

decide::Places places_of(const mdp::Mdp& mdp, std::int64_t units, const Source* positions,
                         const std::optional<mdp::ObservationLog>& log, std::vector<std::string>& warnings) {
  if (positions != nullptr)
    return decide::places_at(files::parse_positions(positions->file, mdp), units, positions->file.name);
  decide::Places start = decide::places_at_start(mdp, units);
  if (!log) return start;
  if (std::optional<decide::Places> places = decide::places_after(*log, units)) return *places;
  warnings.push_back(fmt::format(
      "{} has other units than the {} that there are: they are taken to be at the model's start; say "
      "where they are with `positions`",
      log->file, units));
  return start;
}

Decided decide_with(mdp::Model model, std::int64_t units, std::int64_t horizon, const Source* coverage,
                    const Source* log, const belief::PriorOverrides& prior, const Source* positions,
                    decide::DecideOptions options, bool tipping, LongCall& call) {
  std::vector<std::string> warnings;
  const auto seen = log_of(log, model);
  for (const std::string& said :
       {seen ? view::log_warning(*seen) : std::string(),
        coverage != nullptr ? view::coverage_warning(coverage->file) : std::string()}) {
    if (!said.empty()) warnings.push_back(said);
  }
  decide::Places places = places_of(model.mdp, units, positions, seen, warnings);
  model.mdp = decide::starting_at(model.mdp, places);
  const auto counts = coverage_of(coverage, model);
  decide::Situation situation{belief::gather_knowledge(model, counts, seen, prior), places.state, horizon};
  if (prior.odds && situation.knowledge.source != belief::PriorSource::coverage)
    warnings.emplace_back(
        "odds say how far to trust history where it looked: without coverage they change nothing");
  options.price_next_batch = seen.has_value();
  options.simulation.on_progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
    call.report(what, done, total);
  };
  options.simulation.should_stop = [&] {
    call.check();
    return false;
  };
  options.on_estimate = [&](double seconds) {
    constexpr double kLong = 10;
    if (seconds >= kLong) call.report(fmt::format("this will take about {:.0f} s", seconds), 0, 1);
  };
  decide::Decision decision = decide::decide(situation, options);
  std::vector<decide::TippingMap> maps;
  if (tipping) maps = decide::tipping_maps(model, situation, options, counts, seen, prior);
  options.simulation.on_progress = nullptr;
  options.simulation.should_stop = nullptr;
  options.on_estimate = nullptr;
  warnings.insert(warnings.end(), decision.warnings.begin(), decision.warnings.end());
  warnings.insert(warnings.end(), decision.notes.begin(), decision.notes.end());
  return {std::move(model),
          std::move(situation),
          std::move(options),
          std::move(decision),
          std::move(maps),
          std::move(places.names),
          std::move(warnings),
          prior,
          log == nullptr ? std::string() : std::string(log->file.text)};
}

Decided decide_now(const mdp::Model& model, std::int64_t units, std::int64_t horizon, const Source* coverage,
                   const Source* log, const belief::PriorOverrides& prior, const Source* positions,
                   const std::vector<std::string>& plans, std::int64_t worlds, const std::string& objective,
                   double indifference, double time_limit, std::int64_t replan_every,
                   const std::string& target, bool tipping, std::uint64_t seed, int threads,
                   nb::object progress) {
  if (horizon < 1) throw InvalidArgument(fmt::format("horizon is {}: at least one step is wanted", horizon));
  const decide::DecideOptions options =
      options_of(plans, worlds, objective, indifference, time_limit, replan_every, target, seed, threads);
  if (tipping && options.objective != decide::Objective::total) {
    throw InvalidArgument(
        "tipping is about total reward over horizons: it does not go with the objective discounted");
  }
  LongCall call(std::move(progress));
  return call.run([&] {
    return decide_with(model, units, horizon, coverage, log, prior, positions, options, tipping, call);
  });
}

Table plans_table(const Decided& made) {
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
Table routes_table(const Decided& made) {
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
  table.add("axis", [&](std::int64_t i) { return rows[i].first->axis; });
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

report::Page page_of(const Decided& made) {
  return decide::page_of(made.page());
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
  type.def_prop_ro("headline", [](const Decided& r) { return decide::headline_of(r.page()); });
  type.def_prop_ro("reason", [](const Decided& r) { return decide::reason_of(r.page()); });
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
  type.def_prop_ro("assumptions", [](const Decided& r) { return r.decision.assumptions; });
  type.def_prop_ro("warnings", [](const Decided& r) { return r.warnings; });
}

// The plan as it was recommended: a pilot's very routes, and everything else with the belief and the looks
// that it was followed with in drawn worlds.
trial::MakePlanner follow(const Decided& made) {
  const decide::Decision& decision = made.decision;
  const decide::PlanResult& chosen = decision.plans[decision.recommended];
  const belief::Belief belief = made.situation.belief();
  const std::int64_t every = chosen.replan_every;
  if (chosen.plan.is_pilot()) {
    planner::RoutedPilot pilot{chosen.plan.pilot_steps, decision.pilot->routes,
                               std::vector<std::int32_t>(made.situation.unit_state.size(), -1)};
    for (std::size_t i = 0; i < decision.pilot_members.size(); ++i)
      pilot.route_of_unit[decision.pilot_members[i]] = decision.pilot->route_of_unit[i];
    const auto shared = std::make_shared<const planner::RoutedPilot>(std::move(pilot));
    return [=](planner::Setting setting) {
      setting.options.replan_every = every;
      return decide::follow_pilot(belief, shared, std::move(setting));
    };
  }
  return [=, plan = chosen.plan](planner::Setting setting) {
    decide::check_same_pairs(belief.simulator(), setting.belief.simulator());
    setting.belief = belief;
    setting.options.replan_every = every;
    return decide::make_plan(plan, setting);
  };
}

}  // namespace

std::optional<trial::MakePlanner> planner_of_decision(nb::handle made) {
  if (!nb::isinstance<Decided>(made)) return std::nullopt;
  return follow(nb::cast<const Decided&>(made));
}

void bind_decide(nb::module_& module) {
  nb::class_<Decided> type(module, "Decision");
  type.def("__str__", [](const Decided& r) { return view::text_of(r.view()); });
  type.def("_json", [](const Decided& r) { return view::dumped(view::json_of(r.view())); });
  type.def("_plan", [](const Decided& r) { return study::pilot_plan(r.plan()); });
  type.def("_study_plan", [](const Decided& r) { return study::recommended_plan(r.plan()); });
  type.def("_html", [](const Decided& r) { return report::to_html(page_of(r)); });
  type.def("_plans", &plans_table);
  type.def("_curves", &curves_table);
  type.def("_routes", &routes_table);
  type.def("_tipping", &tipping_table);
  bind_page<Decided>(type, &page_of);
  type.def_prop_ro("model", [](const Decided& r) { return r.model; });
  bind_numbers(type);
  bind_gains(type);
  module.def("decide", &decide_now, nb::arg("model"), nb::arg("units"), nb::arg("horizon"),
             nb::arg("coverage").none(), nb::arg("log").none(), nb::arg("prior"), nb::arg("positions").none(),
             nb::arg("plans"), nb::arg("worlds"), nb::arg("objective"), nb::arg("indifference"),
             nb::arg("time_limit"), nb::arg("replan_every"), nb::arg("target"), nb::arg("tipping"),
             nb::arg("seed"), nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace mindgap::python
