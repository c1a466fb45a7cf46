#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "bars.h"
#include "command.h"
#include "decide_view.h"
#include "knowledge.h"
#include "mindgap/base/error.h"
#include "mindgap/decide/page.h"
#include "mindgap/mdp/number.h"
#include "mindgap/mdp/output.h"
#include "mindgap/mdp/pilot_tables.h"

namespace mindgap::app {
namespace {

using decide::Decision;
using decide::Situation;

struct DecideCommand {
  std::string model, positions, worlds = "auto", objective = "total", target = "ensemble", report, out;
  std::vector<std::string> plans;
  std::int64_t units = 0, horizon = 0;
  bool tipping = false;
  KnowledgeOptions knowledge;
  decide::DecideOptions options;
};

// Where the units are, and what they are called.
struct Places {
  std::vector<std::int32_t> state;
  std::vector<std::string> names;
};

Places numbered(std::vector<std::int32_t> state) {
  Places places{std::move(state), {}};
  for (std::size_t u = 0; u < places.state.size(); ++u) places.names.push_back(fmt::format("{}", u + 1));
  return places;
}

Places read_places(const DecideCommand& command, const mdp::Mdp& mdp) {
  const mdp::Positions positions = mdp::read_positions(command.positions, mdp);
  if (static_cast<std::int64_t>(positions.state.size()) != command.units) {
    throw InvalidArgument(fmt::format("{}: {} units have a position, but --units is {}", command.positions,
                                      positions.state.size(), command.units));
  }
  Places places{positions.state, {}};
  for (std::size_t u = 0; u < places.state.size(); ++u)
    places.names.emplace_back(positions.units[static_cast<std::int32_t>(u)]);
  return places;
}

// Where the log leaves its units; none where they are not as many as --units.
std::optional<Places> places_in_log(const DecideCommand& command, const mdp::ObservationLog& log) {
  std::vector<std::int64_t> last(static_cast<std::size_t>(command.units), -1);
  Places places{std::vector<std::int32_t>(last.size(), 0), std::vector<std::string>(last.size())};
  for (std::size_t i = 0; i < log.size(); ++i) {
    const auto unit = static_cast<std::size_t>(log.unit[i]);
    if (unit >= last.size()) return std::nullopt;
    if (log.step[i] <= last[unit]) continue;
    last[unit] = log.step[i];
    places.state[unit] = log.next_state[i];
    places.names[unit] = std::string(log.units[log.unit[i]]);
  }
  if (std::find(last.begin(), last.end(), -1) != last.end()) return std::nullopt;
  return places;
}

Places places_of(const DecideCommand& command, const mdp::Mdp& mdp,
                 const std::optional<mdp::ObservationLog>& log, const CommonOptions& common) {
  if (!command.positions.empty()) return read_places(command, mdp);
  if (log) {
    if (std::optional<Places> places = places_in_log(command, *log)) return *places;
    warn(common, fmt::format("{} has other units than the {} of --units: they are taken to be at the model's "
                             "start; say where they are with --positions",
                             command.knowledge.log, command.units));
  }
  return numbered(design::spread_units(mdp.start(), command.units));
}

// The model as it starts from where the units are.
mdp::Mdp from_places(const mdp::Mdp& mdp, const Places& places) {
  std::vector<double> start(static_cast<std::size_t>(mdp.states()), 0.0);
  for (const std::int32_t s : places.state) start[s] += 1.0 / static_cast<double>(places.state.size());
  return mdp.with_start(std::move(start));
}

decide::DecideOptions options_of(const DecideCommand& command, const CommonOptions& common) {
  decide::DecideOptions options = command.options;
  for (const std::string& name : command.plans) options.plans.push_back(decide::plan_from_string(name));
  options.objective = command.objective == "total" ? decide::Objective::total : decide::Objective::discounted;
  if (command.worlds != "auto") {
    double worlds = 0;
    if (mdp::parse_number(command.worlds, worlds) != mdp::NumberStatus::ok || worlds != std::floor(worlds) ||
        worlds < 2 || worlds > 1e7) {
      throw InvalidArgument(fmt::format("--worlds is '{}': auto or a whole number from 2 is wanted",
                                        base::printable(command.worlds)));
    }
    options.worlds = static_cast<std::int64_t>(worlds);
  }
  if (command.tipping && options.objective != decide::Objective::total)
    throw InvalidArgument(
        "--tipping is about total reward over horizons: it does not go with --objective discounted");
  options.simulation.target = design::target_from_string(command.target);
  options.simulation.seed = common.seed;
  options.simulation.threads = common.threads;
  options.validate();
  return options;
}

// What the pilot's plan says of itself.
design::DesignOptions pilot_options(const Decision& decision, const decide::DecideOptions& options,
                                    const Places& places) {
  design::DesignOptions pilot;
  pilot.units = decision.plans[*decision.pilot_plan].plan.pilot_units;
  pilot.steps = decision.plans[*decision.pilot_plan].plan.pilot_steps;
  pilot.target = options.simulation.target;
  for (const std::int32_t u : decision.pilot_members) pilot.unit_names.push_back(places.names[u]);
  return pilot;
}

std::vector<decide::TippingMap> tipping_maps(const DecideCommand& command, const mdp::Model& model,
                                             const Situation& situation,
                                             const std::optional<std::vector<double>>& coverage,
                                             const std::optional<mdp::ObservationLog>& log,
                                             const decide::DecideOptions& options) {
  std::vector<decide::TippingMap> maps;
  const decide::TippingOptions how{.time_limit = options.time_limit / (coverage ? 2 : 1)};
  maps.push_back(decide::tipping_map(
      situation, options, "prior width",
      "standard deviations of the prior times this, its pseudo-observations divided by the square of it",
      {.0625, .125, .25, .5, 1, 2, 4}, 1,
      [&](double width) { return decide::widened(situation.knowledge, width); }, how));
  if (!coverage) return maps;
  const double here = situation.knowledge.odds;
  std::vector<double> odds = {1, 1.5, 2, 3, 5};
  if (std::find(odds.begin(), odds.end(), here) == odds.end()) odds.push_back(here);
  maps.push_back(decide::tipping_map(
      situation, options, "odds", "how far a hidden state may have moved the odds of history's actions", odds,
      here,
      [&](double m) {
        belief::PriorOverrides prior = command.knowledge.prior;
        prior.odds = m;
        return belief::gather_knowledge(model, coverage, log, prior);
      },
      how));
  return maps;
}

int run(const DecideCommand& command, const CommonOptions& common) {
  decide::DecideOptions options = options_of(command, common);
  if (command.units < 1) throw InvalidArgument("--units: at least one unit is wanted");
  if (command.units > 10'000'000) throw InvalidArgument("--units: at most 10,000,000 units are possible");
  if (command.horizon < 1) throw InvalidArgument("--horizon: at least one step is wanted");
  for (const std::string& path : {command.report, command.out}) {
    if (!path.empty()) mdp::check_writable(path);  // not after a minute of computing
  }
  mdp::Model model = load_model(command.model, common);
  const auto log = read_log(command.knowledge, model);
  const Places places = places_of(command, model.mdp, log, common);
  model.mdp = from_places(model.mdp, places);
  const auto coverage = read_coverage(command.knowledge, model);
  const Situation situation{belief::gather_knowledge(model, coverage, log, command.knowledge.prior),
                            places.state, command.horizon};
  options.price_next_batch = log.has_value();
  const GentleInterruption interruption;
  Decision decision;
  std::vector<decide::TippingMap> tipping;
  {
    Bars bars(common.quiet);
    options.simulation.on_progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
      bars.show(what, done, total);
    };
    options.simulation.should_stop = [&] { return interruption.asked(); };
    decision = decide::decide(situation, options);
    if (command.tipping && !interruption.asked())
      tipping = tipping_maps(command, model, situation, coverage, log, options);
  }
  decision.interrupted = interruption.asked();
  for (const std::string& note : decision.notes) warn(common, note);
  DecideView view{model, situation, options, decision, tipping, places.names};
  if (!decision.interrupted) {
    const UninterruptedWrite whole;
    if (!command.out.empty() && decision.pilot) {
      mdp::write_file(command.out, design::plan_json(model.mdp, *decision.pilot,
                                                     pilot_options(decision, options, places)));
      view.plan = command.out;
    } else if (!command.out.empty()) {
      warn(common, fmt::format("{} is not written: there is no pilot among the plans", command.out));
    }
    if (!command.report.empty()) {
      mdp::write_file(command.report,
                      report::to_html(decide::page_of(
                          {model, situation, options, decision, tipping, places.names, MINDGAP_VERSION})));
      view.report = command.report;
    }
  }
  print_result(common, text_of(view), json_of(view));
  if (decision.interrupted) return kInterrupted;
  return decision.verdict ? kDone : kNotConverged;
}

}  // namespace

