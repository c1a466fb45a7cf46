#include "mindgap/study/worth.h"

#include <algorithm>
#include <cmath>

#include "mindgap/design/column_generation.h"
#include "mindgap/design/objective.h"
#include "mindgap/design/occupancy.h"
#include "mindgap/gap/pvv.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/planner/explorers.h"
#include "mindgap/stats/moments.h"

namespace mindgap::study {
namespace {

constexpr std::int32_t kDraws = 64, kFewestDraws = 8;

// Explorers first, as a Deployment wants them; those without steps left are left out.
struct Field {
  std::vector<std::int32_t> unit_state;
  std::int64_t explorers = 0, left = 0;
};

Field field_of(const State& state) {
  Field field;
  for (const Arm arm : {Arm::explore, Arm::control}) {
    for (std::size_t u = 0; u < state.units.size(); ++u) {
      const UnitPlace& place = state.places[u];
      if (state.units[u].arm != arm || place.next_step >= state.options.horizon) continue;
      const std::int32_t where =
          place.state >= 0 ? place.state : state.assignments[state.assignments_of_unit[u].back()].state;
      field.unit_state.push_back(where);
      field.left = std::max(field.left, state.options.horizon - place.next_step);
      if (arm == Arm::explore) ++field.explorers;
    }
  }
  return field;
}

// planner::plan_pilot() without its search for better routes of single units, which among thousands gain next
// to nothing and cost seconds.
planner::Pilot plan_large_pilot(const planner::Deployment& now, const gap::PvvWeights& weights,
                                std::int64_t steps) {
  const auto explorers = static_cast<std::size_t>(now.explorers);
  const std::span<const std::int32_t> places = now.unit_state.first(explorers);
  const std::int32_t states = now.mean.states();
  const std::vector<double> others = planner::positions_of(now.unit_state.subspan(explorers), states);
  std::vector<double> credit = design::expected_observations(now.mean, now.policy, others, steps);
  const design::Objective objective(weights, gap::precision_of(now.belief), design::Block::both, credit);
  const auto occupancies =
      design::finite_occupancies(now.mean, planner::positions_of(places, states), steps, 1);
  const design::ColumnGenerationResult optimum =
      design::minimise_by_columns(objective, *occupancies, {}, {.relative_gap = 1e-2, .max_iterations = 200});
  design::RouteAssignment assigned = design::assign_routes(objective, *occupancies, optimum, places);
  return {steps, std::move(assigned.routes), std::move(assigned.route_of_unit), std::move(assigned.counts),
          std::move(credit)};
}

constexpr std::int64_t kLarge = 2000;  // explorers

}  // namespace

std::string_view to_string(Verdict verdict) {
  return verdict == Verdict::pays ? "pays" : verdict == Verdict::unclear ? "unclear" : "does not pay";
}

Verdict verdict_of(const Worth& worth) {
  if (worth.steps == 0 || worth.upper <= 0) return Verdict::does_not_pay;
  return worth.lower > 0 ? Verdict::pays : Verdict::unclear;
}

Worth next_batch_worth(const State& state, const belief::Knowledge& now) {
  const Field field = field_of(state);
  Worth result;
  const std::int64_t steps = std::min(state.options.steps_of_batch(), field.left);
  if (field.explorers == 0 || steps == 0) return result;
  result.steps = steps;
  result.explorers = field.explorers;
  const double walks = static_cast<double>(field.explorers) * static_cast<double>(steps);
  result.draws = static_cast<std::int64_t>(std::clamp(kWalks / walks, double{kFewestDraws}, double{kDraws}));
  const mdp::Mdp mean = now.now.mean();
  const mdp::Solution best = mdp::solve(mean, {.threads = 1});
  const planner::Deployment deployment{now.now,          mean,           best.policy, best.value,
                                       field.unit_state, field.explorers};
  const design::Target target{design::TargetKind::difference, static_cast<std::int32_t>(result.draws)};
  const auto first = static_cast<std::uint64_t>(state.records) << 16;
  const planner::Aim aim = planner::aim(deployment, target, state.options.seed, first);
  const planner::Pilot pilot = field.explorers > kLarge ? plan_large_pilot(deployment, aim.weights, steps)
                                                        : planner::plan_pilot(deployment, aim.weights, steps);
  std::vector<double> each;
  for (std::size_t m = 0; m < aim.models.size(); ++m) {
    const planner::Aim one{aim.weights, {aim.models[m]}, aim.seed, first + m};
    // What is found out in the last steps is of no use to anybody.
    each.push_back(field.left > steps ? planner::pilot_worth(deployment, one, pilot, field.left - steps) : 0);
  }
  result.worth = stats::mean(each);
  result.standard_error = stats::standard_deviation(each) / std::sqrt(static_cast<double>(each.size()));
  result.cost = planner::pilot_cost(deployment, pilot, field.left);
  result.net = result.worth - result.cost;
  result.lower = result.net - 1.96 * result.standard_error;
  result.upper = result.net + 1.96 * result.standard_error;
  return result;
}

}  // namespace mindgap::study
