#include "mindgap/decide/work.h"

#include <algorithm>
#include <cmath>

#include "mindgap/decide/members_policy.h"
#include "mindgap/planner/planner.h"

namespace mindgap::decide {
namespace {

// Members x nonzeros up to which the policies of average and robust are found without being asked for.
constexpr double kMostOfMembers = 1e6;

double work_at(const Plan& plan, const Situation& situation, std::int64_t every) {
  return std::ceil(static_cast<double>(situation.horizon) / static_cast<double>(every)) *
         work_of_look(plan, situation);
}

}  // namespace

double work_of_look(const Plan& plan, const Situation& situation) {
  const mdp::Mdp& mdp = situation.belief().simulator();
  const planner::PlannerOptions usual;
  const auto units = static_cast<double>(situation.units());
  const auto states = static_cast<double>(mdp.states());
  const double numbers = static_cast<double>(mdp.nonzeros()) + static_cast<double>(mdp.pairs());
  const double draw = 44 * numbers;  // a model and its policy
  if (plan.kind == Kind::deploy) return 0;
  if (plan.planner == "thompson" || plan.planner == "thompson-forgetting")
    return std::min<double>(units, usual.seeds) * draw;
  if (plan.planner == "ids") return usual.draws * (draw + 28 * usual.draws * states);
  if (plan.planner == "improvement") return std::min(states, 256.0) * (100 * numbers + 200 * units);
  if (plan.window > 0)
    return usual.adaptive_target.members * draw + 4200 * static_cast<double>(plan.window) * numbers;
  return 30 * numbers;
}

double work_of_world(const Plan& plan, const Situation& situation, const SimulationOptions& options) {
  constexpr double kStep = 150;  // of one unit: a draw of the next state and of a reward, the belief updated
  return work_at(plan, situation, replanning_of(plan, situation, options)) +
         kStep * static_cast<double>(situation.horizon) * static_cast<double>(situation.units());
}

std::int64_t replanning_of(const Plan& plan, const Situation& situation, const SimulationOptions& options) {
  const std::int64_t every = replanning_of(situation, options);
  if (options.replan_every > 0 || plan.is_pilot() || plan.kind != Kind::experiment) return every;
  const std::int64_t rarest = std::max(every, std::clamp<std::int64_t>(situation.horizon / 20, 1, 5));
  std::int64_t steps = every;
  while (steps < rarest && work_at(plan, situation, steps) > options.most_work) ++steps;
  return steps;
}

bool is_affordable(const Plan& plan, const Situation& situation, const SimulationOptions& options) {
  if (plan.wants_ensemble()) return work_of_members_policy(situation.belief()) <= kMostOfMembers;
  if (work_of_look(plan, situation) <= work_of_look(plan_from_string("asop"), situation)) return true;
  return work_at(plan, situation, replanning_of(plan, situation, options)) <= options.most_work;
}

}  // namespace mindgap::decide
