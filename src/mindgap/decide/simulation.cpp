#include "mindgap/decide/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "mindgap/base/check.h"
#include "mindgap/base/clock.h"
#include "mindgap/base/error.h"
#include "mindgap/base/parallel.h"
#include "mindgap/decide/drawn_world.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/planner/planner.h"
#include "mindgap/trial/loop.h"

namespace mindgap::decide {
namespace {

constexpr std::uint64_t kFirstWorld = std::uint64_t{1} << 62;
constexpr std::int64_t kPoints = 100;                 // of a curve
constexpr std::int64_t kFirstBatch = 2, kBatch = 32;  // worlds between two looks at the clock

// Evenly over the horizon, and where pilots end.
std::vector<std::int64_t> curve_steps(std::int64_t horizon, std::span<const PreparedPlan> plans,
                                      std::span<const std::int64_t> more) {
  const std::int64_t points = std::min(horizon, kPoints);
  std::set<std::int64_t> steps(more.begin(), more.end());
  for (std::int64_t i = 1; i <= points; ++i) steps.insert((i * horizon + points - 1) / points);
  for (const PreparedPlan& plan : plans) {
    if (plan.plan.is_pilot()) steps.insert(plan.plan.pilot_steps);
  }
  return {steps.begin(), steps.end()};
}

// Every (units / wanted)-th unit, so that a pilot's units stand where all units do.
std::vector<std::int32_t> spread_members(std::int64_t units, std::int64_t wanted) {
  std::vector<std::int32_t> members;
  for (std::int64_t i = 0; i < wanted; ++i) members.push_back(static_cast<std::int32_t>(i * units / wanted));
  return members;
}

double discounted_sum(std::span<const double> earned, double discount) {
  double sum = 0;
  for (auto it = earned.rbegin(); it != earned.rend(); ++it) sum = *it + discount * sum;
  return sum;
}

}  // namespace

std::vector<double> Outcomes::values(std::size_t plan, Objective objective) const {
  if (objective == Objective::total) return values_at(plan, steps.size() - 1);
  std::vector<double> column;
  for (std::int64_t w = 0; w < worlds; ++w)
    column.push_back(discounted[static_cast<std::size_t>(w) * plans + plan]);
  return column;
}

std::vector<double> Outcomes::values_at(std::size_t plan, std::size_t point) const {
  std::vector<double> column;
  for (std::int64_t w = 0; w < worlds; ++w)
    column.push_back(gathered[(static_cast<std::size_t>(w) * plans + plan) * steps.size() + point]);
  return column;
}

void append(Outcomes& some, const Outcomes& more) {
  if (some.worlds == 0) {
    some = more;
    return;
  }
  const auto before = static_cast<double>(some.worlds), added = static_cast<double>(more.worlds);
  some.worlds += more.worlds;
  some.gathered.insert(some.gathered.end(), more.gathered.begin(), more.gathered.end());
  some.discounted.insert(some.discounted.end(), more.discounted.begin(), more.discounted.end());
  for (std::size_t i = 0; i < some.mean_gathered.size(); ++i) {
    some.mean_gathered[i] =
        (before * some.mean_gathered[i] + added * more.mean_gathered[i]) / (before + added);
  }
}

Simulation::Simulation(Situation situation, const std::vector<Plan>& plans, SimulationOptions options)
    : situation_(std::move(situation)), options_(std::move(options)) {
  situation_.validate();
  planner_options_.replan_every =
      options_.replan_every > 0 ? options_.replan_every : default_replanning(situation_.horizon);
  deployed_ = mdp::solve(situation_.belief().mean(), {.threads = options_.threads}).policy;
  const base::Clock clock;
  bool designed = false;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    if (options_.on_progress)
      options_.on_progress("designing pilots", static_cast<std::int64_t>(p),
                           static_cast<std::int64_t>(plans.size()));
    const bool late =
        clock.seconds() > options_.design_time || (options_.should_stop && options_.should_stop());
    if (plans[p].is_pilot() && designed && late) continue;
    prepare(plans[p]);
    designed = designed || plans[p].is_pilot();
  }
}

