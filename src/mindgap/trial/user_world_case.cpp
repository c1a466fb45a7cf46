#include "mindgap/trial/user_world_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/stated_belief.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/trial/open_case.h"

namespace mindgap::trial {
namespace {

// Counts the moves that the simulator calls impossible.
class CountedWorld final : public world::World {
 public:
  CountedWorld(std::unique_ptr<world::World> world, const mdp::Mdp& simulator)
      : world_(std::move(world)), simulator_(simulator) {}

  std::int64_t units() const override { return world_->units(); }
  std::int32_t states() const override { return world_->states(); }
  std::span<const std::int32_t> pair_begin() const override { return world_->pair_begin(); }
  std::span<const std::int32_t> pair_action() const override { return world_->pair_action(); }
  std::int32_t reset(std::int64_t unit) override { return world_->reset(unit); }
  std::int32_t state(std::int64_t unit) const override { return world_->state(unit); }
  world::Observation step(std::int64_t unit, std::int32_t pair) override {
    const world::Observation seen = world_->step(unit, pair);
    ++moves_;
    if (!simulator_.row(pair).find(seen.next_state)) ++impossible_;
    return seen;
  }

  ImpossibleMoves impossible() const { return {impossible_, moves_}; }

 private:
  std::unique_ptr<world::World> world_;
  const mdp::Mdp& simulator_;
  std::atomic<std::int64_t> moves_ = 0, impossible_ = 0;
};

}  // namespace

UserWorldCase::UserWorldCase(UserWorldOptions options)
    : options_(std::move(options)), belief_(belief::stated_belief(options_.simulator, "a planner")) {
  base::check_range("compare", "units", static_cast<double>(options_.units), 1, 1e6);
  options_.planner.validate();
}

std::vector<PlannerName> UserWorldCase::planners() const {
  std::vector<PlannerName> names;
  if (options_.oracle) names.push_back({kOracle, "what is known to be best"});
  for (const planner::PlannerInfo& info : planner::planners()) names.push_back({info.name, info.description});
  return names;
}

std::vector<std::pair<std::string, std::string>> UserWorldCase::settings() const {
  return {{"simulator", options_.simulator.name}, {"units", fmt::to_string(options_.units)}};
}

std::vector<double> UserWorldCase::run(std::string_view name, std::uint64_t trial,
                                       std::span<const std::int64_t> horizons) const {
  if (options_.oracle && name == kOracle) {
    const MakePlanner follow = [&](const planner::Setting& setting) {
      return planner::follow_policy(options_.simulator.mdp, *options_.oracle, setting.seed, setting.trial);
    };
    return run_other({kOracle, follow}, trial, horizons);
  }
  const planner::PlannerInfo& info = planner::find_planner(name);
  return run_other({info.name, info.make, info.uses_horizon}, trial, horizons);
}

std::vector<double> UserWorldCase::run_other(const OtherPlanner& planner, std::uint64_t trial,
                                             std::span<const std::int64_t> horizons) const {
  std::vector<double> none(horizons.size(), std::numeric_limits<double>::quiet_NaN());
  {
    const std::lock_guard lock(mutex_);
    if (broken_.contains(trial)) return none;
  }
  try {
    CountedWorld world(options_.make_world(trial), options_.simulator.mdp);
    std::vector<double> gathered =
        run_planner(world, planner.make, planner.uses_horizon,
                    {belief_, options_.units, 0, options_.seed, trial, options_.planner}, horizons);
    const std::lock_guard lock(mutex_);
    impossible_.moves += world.impossible().moves;
    impossible_.of += world.impossible().of;
    return gathered;
  } catch (const WorldFailed& failed) {
    BrokenTrial broken = failed.broken();
    broken.planner = planner.name;
    const std::lock_guard lock(mutex_);
    broken_.emplace(trial, std::move(broken));
    return none;
  }
}

std::vector<BrokenTrial> UserWorldCase::broken() const {
  const std::lock_guard lock(mutex_);
  std::vector<BrokenTrial> all;
  for (const auto& [trial, broken] : broken_) all.push_back(broken);
  return all;
}

std::vector<std::uint64_t> UserWorldCase::failed_trials() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> all;
  for (const auto& [trial, broken] : broken_) all.push_back(trial);
  return all;
}

std::vector<CaseWarning> UserWorldCase::findings() const {
  const std::lock_guard lock(mutex_);
  if (impossible_.moves == 0) return {};
  return {impossible_};
}

mdp::Policy best_in(const mdp::Mdp& simulator, const mdp::Mdp& truth) {
  if (!std::ranges::equal(truth.pair_begin(), simulator.pair_begin()) ||
      !std::ranges::equal(truth.pair_action(), simulator.pair_action())) {
    throw InvalidArgument(
        fmt::format("oracle: its states and actions must be the simulator's, but it has {} states and {} "
                    "pairs, not {} and {}{}",
                    truth.states(), truth.pairs(), simulator.states(), simulator.pairs(),
                    truth.pairs() == simulator.pairs() ? ", or others" : ""));
  }
  return mdp::solve(truth, {.threads = 1}).policy;
}

}  // namespace mindgap::trial
