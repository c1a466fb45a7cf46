#include "mindgap/planner/explorers.h"

#include <algorithm>
#include <map>

#include "mindgap/design/column_generation.h"
#include "mindgap/design/objective.h"
#include "mindgap/design/occupancy.h"
#include "mindgap/design/route_search.h"
#include "mindgap/design/walk.h"
#include "mindgap/gap/pvv.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::planner {
namespace {

mdp::Mdp from_here(const Deployment& now) {
  std::vector<double> start = positions_of(now.unit_state, now.mean.states());
  for (double& share : start) share /= static_cast<double>(now.unit_state.size());
  return now.mean.with_start(std::move(start));
}

double at_start(const mdp::Mdp& mdp, std::span<const double> value) {
  double sum = 0;
  for (std::size_t s = 0; s < value.size(); ++s) sum += mdp.start()[s] * value[s];
  return sum;
}

struct Drawn {
  std::vector<design::Member> members;
  double information_value = 0;
};

// The optimal policies of drawn models, equal ones put together, and what knowing the model would be worth.
Drawn draw(const Deployment& now, const mdp::Mdp& here, std::int32_t count, std::uint64_t seed,
           std::uint64_t first_draw) {
  const std::vector<double> guess(now.value.begin(), now.value.end());
  Drawn drawn;
  std::map<std::vector<std::int32_t>, std::size_t> place;
  for (std::int32_t m = 0; m < count; ++m) {
    const mdp::Mdp model = now.belief.sample(seed, first_draw + static_cast<std::uint64_t>(m));
    mdp::Solution best = mdp::solve(model, {.tolerance = 1e-8, .threads = 1, .initial_value = guess});
    const auto pairs = best.policy.pair_of_state();
    const std::size_t found =
        place.try_emplace({pairs.begin(), pairs.end()}, drawn.members.size()).first->second;
    const bool is_current = best.policy == now.policy;
    if (!is_current) {
      const double deployed = at_start(here, mdp::evaluate(model, now.policy).value);
      drawn.information_value += std::max(0.0, at_start(here, best.value) - deployed) / count;
    }
    if (found == drawn.members.size()) drawn.members.push_back({std::move(best.policy), 0});
    drawn.members[found].share += 1.0 / count;
  }
  return drawn;
}

}  // namespace

std::vector<double> positions_of(std::span<const std::int32_t> unit_state, std::int32_t states) {
  std::vector<double> positions(static_cast<std::size_t>(states), 0.0);
  for (const std::int32_t s : unit_state) ++positions[s];
  return positions;
}

Aim aim(const Deployment& now, const design::Target& target, std::uint64_t seed, std::uint64_t first_draw) {
  design::TargetOptions options;
  options.seed = seed;
  options.threads = 1;
  if (target.kind != design::TargetKind::ensemble && target.kind != design::TargetKind::difference)
    return {design::target_weights(now.belief, target, options).weights, 0};
  const mdp::Mdp here = from_here(now);
  const Drawn drawn = draw(now, here, target.members, seed, first_draw);
  return {target.kind == design::TargetKind::ensemble
              ? design::ensemble_weights(here, drawn.members, options)
              : design::difference_weights(here, drawn.members, now.policy, options),
          drawn.information_value};
}

Pilot plan_pilot(const Deployment& now, const gap::PvvWeights& weights, std::int64_t steps) {
  const auto explorers = static_cast<std::size_t>(now.explorers);
  const std::span<const std::int32_t> places = now.unit_state.first(explorers);
  const std::vector<double> others = positions_of(now.unit_state.subspan(explorers), now.mean.states());
  const std::vector<double> credit = design::expected_observations(now.mean, now.policy, others, steps);
  const design::Objective objective(weights, gap::precision_of(now.belief), design::Block::both, credit);
  const auto occupancies =
      design::finite_occupancies(now.mean, positions_of(places, now.mean.states()), steps, 1);
  const design::ColumnGenerationResult optimum =
      design::minimise_by_columns(objective, *occupancies, {}, {.relative_gap = 1e-2, .max_iterations = 200});
  design::RouteAssignment assigned = design::assign_routes(objective, *occupancies, optimum, places);
  design::improve_routes(objective, *occupancies, places, {}, optimum.value, assigned);
  const std::vector<double> none(objective.size(), 0.0);
  return {steps, std::move(assigned.routes), std::move(assigned.route_of_unit), objective.value(none),
          assigned.value};
}

double pilot_cost(const Deployment& now, const Pilot& pilot, std::int64_t steps) {
  const std::vector<double> q = mdp::action_values(now.mean, now.value);
  const auto states = static_cast<std::size_t>(now.mean.states());
  double cost = 0;
  for (std::size_t r = 0; r < pilot.routes.size(); ++r) {
    std::vector<double> positions(states, 0.0);
    for (std::size_t u = 0; u < pilot.route_of_unit.size(); ++u) {
      if (pilot.route_of_unit[u] == static_cast<std::int32_t>(r)) ++positions[now.unit_state[u]];
    }
    const std::int64_t walked = std::min(steps, pilot.steps);
    const auto first_steps = std::span(pilot.routes[r].pair).first(static_cast<std::size_t>(walked) * states);
    const std::vector<double> counts = design::walk_counts(now.mean, first_steps, walked, positions);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (counts[k] <= 0) continue;
      const std::int32_t s = now.mean.state_of_pair(static_cast<std::int32_t>(k));
      cost += counts[k] * (now.value[s] - q[k]);
    }
  }
  return std::max(0.0, cost);
}

}  // namespace mindgap::planner
