#include "mindgap/decide/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <thread>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/parallel.h"
#include "mindgap/base/workers.h"
#include "mindgap/decide/design_numbers.h"
#include "mindgap/decide/drawn_world.h"
#include "mindgap/decide/members_policy.h"
#include "mindgap/decide/work.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/planner/beb.h"
#include "mindgap/planner/planner.h"
#include "mindgap/planner/replanner.h"
#include "mindgap/trial/loop.h"

namespace mindgap::decide {
namespace {

constexpr std::int64_t kLongPilot = 4'000;  // unit-steps

// Every (units / wanted)-th unit, so that a pilot's units stand where all units do.
std::vector<std::int32_t> spread_members(std::int64_t units, std::int64_t wanted) {
  std::vector<std::int32_t> members;
  for (std::int64_t i = 0; i < wanted; ++i) members.push_back(static_cast<std::int32_t>(i * units / wanted));
  return members;
}

}  // namespace

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

namespace {

// The same of a pilot whose design is there already.
PreparedPlan with_design(const Situation& situation, const Plan& plan, const SimulationOptions& options,
                         design::Design design) {
  PreparedPlan prepared{plan, replanning_of(plan, situation, options), std::move(design)};
  prepared.pilot_members = spread_members(situation.units(), plan.pilot_units);
  prepared.pilot = std::make_shared<const design::Pilot>(
      prepared.design->among(situation.unit_state.size(), prepared.pilot_members));
  return prepared;
}

// The pilots among plans, designed by all who share the work; none where one cannot keep to the limits.
// `weights` are found where there are none yet.
std::vector<std::optional<PreparedPlan>> designed_by_all(
    const Situation& situation, const std::vector<Plan>& plans, const SimulationOptions& options,
    std::shared_ptr<const design::TargetWeights>& weights) {
  std::vector<std::optional<PreparedPlan>> prepared(plans.size());
  std::vector<std::size_t> pilots;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    if (plans[p].is_pilot() && !plans[p].given) pilots.push_back(p);
  }
  if (pilots.empty()) return prepared;
  if (!weights) weights = weights_of_pilots(situation, options);
  const auto here = [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> numbers;
    base::NumberWriter writer(numbers);
    for (std::int64_t i = begin; i < end; ++i) {
      try {
        const PreparedPlan one =
            design_plan(situation, plans[pilots[static_cast<std::size_t>(i)]], options, weights);
        writer.one(1);
        write_design(*one.design, weights == nullptr, writer);
      } catch (const InvalidArgument&) {
        if (!options.leave_out_infeasible || options.limits.empty()) throw;
        writer.one(0);
      }
    }
    return numbers;
  };
  const auto take = [&](std::int64_t begin, std::int64_t end, std::span<const double> numbers) {
    base::NumberReader reader(numbers);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::size_t place = pilots[static_cast<std::size_t>(i)];
      int feasible = 0;
      reader.one(feasible);
      if (feasible != 0)
        prepared[place] = with_design(situation, plans[place], options, read_design(reader, weights.get()));
    }
    options.run.listener.tell("designing pilots", end, static_cast<std::int64_t>(pilots.size()));
    return true;
  };
  base::share({"designs", 0, static_cast<std::int64_t>(pilots.size())}, here, take);
  return prepared;
}

}  // namespace

namespace {

void set_bonus(const Plan& plan, planner::Setting& setting) {
  if (plan.bonus > 0) setting.options.bonus = plan.bonus;
}

}  // namespace

std::unique_ptr<planner::Planner> planner_of_plan(const Plan& plan, planner::Setting setting) {
  set_bonus(plan, setting);
  if (plan.window > 0) {
    if (plan.pilot_units > setting.units)
      throw InvalidArgument(fmt::format("{}: there are only {} units", plan.name, setting.units));
    setting.options.window = plan.window;
    setting.options.explorer_share =
        static_cast<double>(plan.pilot_units) / static_cast<double>(setting.units);
  }
  return planner::find_planner(plan.planner).make(setting);
}

