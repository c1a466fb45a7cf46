#include "mindgap/decide/follow_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/decide/members_policy.h"

namespace mindgap::decide {
namespace {

// The pilot is designed when it is known where the units are.
class DesignedAtFirst final : public planner::Planner {
 public:
  DesignedAtFirst(Plan plan, planner::Setting setting, design::Target target)
      : plan_(std::move(plan)), setting_(std::move(setting)), target_(std::move(target)) {}

  void choose(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    if (!pilot_) design(state);
    pilot_->choose(step, state, pair);
  }
  void observe(std::int64_t step, const planner::StepSeen& seen) override { pilot_->observe(step, seen); }

 private:
  void design(std::span<const std::int32_t> state) {
    const belief::Belief& belief = setting_.belief;
    const std::vector<double> variance(belief.observation_variance().begin(),
                                       belief.observation_variance().end());
    const Situation situation{{.bias = std::vector<double>(variance.size(), 0.0),
                               .variance = variance,
                               .before = belief,
                               .now = belief},
                              {state.begin(), state.end()},
                              setting_.horizon};
    SimulationOptions how;
    how.target = target_;
    how.run.seed = setting_.seed;
    how.run.threads = 1;
    pilot_ = planner::make_pilot(setting_, design_plan(situation, plan_, how).pilot);
  }

  Plan plan_;
  planner::Setting setting_;
  design::Target target_;
  std::unique_ptr<planner::Planner> pilot_;
};

}  // namespace

std::unique_ptr<planner::Planner> make_plan(const Plan& plan, const planner::Setting& setting,
                                            const design::Target& target) {
  if (plan.is_pilot()) return std::make_unique<DesignedAtFirst>(plan, setting, target);
  if (plan.wants_ensemble()) {
    return planner::follow_policy(setting.belief.simulator(), members_policy(plan, setting.belief, {}, 1),
                                  setting.seed, setting.trial);
  }
  if (plan.kind == Kind::deploy) return planner::find_planner("sop").make(setting);
  return planner_of_plan(plan, setting);
}

void check_same_pairs(const mdp::Mdp& decided, const mdp::Mdp& here) {
  if (std::ranges::equal(decided.pair_begin(), here.pair_begin()) &&
      std::ranges::equal(decided.pair_action(), here.pair_action()))
    return;
  throw InvalidArgument(fmt::format(
      "the decision is about a model with {} states and {} state-action pairs, but this one has {} "
      "and {}, or others",
      decided.states(), decided.pairs(), here.states(), here.pairs()));
}

std::unique_ptr<planner::Planner> follow_pilot(const belief::Belief& belief,
                                               std::shared_ptr<const design::Pilot> pilot,
                                               planner::Setting setting) {
  check_same_pairs(belief.simulator(), setting.belief.simulator());
  if (static_cast<std::int64_t>(pilot->route_of_unit.size()) != setting.units) {
    throw InvalidArgument(fmt::format("the decision is about {} units, but {} act here",
                                      pilot->route_of_unit.size(), setting.units));
  }
  setting.belief = belief;
  return planner::make_pilot(setting, std::move(pilot));
}

std::vector<Plan> plans_among(const std::vector<std::string>& asked,
                              const std::vector<trial::PlannerName>& known) {
  std::vector<Plan> plans;
  for (const std::string& name : asked) {
    if (std::any_of(known.begin(), known.end(), [&](const auto& one) { return one.name == name; })) continue;
    if (is_plan(name)) {
      plans.push_back(plan_from_string(name));
      plans.back().name = name;  // as it was asked for
    }
  }
  return plans;
}

trial::OtherPlanner planner_for(const Plan& plan) {
  return {plan.name, [plan](const planner::Setting& setting) { return make_plan(plan, setting); },
          !plan.planner.empty() && planner::find_planner(plan.planner).uses_horizon};
}

}  // namespace mindgap::decide
