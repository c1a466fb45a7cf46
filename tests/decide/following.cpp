#include "decide/following.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "decide/follow.h"
#include "mindgap/base/parallel.h"
#include "mindgap/decide/drawn_world.h"
#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/stats/moments.h"
#include "mindgap/trial/loop.h"

namespace mindgap::decide {
namespace {

DecideOptions options_for(const FollowingOptions& options, std::uint64_t trial) {
  DecideOptions how;
  how.plans = options.plans;
  how.worlds = options.worlds;
  how.information_draws = 0;
  how.simulation.replan_every = options.replan_every;
  how.simulation.run.seed = options.seed + trial;
  return how;
}

double total(const DrawnWorld& world) {
  return std::accumulate(world.earned().begin(), world.earned().end(), 0.0);
}

// Follows the planner for `steps` steps in a world that is under way, and learns from what is seen.
void follow_for(planner::Planner& planner, std::int64_t steps, DrawnWorld& world, Situation& situation) {
  const std::size_t units = situation.unit_state.size();
  std::vector<std::int32_t> pair(units), next(units);
  std::vector<double> reward(units);
  for (std::int64_t step = 0; step < steps; ++step) {
    planner.choose(step, situation.unit_state, pair);
    for (std::size_t u = 0; u < units; ++u) {
      const world::Observation seen = world.step(static_cast<std::int64_t>(u), pair[u]);
      reward[u] = seen.reward;
      next[u] = seen.next_state;
      situation.knowledge.now.observe(pair[u], reward[u], next[u]);
    }
    planner.observe(step, {situation.unit_state, pair, reward, next});
    situation.unit_state = next;
  }
  situation.horizon -= steps;
}

double error_of_mean(std::span<const double> values) {
  return values.size() < 2
             ? 0
             : stats::standard_deviation(values) / std::sqrt(static_cast<double>(values.size()));
}

std::int64_t moves_off_support(const belief::Belief& belief) {
  std::int64_t count = 0;
  for (const belief::OffSupport& one : belief.off_support()) count += static_cast<std::int64_t>(one.count);
  return count;
}

struct FollowedTrial {
  double earned = 0;
  std::vector<std::string> recommended;
  std::int64_t off_support = 0;
};

FollowedTrial follow_once(const WrongSimulator& wrong, Situation situation, const FollowingOptions& options,
                          std::uint64_t trial) {
  FollowedTrial result;
  DecideOptions how = options_for(options, trial);
  const std::vector<std::int32_t> first = situation.unit_state;
  const std::vector<double> variance = situation.knowledge.variance;
  DrawnWorld world(wrong.truth, variance, first, situation.horizon, options.seed, trial,
                   situation.belief().rewards());
  const std::int64_t horizon = situation.horizon;
  std::vector<std::int64_t> until = {horizon / 10, 3 * horizon / 10};
  until.resize(static_cast<std::size_t>(options.decisions - 1));
  until.push_back(horizon);
  for (const std::int64_t end : until) {
    if (!options.plans.empty()) how.plans = plans_to_follow(situation);
    const Decision decision = decide(situation, how);
    result.recommended.push_back(decision.plans[decision.recommended].plan.name);
    const auto planner = follow_recommended(situation, how, decision, trial);
    follow_for(*planner, end - (horizon - situation.horizon), world, situation);
    if (end == until.front()) result.off_support += moves_off_support(situation.belief());
    how.simulation.run.seed += 1'000;
  }
  result.earned = total(world);
  return result;
}

}  // namespace

std::vector<Plan> plans_to_follow(const Situation& situation) {
  std::vector<Plan> plans;
  for (const char* name : {"sop", "asop", "thompson", "beb-0.5", "beb-1", "beb-2"})
    plans.push_back(plan_from_string(name));
  const std::int64_t steps = std::max<std::int64_t>(1, situation.horizon / 10);
  plans.push_back(pilot_plan(situation.units(), steps));
  plans.push_back(pilot_plan((situation.units() + 3) / 4, steps));
  return plans;
}

double FollowingResult::best() const {
  return *std::max_element(fixed.begin(), fixed.end());
}
double FollowingResult::floor() const {
  return best() > 0 ? 0 : *std::min_element(fixed.begin(), fixed.end());
}

std::vector<std::string> fixed_names(const Situation& situation) {
  std::vector<std::string> names = {"sop-fixed"};
  for (const Plan& plan : plans_to_follow(situation)) names.push_back(plan.name);
  return names;
}

double earned_by(const std::string& name, const WrongSimulator& wrong, const Situation& situation,
                 const FollowingOptions& options, std::uint64_t trial) {
  const std::array<std::int64_t, 1> horizon = {situation.horizon};
  DrawnWorld world(wrong.truth, situation.knowledge.variance, situation.unit_state, situation.horizon,
                   options.seed, trial, situation.belief().rewards());
  trial::run_trial(world, *follow_name(situation, options_for(options, trial), name, trial), horizon);
  return total(world);
}

FollowingResult follow_through(const WrongSimulator& wrong, const Situation& situation,
                               const FollowingOptions& options) {
  FollowingResult result;
  result.name = wrong.name;
  result.fixed_names = fixed_names(situation);
  const auto trials = static_cast<std::int64_t>(options.trials);
  const std::size_t plans = result.fixed_names.size();
  std::vector<std::vector<double>> earned(plans, std::vector<double>(options.trials));
  std::vector<double> following(options.trials);
  std::vector<FollowedTrial> followed(options.trials);
  const base::Threads threads(options.threads);
  base::parallel_for(threads, trials, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
      for (std::size_t i = 0; i < plans; ++i)
        earned[i][t] = earned_by(result.fixed_names[i], wrong, situation, options, t);
      followed[t] = follow_once(wrong, situation, options, t);
      following[t] = followed[t].earned;
    }
  });
  for (const std::vector<double>& values : earned) {
    result.fixed.push_back(stats::mean(values));
    result.fixed_error.push_back(error_of_mean(values));
  }
  result.followed = stats::mean(following);
  result.followed_error = error_of_mean(following);
  const auto best = static_cast<std::size_t>(std::ranges::max_element(result.fixed) - result.fixed.begin());
  std::vector<double> behind(options.trials);
  for (std::size_t t = 0; t < behind.size(); ++t)
    behind[t] = .1 * result.floor() + .9 * earned[best][t] - following[t];
  result.behind = stats::mean(behind);
  result.behind_error = error_of_mean(behind);
  for (const FollowedTrial& one : followed) {
    result.recommended.insert(result.recommended.end(), one.recommended.begin(), one.recommended.end());
    result.off_support += one.off_support;
  }
  const mdp::FiniteHorizonSolution most =
      mdp::solve_finite_horizon(wrong.truth.with_discount(1), situation.horizon, {.keep_policy = false});
  for (const std::int32_t s : situation.unit_state)
    result.clairvoyant += most.value[static_cast<std::size_t>(s)];
  return result;
}

}  // namespace mindgap::decide