void add_decide(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(
      app, "decide", "deploy, learn passively, or experiment: how long, where, worth how much",
      "mindgap decide examples/vans --units 8 --horizon 100 --coverage examples/vans/coverage.csv --report "
      "report.html",
      common);
  const auto command = std::make_shared<DecideCommand>();
  cli.add_option("MODEL", command->model, "a model folder or an HDF5 file")->required();
  cli.add_option("--units", command->units, "units that act: vans, machines, clinics")->required();
  cli.add_option("--horizon", command->horizon, "steps that are ahead")->required();
  add_knowledge_options(cli, command->knowledge);
  cli.add_option(
      "--positions", command->positions,
      "where the units are now: unit,state; default: where the log leaves them, or the model's start");
  cli.add_option(
         "--plans", command->plans,
         "what is compared: sop, asop, thompson, pilot-UxT (U units, T steps), between commas; default: "
         "the first three and pilots of several sizes and lengths")
      ->delimiter(',')
      ->allow_extra_args(false);
  cli.add_option("--worlds", command->worlds,
                 "models drawn from the belief: a number, or auto: until the verdict is settled")
      ->capture_default_str();
  cli.add_option("--objective", command->objective, "what counts over the horizon")
      ->check(CLI::IsMember({"total", "discounted"}))
      ->capture_default_str();
  cli.add_option("--indifference", command->options.indifference,
                 "kinds of plan closer than this share of the best value are tied, and the simplest wins")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  cli.add_option("--time-limit", command->options.time_limit,
                 "seconds after which --worlds auto and --tipping stop (exit status 3 where undecided)")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  cli.add_option("--replan-every", command->options.simulation.replan_every,
                 "steps between two looks at what was learnt; 0 = a twentieth of the horizon, at most 5")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
  cli.add_option("--target", command->target, "whose value pilots make sure of, as in mindgap design")
      ->capture_default_str();
  cli.add_flag("--tipping", command->tipping,
               "also: how wrong must the simulator be before the verdict flips, over prior width, odds and "
               "horizon");
  cli.add_option("--report", command->report, "write a page to hand over: one HTML file that opens offline");
  cli.add_option("--out", command->out, "write the pilot's complete plan here, as mindgap design does");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app
