#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mindgap/decide/plan.h"
#include "mindgap/design/pilot.h"
#include "mindgap/mdp/policy.h"
#include "mindgap/planner/planner.h"

namespace mindgap::decide {

/// What experiments cost, and how recommendations are put to use. Costs are in the unit of the reward and
/// fall on plans of the kind experiment alone. In the experiment are, of a pilot-UxT, its U units for its T
/// steps; of any other experiment its units (adaptive-UxW) or all units, to the end of the horizon.
struct Terms {
  double pilot_cost = 0;               // once, at the first step
  double unit_cost = 0;                // for each unit in the experiment, at the first step
  double unit_step_cost = 0;           // for each step of a unit in the experiment
  std::vector<double> pair_cost = {};  // for each use of a pair by a unit in the experiment; empty: nothing
  /// Steps between the end of a pilot and the first use of what its units saw in it. What other units see,
  /// and what everybody sees after the pilot, is used at once, as without a pilot.
  std::int64_t delay = 0;
  /// Share of units that do what a plan recommends, each unit in each world by a coin of its own; the others
  /// follow the policy that is deployed today. Units of a pilot follow their routes.
  double uptake = 1;
  /// How fast sampled models move: with a = 1 - drift_rate each pair's mean reward deviates from its mean in
  /// the belief by a times what it did, and a fresh part that keeps its law the same (belief/forgetting.h).
  /// Plans that forget are told. Gaussian rewards that pairs do not share anything of only.
  double drift_rate = 0;

  bool cost_nothing() const {
    return pilot_cost == 0 && unit_cost == 0 && unit_step_cost == 0 && pair_cost.empty();
  }
  bool none() const { return cost_nothing() && delay == 0 && uptake == 1; }
  /// Throws InvalidArgument where a number is out of its domain.
  void validate(std::int32_t pairs) const;
};

/// A planner under terms: who does not follow is overruled, what comes late is held back, what costs is
/// counted.
class TermedPlanner final : public planner::Planner {
 public:
  /// `inner` follows `plan`, whose pilot, where it has one, is `pilot`. The coins of world `number` have the
  /// key (seed, Purpose::world, number, unit, 2^63), which no step of a world has. `terms` must outlive it.
  TermedPlanner(std::unique_ptr<planner::Planner> inner, const Plan& plan,
                std::shared_ptr<const design::Pilot> pilot, const Terms& terms,
                std::span<const std::int32_t> deployed, std::int64_t units, std::int64_t horizon,
                std::uint64_t seed, std::uint64_t number);

  void choose(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override;
  void observe(std::int64_t step, const planner::StepSeen& seen) override;

  /// What each step cost, as many numbers as the horizon has steps.
  std::span<const double> costs() const { return cost_; }

 private:
  bool sent(std::size_t unit, std::int64_t step, std::int32_t state) const;
  void release();

  // Observations of units in a pilot, until they may be used.
  struct Held {
    std::vector<std::int32_t> state, pair, next_state;
    std::vector<double> reward;
    void add(const planner::StepSeen& seen, std::size_t unit);
  };

  std::unique_ptr<planner::Planner> inner_;
  std::shared_ptr<const design::Pilot> pilot_;
  const Terms& terms_;
  std::span<const std::int32_t> deployed_;
  bool experiment_, everybody_;  // costs fall on it; all units are in it to the end
  std::vector<std::uint8_t> follows_;
  std::vector<double> cost_;
  Held late_, now_;
};

}  // namespace mindgap::decide
