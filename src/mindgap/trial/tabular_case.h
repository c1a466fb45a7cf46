#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/planner/planner.h"
#include "mindgap/trial/case.h"
#include "mindgap/trial/loop.h"
#include "mindgap/world/hidden_model.h"
#include "mindgap/world/world.h"

namespace mindgap::trial {

/// What planners know before the first step, and what they meet. The belief's simulator has the truth's
/// states, actions and pairs, in its order.
struct Problem {
  belief::Belief belief;
  world::HiddenModel truth;
};

struct TabularCaseOptions {
  std::string name;
  std::int64_t units = 100;
  std::uint64_t seed = base::Run().seed;
  std::vector<std::int64_t> horizons = {};  // compared by default
  std::int64_t trials = 100;                // likewise
  std::vector<std::string> planners = {};   // likewise; empty: oracle and all others
  std::vector<std::pair<std::string, std::string>> settings = {};
  planner::PlannerOptions planner = {};
  /// Per step, with which mean rewards move while planners act: each pair's deviation from its simulated mean
  /// keeps returning to the belief's law (world::RewardDrift, with the belief's standard deviations). 0: the
  /// truth stands still. The oracle then follows the policy that is best at each step. Not with belief-state
  /// planners.
  double drift_rate = 0;
  bool drift_by_state = false;  // all actions of a state move together
  /// Offer planners that filter the hidden state (qmdp, belief-state).
  bool belief_state = false;
  /// Rules that hold in this case alone, by a planner's name; nullptr: the general one.
  std::function<std::unique_ptr<planner::Planner>(std::string_view name, const planner::Setting& setting)>
      own_planner = {};
};

/// Every tabular planner, in a truth given trial by trial. The oracle follows the optimal policy of the
/// truth's deployment projection; a value is the sum of all units' rewards. Planners whose belief forgets
/// take the truth to move at options.planner.drift.
class TabularCase final : public Case {
 public:
  /// `problem` may be called from any thread, and again for the same trial.
  TabularCase(TabularCaseOptions options, std::function<Problem(std::uint64_t trial)> problem);

  std::string name() const override { return options_.name; }
  std::string unit() const override { return "reward"; }
  std::vector<PlannerName> planners() const override;
  std::vector<std::string> default_planners() const override;
  std::vector<std::int64_t> default_horizons() const override { return options_.horizons; }
  std::int64_t default_trials() const override { return options_.trials; }
  std::vector<std::pair<std::string, std::string>> settings() const override;
  /// Moves of the first trial's truth that the simulator calls impossible.
  std::vector<CaseWarning> warnings() const override;
  std::vector<double> run(std::string_view planner, std::uint64_t trial,
                          std::span<const std::int64_t> horizons) const override;
  bool takes_others() const override { return true; }
  std::vector<double> run_other(const OtherPlanner& planner, std::uint64_t trial,
                                std::span<const std::int64_t> horizons) const override;

  Problem problem(std::uint64_t trial) const { return problem_(trial); }

 private:
  std::unique_ptr<world::World> world_of(const Problem& problem, std::uint64_t trial) const;

  TabularCaseOptions options_;
  std::function<Problem(std::uint64_t)> problem_;
};

/// The option drift-rate, which every tabular case has, and its value.
CaseOption drift_rate_option();
double drift_rate_of(const OptionValues& values);

}  // namespace mindgap::trial
