#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/mdp/model.h"
#include "mindgap/mdp/policy.h"
#include "mindgap/trial/case.h"
#include "mindgap/trial/loop.h"

// Planners in a truth that a user wrote as code.
namespace mindgap::trial {

/// A trial that a user's world broke off.
struct BrokenTrial {
  std::uint64_t trial = 0;
  std::string planner = {};
  std::int64_t unit = 0, step = 0;  // step -1: reset
  std::uint64_t seed = 0;           // that the unit was reset with
  std::string message = {}, traceback = {};
};

/// What a world throws to break its trial off; everything else that it throws ends the comparison.
class WorldFailed : public std::exception {
 public:
  explicit WorldFailed(BrokenTrial broken) : broken_(std::move(broken)) {}
  const char* what() const noexcept override { return broken_.message.c_str(); }
  const BrokenTrial& broken() const { return broken_; }

 private:
  BrokenTrial broken_;
};

struct UserWorldOptions {
  std::string name;
  mdp::Model simulator;  // that planners are given, with its prior or coverage
  /// A world of the simulator's states and pairs. May be called from any thread.
  std::function<std::unique_ptr<world::World>(std::uint64_t trial)> make_world;
  std::optional<mdp::Policy> oracle = {};  // what is known to be best
  std::int64_t units = 20;
  std::uint64_t seed = base::Run().seed;
  std::vector<std::int64_t> horizons = {100};
  std::int64_t trials = 20;
  planner::PlannerOptions planner = {};
};

/// Every tabular planner in such a truth. Where a world throws WorldFailed, the trial's values are NaN and
/// the failure is kept.
class UserWorldCase final : public Case {
 public:
  explicit UserWorldCase(UserWorldOptions options);

  std::string name() const override { return options_.name; }
  std::string unit() const override { return "reward"; }
  std::vector<PlannerName> planners() const override;
  std::vector<std::int64_t> default_horizons() const override { return options_.horizons; }
  std::int64_t default_trials() const override { return options_.trials; }
  std::vector<std::pair<std::string, std::string>> settings() const override;
  std::vector<CaseWarning> findings() const override;
  std::vector<std::uint64_t> failed_trials() const override;
  std::vector<double> run(std::string_view planner, std::uint64_t trial,
                          std::span<const std::int64_t> horizons) const override;
  bool takes_others() const override { return true; }
  std::vector<double> run_other(const OtherPlanner& planner, std::uint64_t trial,
                                std::span<const std::int64_t> horizons) const override;

  /// By trial.
  std::vector<BrokenTrial> broken() const;

 private:
  UserWorldOptions options_;
  belief::Belief belief_;
  mutable std::mutex mutex_;
  mutable std::map<std::uint64_t, BrokenTrial> broken_;
  mutable ImpossibleMoves impossible_;
};

/// The optimal policy of a truth that somebody wrote down, pair for pair as the simulator. Throws
/// InvalidArgument where they have other pairs.
mdp::Policy best_in(const mdp::Mdp& simulator, const mdp::Mdp& truth);

}  // namespace mindgap::trial