void Simulation::prepare(const Plan& plan) {
  PreparedPlan prepared{plan};
  if (plan.is_pilot()) {
    if (plan.pilot_units > situation_.units() || plan.pilot_steps >= situation_.horizon) {
      throw InvalidArgument(
          fmt::format("{}: a pilot must have at most the {} units there are and end before step {}",
                      plan.name, situation_.units(), situation_.horizon));
    }
    design::DesignOptions how;
    how.units = plan.pilot_units;
    how.steps = plan.pilot_steps;
    how.others = situation_.units() - plan.pilot_units;
    how.other_positions.assign(static_cast<std::size_t>(situation_.belief().simulator().states()), 0.0);
    for (const std::int32_t s : situation_.unit_state) ++how.other_positions[s];
    prepared.pilot_members = spread_members(situation_.units(), plan.pilot_units);
    for (const std::int32_t u : prepared.pilot_members) {
      how.unit_state.push_back(situation_.unit_state[u]);
      --how.other_positions[situation_.unit_state[u]];
    }
    how.target = options_.target;
    how.relative_gap = 1e-2;
    how.seed = options_.seed;
    how.threads = options_.threads;
    prepared.design = design::design_pilot(situation_.knowledge, how);
    planner::RoutedPilot pilot{plan.pilot_steps, prepared.design->routes,
                               std::vector<std::int32_t>(situation_.unit_state.size(), -1)};
    for (std::size_t i = 0; i < prepared.pilot_members.size(); ++i)
      pilot.route_of_unit[prepared.pilot_members[i]] = prepared.design->route_of_unit[i];
    prepared.pilot = std::make_shared<const planner::RoutedPilot>(std::move(pilot));
  }
  plans_.push_back(std::move(prepared));
}

std::unique_ptr<planner::Planner> Simulation::planner_of(const PreparedPlan& plan,
                                                         std::uint64_t number) const {
  const belief::Belief& belief = situation_.belief();
  if (plan.plan.kind == Kind::deploy)
    return planner::follow_policy(belief.simulator(), deployed_, options_.seed, number);
  const planner::Setting setting{belief, situation_.units(), situation_.horizon, options_.seed,
                                 number, planner_options_};
  if (plan.plan.is_pilot()) return planner::make_pilot(setting, plan.pilot);
  return planner::find_planner(plan.plan.name).make(setting);
}

void Simulation::run_world(std::span<const std::size_t> which, std::uint64_t number, std::size_t place,
                           Outcomes& all, std::vector<double>& gathered) const {
  const std::array<std::int64_t, 1> horizon = {situation_.horizon};
  const double discount = situation_.belief().simulator().discount();
  DrawnWorld world(
      situation_.belief().sample(options_.seed, kFirstWorld + number), situation_.knowledge.variance,
      situation_.unit_state, situation_.horizon, options_.seed, number,
      situation_.belief().reward_model() == belief::RewardModel::bernoulli ? mdp::RewardKind::bernoulli
                                                                           : mdp::RewardKind::gaussian);
  for (std::size_t p = 0; p < which.size(); ++p) {
    world.forget();
    trial::run_trial(world, *planner_of(plans_[which[p]], number), horizon);
    const std::size_t row = place * which.size() + p;
    all.discounted[row] = discounted_sum(world.earned(), discount);
    double sum = 0;
    std::size_t point = 0;
    for (std::size_t t = 0; t < world.earned().size(); ++t) {
      gathered.push_back(sum += world.earned()[t]);
      if (static_cast<std::int64_t>(t) + 1 == all.steps[point])
        all.gathered[row * all.steps.size() + point++] = sum;
    }
  }
}

Outcomes Simulation::run(std::span<const std::size_t> which, std::int64_t first, std::int64_t worlds,
                         double deadline, const std::string& what,
                         std::span<const std::int64_t> more_steps) const {
  const base::Clock clock;
  for (const std::size_t place : which)
    base::check_range("Simulation::run", "plan", static_cast<double>(place), 0,
                      static_cast<double>(plans_.size()) - 1);
  const base::Threads threads(options_.threads);
  std::int64_t most = std::max<std::int64_t>(kFirstBatch, threads.count());  // worlds may be slow
  Outcomes all;
  all.plans = which.size();
  all.steps = curve_steps(situation_.horizon, plans_, more_steps);
  all.mean_gathered.assign(which.size() * static_cast<std::size_t>(situation_.horizon), 0.0);
  while (all.worlds < worlds) {
    const std::int64_t batch = std::min(most, worlds - all.worlds);
    most = std::max(most, std::min(2 * most, kBatch));
    const auto rows = static_cast<std::size_t>(all.worlds + batch) * which.size();
    all.gathered.resize(rows * all.steps.size());
    all.discounted.resize(rows);
    std::vector<std::vector<double>> gathered(static_cast<std::size_t>(batch));  // [plan * horizon + step]
    threads.for_each_chunk(batch, [&](std::int64_t i) {
      run_world(which, static_cast<std::uint64_t>(first + all.worlds + i),
                static_cast<std::size_t>(all.worlds + i), all, gathered[static_cast<std::size_t>(i)]);
    });
    for (const std::vector<double>& sums : gathered) {
      for (std::size_t k = 0; k < sums.size(); ++k) all.mean_gathered[k] += sums[k];
    }
    all.worlds += batch;
    if (options_.on_progress) options_.on_progress(what, all.worlds, worlds);
    if (clock.seconds() > deadline || (options_.should_stop && options_.should_stop())) break;
  }
  for (double& mean : all.mean_gathered) mean /= static_cast<double>(all.worlds);
  return all;
}

}  // namespace mindgap::decide