namespace {

void check_drift(const belief::Belief& belief, const Terms& terms) {
  if (terms.drift_rate == 0) return;
  if (belief.rewards()->identity().empty() && !belief.learns_jointly()) return;
  throw InvalidArgument(
      "a drift rate needs Gaussian rewards of known variance, without bounds, shared errors or an ensemble: "
      "only "
      "then can mean rewards move and keep the law that is believed");
}

// What became of a plan: it is ready, or cannot keep to the limits (neither), or there was no time for it.
struct Attempt {
  std::optional<PreparedPlan> prepared;
  std::exception_ptr error;
  bool late = false;
};

// Designs several pilots at a time, one thread each: their designs do not depend on the number of threads.
// They are begun in the given order, the next as soon as a thread is free, as some take ten times as long as
// others.
class Designing {
 public:
  using Plans = std::vector<std::optional<PreparedPlan>>;

  Designing(const Situation& situation, const std::vector<Plan>& plans, const SimulationOptions& options,
            std::shared_ptr<const design::TargetWeights> weights, const base::Clock& clock, Plans elsewhere)
      : situation_(situation),
        plans_(plans),
        options_(options),
        weights_(std::move(weights)),
        clock_(clock),
        elsewhere_(std::move(elsewhere)),
        attempts_(plans.size()) {}

  // One per plan. With `one_at_least` the first pilot is designed however late it is.
  std::vector<Attempt> run(bool one_at_least) {
    const base::Threads threads(options_.run.threads);
    std::vector<std::size_t> together, alone;
    const auto to_design = std::count_if(plans_.begin(), plans_.end(), is_to_design);
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      // One that takes long is designed by itself, with all threads, so that whoever calls can end it.
      const bool is_long = plans_[i].pilot_units * plans_[i].pilot_steps >= kLongPilot;
      (is_to_design(plans_[i]) && (is_long || to_design == 1) ? alone : together).push_back(i);
    }
    must_ = one_at_least ? std::find_if(plans_.begin(), plans_.end(), is_to_design) - plans_.begin() : -1;
    SimulationOptions each = options_;
    if (threads.count() > 1) each.run.threads = 1;
    stopped_ = options_.run.listener.wants_to_stop();  // whichever thread is the first to design
    std::atomic<std::size_t> next = 0;
    threads.for_each_chunk(static_cast<std::int64_t>(together.size()),
                           [&](std::int64_t) { attempt(together[next++], each); });
    for (const std::size_t i : alone) attempt(i, options_);
    return std::move(attempts_);
  }

 private:
  static bool is_to_design(const Plan& plan) { return plan.is_pilot() && !plan.given; }

  // Whether there is no time left. Only who called is asked whether to stop.
  bool is_late() {
    if (std::this_thread::get_id() == caller_ && options_.run.listener.wants_to_stop()) stopped_ = true;
    return stopped_ || clock_.seconds() > options_.design_time;
  }

  void attempt(std::size_t i, const SimulationOptions& options) {
    options_.run.listener.tell("designing pilots", done_++, static_cast<std::int64_t>(plans_.size()));
    const Plan& plan = plans_[i];
    Attempt& own = attempts_[i];
    if (is_to_design(plan)) {
      own.late = is_late() && static_cast<std::ptrdiff_t>(i) != must_;
      if (own.late) return;
      if (!elsewhere_.empty()) {
        own.prepared = std::move(elsewhere_[i]);
        return;
      }
    }
    try {
      own.prepared = design_plan(situation_, plan, options, weights_);
    } catch (const InvalidArgument&) {
      const bool may_fail = plan.is_pilot() && options_.leave_out_infeasible && !options_.limits.empty();
      if (!may_fail) own.error = std::current_exception();
    } catch (...) {
      own.error = std::current_exception();
    }
  }

