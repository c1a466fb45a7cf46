#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "bars.h"
#include "command.h"
#include "knowledge.h"
#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/decide/page.h"
#include "mindgap/decide/places.h"
#include "mindgap/files/output.h"
#include "mindgap/files/pilot_tables.h"
#include "mindgap/files/text_file.h"
#include "mindgap/study/plan.h"
#include "mindgap/view/decide.h"
#include "mindgap/view/history.h"

namespace mindgap::app {
namespace {

using decide::Decision;
using decide::Places;
using decide::Situation;

struct DecideCommand {
  std::string model, positions, worlds = "auto", objective = "total", target = "ensemble", report, out;
  std::vector<std::string> plans;
  std::int64_t units = 0, horizon = 0;
  bool tipping = false;
  KnowledgeOptions knowledge;
  decide::DecideOptions options;
};

Places places_of(const DecideCommand& command, const mdp::Mdp& mdp,
                 const std::optional<mdp::ObservationLog>& log, const CommonOptions& common) {
  if (!command.positions.empty()) {
    return decide::places_at(files::read_positions(command.positions, mdp), command.units, command.positions);
  }
  if (log) {
    if (std::optional<Places> places = decide::places_after(*log, command.units)) return *places;
    warn(common, fmt::format("{} has other units than the {} of --units: they are taken to be at the model's "
                             "start; say where they are with --positions",
                             command.knowledge.log, command.units));
  }
  return decide::places_at_start(mdp, command.units);
}

// A log and a coverage may be the same file, but mean opposite things.
void warn_of_history(const KnowledgeOptions& given, const std::optional<mdp::ObservationLog>& log,
                     const CommonOptions& common) {
  std::vector<std::string> said;
  if (log) said.push_back(view::log_warning(*log));
  if (!given.coverage.empty()) said.push_back(view::coverage_warning(files::open_text_file(given.coverage)));
  for (const std::string& warning : said) {
    if (!warning.empty()) warn(common, warning);
  }
}

decide::DecideOptions options_of(const DecideCommand& command, const CommonOptions& common) {
  decide::DecideOptions options = command.options;
  for (const std::string& name : command.plans) options.plans.push_back(decide::plan_from_string(name));
  options.objective = command.objective == "total" ? decide::Objective::total : decide::Objective::discounted;
  if (command.worlds != "auto") {
    double worlds = 0;
    if (base::parse_number(command.worlds, worlds) != base::NumberStatus::ok ||
        worlds != std::floor(worlds) || worlds < 2 || worlds > 1e7) {
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

int run(const DecideCommand& command, const CommonOptions& common) {
  decide::DecideOptions options = options_of(command, common);
  if (command.units < 1) throw InvalidArgument("--units: at least one unit is wanted");
  if (command.units > decide::kMostUnits)
    throw InvalidArgument("--units: at most 10,000,000 units are possible");
  if (command.horizon < 1) throw InvalidArgument("--horizon: at least one step is wanted");
  if (!command.report.empty() && command.report == command.out)
    throw InvalidArgument("--report and --out name the same file: " + command.report);
  for (const std::string& path : {command.report, command.out}) {
    if (!path.empty()) files::check_writable(path);  // not after a minute of computing
  }
  mdp::Model model = load_model(command.model, common);
  take_new_states(command.knowledge, model, common);
  const auto log = read_log(command.knowledge, model);
  const Places places = places_of(command, model.mdp, log, common);
  model.mdp = decide::starting_at(model.mdp, places);
  const auto coverage = read_coverage(command.knowledge, model);
  warn_of_history(command.knowledge, log, common);
  const Situation situation{belief::gather_knowledge(model, coverage, log, command.knowledge.prior),
                            places.state, command.horizon};
  options.price_next_batch = log.has_value();
  if (command.knowledge.prior.odds && situation.knowledge.source != belief::PriorSource::coverage)
    warn(common,
         "--odds says how far to trust history where it looked: without --coverage it changes nothing");
  const GentleInterruption interruption;
  Decision decision;
  std::vector<decide::TippingMap> tipping;
  {
    Bars bars(common.quiet);
    options.simulation.on_progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
      bars.show(what, done, total);
    };
    options.simulation.should_stop = [&] { return interruption.asked(); };
    options.on_estimate = [&](double seconds) {
      constexpr double kLong = 10;
      if (seconds >= kLong && !common.quiet)
        fmt::print(stderr, "mindgap: this will take about {:.0f} s{}\n", seconds,
                   options.worlds == 0 ? fmt::format(" (at most {:g}: --time-limit)", options.time_limit)
                                       : std::string());
    };
    decision = decide::decide(situation, options);
    if (command.tipping && !interruption.asked())
      tipping = decide::tipping_maps(model, situation, options, coverage, log, command.knowledge.prior);
  }
  decision.interrupted = interruption.asked();
  for (const std::string& note : decision.notes) warn(common, note);
  view::DecideView view{model, situation, options, decision, tipping, places.names};
  if (!decision.interrupted) {
    const UninterruptedWrite whole;
    if (!command.out.empty() && decision.pilot) {
      const std::string seen =
          log ? std::string(files::open_text_file(command.knowledge.log).text) : std::string();
      files::write_file(command.out, study::pilot_plan({model, situation, options, decision, places.names,
                                                        command.knowledge.prior, seen,
                                                        std::filesystem::absolute(command.model).string()}));
      view.plan = command.out;
    } else if (!command.out.empty()) {
      warn(common, fmt::format("{} is not written: there is no pilot among the plans", command.out));
    }
    if (!command.report.empty()) {
      files::write_file(command.report,
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
  cli.add_option("--horizon", command->horizon, "number of steps to plan for")->required();
  add_knowledge_options(cli, command->knowledge);
  cli.add_option(
      "--positions", command->positions,
      "where the units are now: unit,state; default: where the log leaves them, or the model's start");
  cli.add_option(
         "--plans", command->plans,
         "what is compared, between commas: sop, asop, thompson, thompson-shared, beb-X (a bonus of X), "
         "improvement, ids, adaptive-UxW (U units, designs W steps ahead), pilot-UxT (U units, T steps); "
         "default: all that fit, of several sizes, thinned out in drawn worlds")
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
  cli.add_option(
         "--replan-every", command->options.simulation.replan_every,
         "steps between two looks at what was learnt; 0 = every step while that is cheap, else up to 5")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
  cli.add_option("--target", command->target,
                 "the policy, or set of policies, whose value the pilot should estimate precisely (see "
                 "mindgap design)")
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
