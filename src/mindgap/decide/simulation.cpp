#include "mindgap/decide/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/parallel.h"
#include "mindgap/decide/drawn_world.h"
#include "mindgap/decide/members_policy.h"
#include "mindgap/decide/work.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/planner/planner.h"
#include "mindgap/planner/replanner.h"
#include "mindgap/trial/loop.h"
#include "mindgap/voi/tail.h"

namespace mindgap::decide {
namespace {

constexpr std::int64_t kLongPilot = 4'000;            // unit-steps
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
  return voi::tail_values(sums(plan, objective.sum), objective.tail);
}

std::vector<double> Outcomes::sums(std::size_t plan, Objective::Sum sum) const {
  if (sum == Objective::total) return values_at(plan, steps.size() - 1);
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
  some.cost.insert(some.cost.end(), more.cost.begin(), more.cost.end());
  some.by_group.insert(some.by_group.end(), more.by_group.begin(), more.by_group.end());
  for (std::size_t i = 0; i < some.mean_gathered.size(); ++i) {
    some.mean_gathered[i] =
        (before * some.mean_gathered[i] + added * more.mean_gathered[i]) / (before + added);
  }
  for (std::size_t p = 0; p < some.seconds.size(); ++p) some.seconds[p] += more.seconds[p];
}

Outcomes only(const Outcomes& all, std::span<const std::size_t> plans) {
  Outcomes some;
  some.worlds = all.worlds;
  some.plans = plans.size();
  some.steps = all.steps;
  const std::size_t points = all.steps.size();
  for (std::size_t w = 0; w < static_cast<std::size_t>(all.worlds); ++w) {
    for (const std::size_t p : plans) {
      const std::size_t row = w * all.plans + p;
      const auto from = all.gathered.begin() + static_cast<std::ptrdiff_t>(row * points);
      some.gathered.insert(some.gathered.end(), from, from + static_cast<std::ptrdiff_t>(points));
      some.discounted.push_back(all.discounted[row]);
      some.cost.push_back(all.cost[row]);
    }
  }
  const std::size_t horizon = all.mean_gathered.size() / all.plans;
  for (const std::size_t p : plans) {
    const auto from = all.mean_gathered.begin() + static_cast<std::ptrdiff_t>(p * horizon);
    some.mean_gathered.insert(some.mean_gathered.end(), from, from + static_cast<std::ptrdiff_t>(horizon));
    some.seconds.push_back(all.seconds[p]);
  }
  return some;
}

design::Target target_of_pilots(const mdp::Mdp& mdp, const design::Target& asked) {
  constexpr std::int32_t kUsual = 64, kMost = 256, kExact = 20'000;
  design::Target target = asked;
  if (asked.kind == design::TargetKind::ensemble && asked.members == kUsual)
    target.members = std::clamp(kExact / mdp.states(), kUsual, kMost);
  return target;
}

namespace {

// What does not depend on the pilot.
design::DesignOptions design_options(const Situation& situation, const SimulationOptions& options) {
  design::DesignOptions how;
  how.target = target_of_pilots(situation.belief().simulator(), options.target);
  how.limits = options.limits;
  how.relative_gap = 1e-2;
  how.run = {options.design_seed, options.run.threads, {}};
  return how;
}

}  // namespace

std::shared_ptr<const design::TargetWeights> weights_of_pilots(const Situation& situation,
                                                               const SimulationOptions& options) {
  const design::DesignOptions how = design_options(situation, options);
  if (how.target.kind == design::TargetKind::explorer) return nullptr;  // they move with each pilot
  return std::make_shared<const design::TargetWeights>(design::weights_of_target(situation.knowledge, how));
}

PreparedPlan design_plan(const Situation& situation, const Plan& plan, const SimulationOptions& options,
                         std::shared_ptr<const design::TargetWeights> weights) {
  PreparedPlan prepared{plan, replanning_of(plan, situation, options)};
  if (plan.wants_ensemble()) {
    prepared.policy = std::make_shared<const mdp::Policy>(
        members_policy(plan, situation.belief(), situation.unit_state, options.run.threads));
  }
  if (!plan.is_pilot()) return prepared;
  if (plan.pilot_units > situation.units() || plan.pilot_steps >= situation.horizon) {
    throw InvalidArgument(
        fmt::format("{}: a pilot must have at most the {} units there are and end before step {}", plan.name,
                    situation.units(), situation.horizon));
  }
  design::DesignOptions how = design_options(situation, options);
  how.weights = std::move(weights);
  how.units = plan.pilot_units;
  how.steps = plan.pilot_steps;
  how.others = situation.units() - plan.pilot_units;
  how.other_positions.assign(static_cast<std::size_t>(situation.belief().simulator().states()), 0.0);
  for (const std::int32_t s : situation.unit_state) ++how.other_positions[s];
  prepared.pilot_members =
      plan.given ? options.given->members : spread_members(situation.units(), plan.pilot_units);
  for (const std::int32_t u : prepared.pilot_members) {
    how.unit_state.push_back(situation.unit_state[u]);
    --how.other_positions[situation.unit_state[u]];
  }
  prepared.design = plan.given ? design::judge_pilot(situation.knowledge, how, options.given->pilot)
                               : design::design_pilot(situation.knowledge, how);
  prepared.pilot = std::make_shared<const design::Pilot>(
      prepared.design->among(situation.unit_state.size(), prepared.pilot_members));
  return prepared;
}

std::unique_ptr<planner::Planner> planner_of_plan(const Plan& plan, planner::Setting setting) {
  if (plan.bonus > 0) setting.options.bonus = plan.bonus;
  if (plan.window > 0) {
    if (plan.pilot_units > setting.units)
      throw InvalidArgument(fmt::format("{}: there are only {} units", plan.name, setting.units));
    setting.options.window = plan.window;
    setting.options.explorer_share =
        static_cast<double>(plan.pilot_units) / static_cast<double>(setting.units);
  }
  return planner::find_planner(plan.planner).make(setting);
}

Simulation::Simulation(Situation situation, const std::vector<Plan>& plans, SimulationOptions options)
    : situation_(std::move(situation)), options_(std::move(options)) {
  situation_.validate();
  deployed_ = mdp::solve(situation_.belief().mean(), {.threads = options_.run.threads}).policy;
  begin_ = planner::beginning_of(situation_.belief(), options_.tolerance);
  add(plans);
}

// Several pilots at a time, one thread each: their designs do not depend on the number of threads.
void Simulation::add(const std::vector<Plan>& plans) {
  const base::Threads threads(options_.run.threads);
  const auto most = static_cast<std::size_t>(threads.count());
  SimulationOptions each = options_;
  if (most > 1) each.run.threads = 1;
  for (std::size_t first = 0; first < plans.size();) {
    const base::Listener& listener = options_.run.listener;
    listener.tell("designing pilots", static_cast<std::int64_t>(first),
                  static_cast<std::int64_t>(plans.size()));
    const bool late = clock_.seconds() > options_.design_time || listener.wants_to_stop();
    std::vector<const Plan*> batch;
    for (; first < plans.size() && batch.size() < most; ++first) {
      const Plan& plan = plans[first];
      if (plan.is_pilot() && !plan.given && designed_ && late) continue;
      // One that takes long is designed by itself, with all threads, so that whoever calls can end it.
      const bool alone = plan.pilot_units * plan.pilot_steps >= kLongPilot;
      if (alone && !batch.empty()) break;
      designed_ = designed_ || plan.is_pilot();
      batch.push_back(&plan);
      if (alone) {
        ++first;
        break;
      }
    }
    if (designed_ && !weights_) weights_ = weights_of_pilots(situation_, options_);
    std::vector<std::optional<PreparedPlan>> prepared(batch.size());
    threads.for_each_chunk(static_cast<std::int64_t>(batch.size()), [&](std::int64_t i) {
      const Plan& plan = *batch[static_cast<std::size_t>(i)];
      try {
        prepared[static_cast<std::size_t>(i)] =
            design_plan(situation_, plan, batch.size() == 1 ? options_ : each, weights_);
      } catch (const InvalidArgument&) {
        if (!plan.is_pilot() || !options_.leave_out_infeasible || options_.limits.empty()) throw;
      }
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (prepared[i]) {
        plans_.push_back(std::move(*prepared[i]));
      } else {
        infeasible_.push_back(batch[i]->name);
      }
    }
  }
}

std::unique_ptr<planner::Planner> Simulation::planner_of(const PreparedPlan& plan,
                                                         std::uint64_t number) const {
  const belief::Belief& belief = situation_.belief();
  if (plan.plan.kind == Kind::deploy)
    return planner::follow_policy(belief.simulator(), plan.policy ? *plan.policy : deployed_,
                                  options_.run.seed, number);
  planner::PlannerOptions options;
  options.replan_every = plan.replan_every;
  options.tolerance = options_.tolerance;
  const planner::Setting setting{
      belief, situation_.units(), situation_.horizon, options_.run.seed, number, options, begin_};
  if (plan.plan.is_pilot()) return planner::make_pilot(setting, plan.pilot);
  return planner_of_plan(plan.plan, setting);
}

std::vector<double> Simulation::follow(const PreparedPlan& plan, std::uint64_t number, DrawnWorld& world,
                                       double& cost) const {
  const std::array<std::int64_t, 1> horizon = {situation_.horizon};
  std::unique_ptr<planner::Planner> planner = planner_of(plan, number);
  cost = 0;
  if (plan.plan.kind == Kind::deploy || options_.terms.none()) {
    trial::run_trial(world, *planner, horizon);
    return {world.earned().begin(), world.earned().end()};
  }
  TermedPlanner termed(std::move(planner), plan.plan, plan.pilot, options_.terms, deployed_.pair_of_state(),
                       situation_.units(), situation_.horizon, options_.run.seed, number);
  trial::run_trial(world, termed, horizon);
  std::vector<double> net(world.earned().begin(), world.earned().end());
  for (std::size_t t = 0; t < net.size(); ++t) {
    net[t] -= termed.costs()[t];
    cost += termed.costs()[t];
  }
  return net;
}

Simulation::OneWorld Simulation::run_world(std::span<const std::size_t> which, std::uint64_t number,
                                           std::size_t place, Outcomes& all) const {
  OneWorld one;
  const double discount = situation_.belief().simulator().discount();
  DrawnWorld world({situation_.belief(), options_.run.seed, world_number(number)},
                   situation_.knowledge.variance, situation_.unit_state, situation_.horizon,
                   options_.run.seed, number, situation_.belief().rewards());
  world.count_by(&groups_);
  for (std::size_t p = 0; p < which.size(); ++p) {
    const base::Clock clock;
    world.forget();
    const std::vector<double> earned =
        follow(plans_[which[p]], number, world, all.cost[place * which.size() + p]);
    const std::size_t row = place * which.size() + p;
    std::copy(world.earned_by_group().begin(), world.earned_by_group().end(),
              all.by_group.begin() + static_cast<std::ptrdiff_t>(row * all.groups));
    all.discounted[row] = discounted_sum(earned, discount);
    double sum = 0;
    std::size_t point = 0;
    for (std::size_t t = 0; t < earned.size(); ++t) {
      one.gathered.push_back(sum += earned[t]);
      if (static_cast<std::int64_t>(t) + 1 == all.steps[point])
        all.gathered[row * all.steps.size() + point++] = sum;
    }
    one.seconds.push_back(clock.seconds());
  }
  return one;
}

Outcomes Simulation::run(std::span<const std::size_t> which, std::int64_t first, std::int64_t worlds,
                         double deadline, const std::string& what, std::span<const std::int64_t> more_steps,
                         const std::function<void(double seconds)>& on_estimate) const {
  const base::Clock clock;
  for (const std::size_t place : which)
    base::check_range("Simulation::run", "plan", static_cast<double>(place), 0,
                      static_cast<double>(plans_.size()) - 1);
  const base::Threads threads(options_.run.threads);
  std::int64_t most = std::max<std::int64_t>(kFirstBatch, threads.count());  // worlds may be slow
  Outcomes all;
  all.plans = which.size();
  all.steps = curve_steps(situation_.horizon, plans_, more_steps);
  all.mean_gathered.assign(which.size() * static_cast<std::size_t>(situation_.horizon), 0.0);
  all.seconds.assign(which.size(), 0.0);
  all.groups = static_cast<std::size_t>(groups_.count);
  while (all.worlds < worlds) {
    const std::int64_t batch = std::min(most, worlds - all.worlds);
    most = std::max(most, std::min(2 * most, kBatch));
    const auto rows = static_cast<std::size_t>(all.worlds + batch) * which.size();
    all.gathered.resize(rows * all.steps.size());
    all.discounted.resize(rows);
    all.cost.resize(rows);
    all.by_group.resize(rows * all.groups);
    std::vector<OneWorld> each(static_cast<std::size_t>(batch));
    threads.for_each_chunk(batch, [&](std::int64_t i) {
      each[static_cast<std::size_t>(i)] = run_world(which, static_cast<std::uint64_t>(first + all.worlds + i),
                                                    static_cast<std::size_t>(all.worlds + i), all);
    });
    for (const OneWorld& one : each) {
      for (std::size_t k = 0; k < one.gathered.size(); ++k) all.mean_gathered[k] += one.gathered[k];
      for (std::size_t p = 0; p < which.size(); ++p) all.seconds[p] += one.seconds[p];
    }
    if (all.worlds == 0 && on_estimate)
      on_estimate(clock.seconds() * static_cast<double>(worlds) / static_cast<double>(batch));
    all.worlds += batch;
    options_.run.listener.tell(what, all.worlds, worlds);
    if (clock.seconds() > deadline || options_.run.listener.wants_to_stop()) break;
  }
  for (double& mean : all.mean_gathered) mean /= static_cast<double>(all.worlds);
  return all;
}

}  // namespace mindgap::decide
