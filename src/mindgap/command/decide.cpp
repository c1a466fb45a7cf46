#include "mindgap/command/decide.h"

#include <fmt/format.h>

#include <memory>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/base/option_name.h"
#include "mindgap/base/workers.h"
#include "mindgap/command/inputs.h"
#include "mindgap/decide/follow_plan.h"
#include "mindgap/files/pilot_tables.h"
#include "mindgap/mdp/changed_model.h"
#include "mindgap/mdp/gpu_engine.h"
#include "mindgap/study/plan.h"
#include "mindgap/view/decide_page.h"
#include "mindgap/view/history.h"
#include "mindgap/view/plan_file.h"

namespace mindgap::command {
namespace {

using base::option_name;

void check_sizes(const DecideRequest& request) {
  if (request.units < 1)
    throw InvalidArgument(fmt::format("{}: expected at least one unit", option_name("units")));
  if (request.units > mdp::kMostUnits)
    throw InvalidArgument(fmt::format("{}: at most 10,000,000 units are possible", option_name("units")));
  if (request.horizon < 1)
    throw InvalidArgument(fmt::format("{}: expected at least one step", option_name("horizon")));
}

mdp::Units units_of(const DecideRequest& request, const mdp::Mdp& mdp,
                    const std::optional<mdp::ObservationLog>& log, std::vector<std::string>& warnings) {
  if (request.positions) {
    const files::TextFile& file = request.positions->file;
    mdp::Units units = files::parse_positions(file, mdp);
    if (static_cast<std::int64_t>(units.size()) != request.units) {
      throw InvalidArgument(fmt::format("{}: {} units have a position, but there are to be {}", file.name,
                                        units.size(), request.units));
    }
    return units;
  }
  if (log) {
    if (std::optional<mdp::Units> units = mdp::units_after(*log, request.units)) return *units;
    warnings.push_back(fmt::format(
        "{} has other units than the {} {}, or does not say where each of them is: they are taken "
        "to be at the model's start; say where they are with {}",
        log->file, request.units, base::told("of --units", "that there are"),
        base::told("--positions", "`positions`")));
  }
  return mdp::units_at_start(mdp, request.units);
}

// The pilot of a file, with units of ours for its own: those of the same name where they are in the same
// state, else any that are there.
std::shared_ptr<const decide::GivenPilot> given_pilot(const Source& source, const mdp::Mdp& mdp,
                                                      const mdp::Units& units) {
  const std::string& file = source.file.name;
  const study::StudyPlan plan = study::parse_plan(std::string(source.file.text), file, mdp);
  if (plan.pilot.routes.empty())
    throw InvalidArgument(fmt::format("{}: the plan has no routes: there is no pilot to compare", file));
  decide::GivenPilot given{plan.pilot, {}};
  std::vector<std::uint8_t> taken(units.size(), 0);
  for (const study::StudyPlan::Member& member : plan.members) {
    std::optional<std::size_t> found;
    for (std::size_t u = 0; u < units.size(); ++u) {
      if (taken[u] != 0 || units.state[u] != member.state) continue;
      if (!found || units.names[u] == member.unit) found = u;
      if (units.names[u] == member.unit) break;
    }
    if (!found) {
      throw InvalidArgument(fmt::format("{}: the plan sends more units from '{}' than are there", file,
                                        base::printable(mdp.state_name(member.state))));
    }
    taken[*found] = 1;
    given.members.push_back(static_cast<std::int32_t>(*found));
  }
  return std::make_shared<const decide::GivenPilot>(std::move(given));
}

// A log and a coverage may be the same file, but mean opposite things.
void warn_of_history(const Evidence& evidence, const Known& known, std::vector<std::string>& warnings) {
  for (const std::string& said :
       {known.log ? view::log_warning(*known.log) : std::string(),
        evidence.coverage ? view::coverage_warning(evidence.coverage->file) : std::string()}) {
    if (!said.empty()) warnings.push_back(said);
  }
}

view::DecideView view_of(const DecideAnswer& answer) {
  return {answer.model,      answer.situation,   answer.options,      answer.decision, answer.tipping,
          answer.unit_names, answer.report_file, answer.plan_file,    MINDGAP_VERSION, answer.prior,
          answer.log,        answer.model_path,  answer.command_line, answer.date,     answer.tornado};
}

// "total", "discounted", or "cvar:SHARE".
decide::Objective objective_from(const std::string& text) {
  if (text == "total") return decide::Objective::total;
  if (text == "discounted") return decide::Objective::discounted;
  double share = 0;
  if (text.rfind("cvar:", 0) == 0 && base::parse_number(text.substr(5), share) == base::NumberStatus::ok &&
      share >= 1e-3 && share <= 1)
    return {decide::Objective::total, share};
  throw InvalidArgument(fmt::format(
      "{} is '{}': expected total, discounted or cvar:SHARE, with a share of sampled models from 0.001 to 1",
      option_name("objective"), base::printable(text)));
}

// What draws depend on; how many there are is said by the options of whoever asks.
std::string inputs_of(const mdp::Model& model, const decide::Situation& situation,
                      const decide::DecideOptions& options) {
  base::Fingerprint inputs;
  inputs.add("decide");
  add_inputs(inputs, model, situation.knowledge);
  inputs.add(std::span<const std::int32_t>(situation.unit_state));
  inputs.add(static_cast<double>(situation.horizon));
  add_inputs(inputs, options.simulation.limits);
  const decide::Terms& terms = options.simulation.terms;
  for (const double cost : {terms.pilot_cost, terms.unit_cost, terms.unit_step_cost, terms.uptake})
    inputs.add(cost);
  inputs.add(static_cast<double>(terms.delay));
  inputs.add(std::span<const double>(terms.pair_cost));
  if (options.simulation.given) {
    for (const design::Route& route : options.simulation.given->pilot.routes)
      inputs.add(std::span<const std::int32_t>(route.pair));
  }
  inputs.add(options.simulation.run.seed);
  return inputs.text();
}

}  // namespace

decide::DecideOptions DecideRequest::options() const {
  check_sizes(*this);
  decide::DecideOptions options;
  for (const std::string& name : plans) options.plans.push_back(decide::plan_from_string(name));
  options.objective = objective_from(objective);
  if (tipping && options.objective.sum != decide::Objective::total) {
    throw InvalidArgument(fmt::format("{} is about total reward over horizons: it cannot be combined with {}",
                                      option_name("tipping"), base::option_value("objective", "discounted")));
  }
  options.worlds = worlds;
  options.most_worlds = most_worlds;
  options.most_draws = most_draws;
  options.indifference = indifference;
  options.time_limit = time_limit;
  options.simulation.replan_every = replan_every;
  options.simulation.target = design::target_from_string(target);
  options.simulation.run = {run.seed, run.threads, {}};
  options.simulation.engine = mdp::engine_of(device);
  options.validate();
  return options;
}

DecideAnswer decide(const DecideRequest& request) {
  decide::DecideOptions options = request.options();
  Known known = read_evidence(request.model.value(), request.evidence);
  std::vector<std::string> warnings = std::move(known.warnings);
  warn_of_history(request.evidence, known, warnings);
  mdp::Units units = units_of(request, known.model.mdp, known.log, warnings);
  known.model = mdp::with_start(known.model, mdp::shares_of(units.state, known.model.mdp.states()));
  if (request.plan) options.simulation.given = given_pilot(*request.plan, known.model.mdp, units);
  const belief::PriorOverrides& prior = request.evidence.prior;
  decide::Situation situation{known.knowledge(prior), units.state, request.horizon};
  if (prior.odds && situation.knowledge.source != belief::PriorSource::coverage) {
    warnings.emplace_back(
        base::told("--odds has no effect without --coverage: it describes confounding in the historical data",
                   "odds has no effect without coverage: it describes confounding in the historical data"));
  }
  options.simulation.limits = request.limits.read(known.model.mdp);
  options.simulation.limits.validate(known.model.mdp);
  options.simulation.terms = request.terms.read(known.model.mdp);
  if (options.simulation.terms.drift_rate > 0 && (request.tipping || request.tornado))
    throw InvalidArgument(
        fmt::format("{} and {} assume a truth that does not drift: they cannot be combined with {}",
                    option_name("tipping"), option_name("tornado"), option_name("drift-rate")));
  options.simulation.leave_out_infeasible = options.plans.empty();
  options.price_next_batch = known.log.has_value();
  const base::Listener& listener = request.run.listener;
  listener.warn(warnings);
  if (base::are_shared()) base::announce(inputs_of(known.model, situation, options));
  options.simulation.run.listener = listener;
  decide::Decision decision = decide::decide(situation, options);
  std::vector<decide::TippingMap> tipping;
  if (request.tipping && !listener.wants_to_stop())
    tipping = decide::tipping_maps(known.model, situation, options, known.coverage, known.log, prior);
  decision.parameters =
      decide::value_of_parameters(known.model, situation, decision.draws, options.simulation);
  std::optional<decide::Tornado> tornado;
  if (request.tornado && !listener.wants_to_stop())
    tornado = decide::tornado(known.model, situation, options, decision, known.coverage, known.log, prior);
  decision.interrupted = listener.wants_to_stop();
  options.simulation.run.listener = {};
  return {std::move(known.model),
          std::move(situation),
          std::move(options),
          std::move(decision),
          std::move(tipping),
          std::move(tornado),
          std::move(units.names),
          std::move(warnings),
          prior,
          request.evidence.log ? std::string(request.evidence.log->file.text) : std::string(),
          request.model_path,
          request.command_line,
          request.date};
}

bool DecideAnswer::complete() const {
  for (const decide::TippingMap& map : tipping) {
    if (!map.left_out.empty()) return false;  // undecided cells say so themselves
  }
  return !tornado || tornado->left_out.empty();
}

std::string DecideAnswer::draws() const {
  std::vector<std::string> names;
  for (const std::size_t plan : decision.draws.plans) names.push_back(decision.plans[plan].plan.name);
  return decide::draws_table(model, situation, decision.draws, names, options.simulation);
}

std::string DecideAnswer::text() const {
  return view::text_of(view_of(*this));
}
view::Json DecideAnswer::json() const {
  return view::json_of(view_of(*this));
}
report::Page DecideAnswer::page() const {
  return view::page_of(view_of(*this));
}
std::string DecideAnswer::headline() const {
  return view::headline_of(view_of(*this));
}
std::string DecideAnswer::reason() const {
  return view::reason_of(view_of(*this));
}
std::vector<std::string> DecideAnswer::notes() const {
  return view::notes_of(decision);
}

std::vector<std::string> DecideAnswer::findings() const {
  return view::warnings_of(view_of(*this));
}
std::vector<std::string> DecideAnswer::assumptions() const {
  return view::assumptions_of(situation, options);
}
std::string DecideAnswer::pilot_plan() const {
  return view::pilot_plan(view_of(*this));
}
std::string DecideAnswer::recommended_plan() const {
  return view::recommended_plan(view_of(*this));
}

trial::MakePlanner DecideAnswer::planner() const {
  const decide::PlanResult& chosen = decision.plans[decision.recommended];
  const belief::Belief belief = situation.belief();
  const std::int64_t every = chosen.replan_every;
  if (chosen.plan.is_pilot()) {
    const auto shared = std::make_shared<const design::Pilot>(
        decision.pilot->among(situation.unit_state.size(), decision.pilot_members));
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

}  // namespace mindgap::command