  const Situation& situation_;
  const std::vector<Plan>& plans_;
  const SimulationOptions& options_;
  const std::shared_ptr<const design::TargetWeights> weights_;
  const base::Clock& clock_;
  Plans elsewhere_;
  std::vector<Attempt> attempts_;
  std::ptrdiff_t must_ = -1;  // place of a pilot that is designed in any case
  const std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<std::int64_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

Simulation::Simulation(Situation situation, const std::vector<Plan>& plans, SimulationOptions options)
    : situation_(std::move(situation)), options_(std::move(options)) {
  situation_.validate();
  check_drift(situation_.belief(), options_.terms);
  deployed_ = mdp::solve(situation_.belief().mean(), {.threads = options_.run.threads}).policy;
  begin_ = planner::beginning_of(situation_.belief(), options_.tolerance);
  add(plans);
}

void Simulation::add(const std::vector<Plan>& plans) {
  if (plans.empty()) return;
  options_.run.listener.tell("designing pilots", 0, static_cast<std::int64_t>(plans.size()));
  const bool pilots = std::any_of(plans.begin(), plans.end(), [](const Plan& p) { return p.is_pilot(); });
  std::vector<std::optional<PreparedPlan>> elsewhere;
  if (base::are_shared()) elsewhere = designed_by_all(situation_, plans, options_, weights_);
  if (pilots && !weights_) weights_ = weights_of_pilots(situation_, options_);
  Designing designing(situation_, plans, options_, weights_, clock_, std::move(elsewhere));
  std::vector<Attempt> attempts = designing.run(!designed_);
  designed_ = designed_ || pilots;
  std::vector<std::size_t> with_bonus;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (attempts[i].error) std::rethrow_exception(attempts[i].error);
    if (attempts[i].late) continue;
    if (!attempts[i].prepared) {
      infeasible_.push_back(plans[i].name);
      continue;
    }
    plans_.push_back(std::move(*attempts[i].prepared));
    if (plans_.back().plan.planner == "beb") with_bonus.push_back(plans_.size() - 1);
  }
  const base::Threads threads(options_.run.threads);
  threads.for_each_chunk(static_cast<std::int64_t>(with_bonus.size()), [&](std::int64_t i) {
    PreparedPlan& plan = plans_[with_bonus[static_cast<std::size_t>(i)]];
    planner::Setting setting = setting_of(plan, 0);
    set_bonus(plan.plan, setting);
    plan.begin = planner::begin_with_bonus(setting);
  });
}

planner::Setting Simulation::setting_of(const PreparedPlan& plan, std::uint64_t number) const {
  planner::PlannerOptions options;
  options.replan_every = plan.replan_every;
  options.tolerance = options_.tolerance;
  options.drift = options_.terms.drift_rate;
  return {situation_.belief(),
          situation_.units(),
          situation_.horizon,
          options_.run.seed,
          number,
          options,
          plan.begin ? plan.begin : begin_};
}

std::unique_ptr<planner::Planner> Simulation::planner_of(const PreparedPlan& plan, std::uint64_t number,
                                                         std::shared_ptr<planner::Together> together,
                                                         std::size_t place) const {
  const belief::Belief& belief = situation_.belief();
  if (plan.plan.kind == Kind::deploy)
    return planner::follow_policy(belief.simulator(), plan.policy ? *plan.policy : deployed_,
                                  options_.run.seed, number);
  planner::Setting setting = setting_of(plan, number);
  setting.together = std::move(together);
  setting.place = place;
  if (plan.plan.is_pilot()) return planner::make_pilot(setting, plan.pilot);
  return planner_of_plan(plan.plan, setting);
}

bool Simulation::goes_together(const PreparedPlan& plan) const {
  const std::string& name = plan.plan.planner;
  return options_.terms.none() && (plan.plan.is_pilot() || name == "asop" || name == "beb");
}

void Simulation::follow_together(const PreparedPlan& plan, std::uint64_t first,
                                 std::span<DrawnWorld> worlds) const {
  const auto together = std::make_shared<planner::Together>(*begin_, options_.tolerance);
  std::vector<std::unique_ptr<planner::Planner>> planners;
  std::vector<planner::Planner*> who;
  std::vector<world::World*> where;
  for (std::size_t w = 0; w < worlds.size(); ++w) {
    planners.push_back(planner_of(plan, first + w, together, w));
    who.push_back(planners.back().get());
    where.push_back(&worlds[w]);
  }
  trial::run_together(where, who, situation_.horizon);
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

}  // namespace mindgap::decide
