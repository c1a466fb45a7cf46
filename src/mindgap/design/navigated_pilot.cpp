#include "mindgap/design/navigated_pilot.h"

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/design/forbidden.h"

namespace mindgap::design {
namespace {

void check_navigable(const DesignOptions& options) {
  if (!options.finite) throw InvalidArgument("navigation needs a finite pilot: units that go somewhere");
  if (options.target.kind == TargetKind::explorer)
    throw InvalidArgument("navigation needs a target that does not depend on the pilot: not 'explorer'");
}

NavigationProblem problem_of(const belief::Knowledge& knowledge, const DesignOptions& options,
                             std::span<const std::int32_t> unit_state) {
  NavigationProblem problem{
      knowledge.now.mean(), {}, options.steps, options.weights->weights, gap::precision_of(knowledge.now),
      options.block};
  problem.positions.assign(static_cast<std::size_t>(problem.mdp.states()), 0.0);
  for (const std::int32_t s : unit_state) problem.positions[s] += 1;
  if (options.others > 0 && options.use_credit) {
    std::vector<double> others = options.other_positions;
    if (others.empty()) {
      for (const double p : problem.mdp.start()) others.push_back(p * static_cast<double>(options.others));
    }
    problem.credit = credit(knowledge.now, others, options.steps, options.run.threads);
  }
  for (const std::uint8_t no : options.limits.forbidden) problem.allowed.push_back(no == 0 ? 1 : 0);
  return problem;
}

ColumnGenerationResult best_of(const NavigationProblem& problem, const DesignOptions& options) {
  std::vector<std::int32_t> forbidden;
  for (std::size_t k = 0; k < options.limits.forbidden.size(); ++k) {
    if (options.limits.forbidden[k] != 0) forbidden.push_back(static_cast<std::int32_t>(k));
  }
  const auto pilot = finite_occupancies_without(problem.mdp, problem.positions, options.steps, forbidden,
                                                options.run.threads);
  const Objective objective(problem.weights, problem.prior, problem.block, problem.credit);
  return minimise_by_columns(objective, *pilot, {},
                             {.relative_gap = options.relative_gap, .time_limit = options.time_limit});
}

// Units of navigate() come by the number of their state: which of ours each is.
std::vector<std::size_t> units_by_state(std::span<const std::int32_t> unit_state) {
  std::vector<std::size_t> order(unit_state.size());
  for (std::size_t u = 0; u < order.size(); ++u) order[u] = u;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return unit_state[a] < unit_state[b]; });
  return order;
}

Pilot pilot_of(const NavigationProblem& problem, const Navigation& navigation,
               std::span<const std::int32_t> unit_state, std::span<const std::size_t> order) {
  Pilot pilot;
  pilot.steps = problem.steps;
  pilot.states = problem.mdp.states();
  pilot.route_of_unit.assign(unit_state.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int32_t from = unit_state[order[i]];
    const std::vector<std::int32_t> way =
        reachable_part(problem.mdp, navigation.units[i].way.pair, problem.steps, std::span(&from, 1));
    std::size_t r = 0;
    while (r < pilot.routes.size() && pilot.routes[r].pair != way) ++r;
    if (r == pilot.routes.size()) pilot.routes.push_back({0, 0, way});
    ++pilot.routes[r].units;
    pilot.route_of_unit[order[i]] = static_cast<std::int32_t>(r);
  }
  return pilot;
}

}  // namespace

NavigatedPilot navigate_pilot(const belief::Knowledge& knowledge, const DesignOptions& options,
                              std::vector<std::int32_t> bottleneck) {
  if (knowledge.variance.empty()) belief::ask_for_variance("a design");
  const mdp::Mdp mean = knowledge.now.mean();
  options.validate(mean);
  check_navigable(options);
  DesignOptions with = options;
  if (!with.weights)
    with.weights = std::make_shared<const TargetWeights>(weights_of_target(knowledge, options));
  const std::vector<std::int32_t> unit_state =
      options.unit_state.empty() ? mdp::spread_units(mean.start(), options.units) : options.unit_state;
  const NavigationProblem problem = problem_of(knowledge, with, unit_state);
  options.run.listener.tell("navigating", 0, 1);
  const Navigation navigation = navigate(problem, {.threads = options.run.threads});
  const ColumnGenerationResult best = best_of(problem, with);
  const std::vector<std::size_t> order = units_by_state(unit_state);

  NavigatedPilot result;
  result.design = judge_pilot(knowledge, with, pilot_of(problem, navigation, unit_state, order));
  result.design.after = best.value;
  result.design.gap = best.gap;
  result.design.relative_gap = best.relative_gap;
  result.design.status = best.status;
  result.design.iterations = best.iterations;
  result.design.seconds = best.seconds;
  NavigationFindings& findings = result.findings;
  findings.optimum = best.value;
  findings.optimum_gap = best.gap;
  findings.threshold = kSeenAtAll;
  findings.goals.resize(unit_state.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const UnitWay& unit = navigation.units[i];
    findings.goals[order[i]] = {unit.way.goal, unit.arrival,
                                unit.way.steps_to_go[static_cast<std::size_t>(unit_state[order[i]])]};
  }
  findings.bound = navigation_bound(problem, navigation, best.counts, {bottleneck, kSeenAtAll});
  findings.bottleneck = std::move(bottleneck);
  return result;
}

}  // namespace mindgap::design
