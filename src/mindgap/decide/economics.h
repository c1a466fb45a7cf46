#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mindgap/decide/simulation.h"
#include "mindgap/gap/evpi.h"
#include "mindgap/stats/interval.h"
#include "mindgap/voi/acceptability.h"

// What a decision is worth to whom: the curve of pilot sizes and results by group, on worlds that every plan
// of it meets.
namespace mindgap::decide {

/// One pilot against the reference, on worlds common to all sizes. net = worth - forgone - cost.
struct PilotSize {
  std::size_t plan = 0;  // place in Decision::plans
  std::int64_t units = 0, steps = 0;
  /// What is earned more from the end of the pilot on; and what is earned less until then. Both before
  /// costs, undiscounted; not stated where the objective is discounted.
  std::optional<gap::Estimate> worth, forgone;
  gap::Estimate cost;                 // as stated by the Terms
  gap::Estimate net;                  // by the sum of the objective, on average over worlds
  stats::Interval net_interval = {};  // simultaneous over all sizes (Bonferroni)
};

struct PilotCurve {
  std::int64_t worlds = 0;
  std::size_t reference = 0;        // place in Decision::plans: asop, or sop where there is none
  std::vector<PilotSize> sizes;     // by units, then by steps
  std::optional<std::size_t> best;  // place in sizes of the highest net value
};

/// What the units or the states of a group earn under the recommended plan and under the other one.
struct GroupResult {
  enum class By { state, unit, pilot };
  By by = By::state;
  std::string group;
  double plan = 0, other = 0;  // rewards over the horizon, undiscounted and before costs
  double difference = 0;
  stats::Interval interval = {};  // of the difference, at the level
};

struct GroupResults {
  std::int64_t worlds = 0;
  std::size_t plan = 0, other = 0;  // places in Decision::plans
  std::vector<GroupResult> groups;
};

/// The curve of the pilots among `which` (places in the simulation, as the columns of `outcomes`) against
/// `reference`, one of them.
PilotCurve pilot_curve(const Outcomes& outcomes, std::span<const std::size_t> which,
                       std::span<const PreparedPlan> plans, std::size_t reference, Objective::Sum sum,
                       double level);

/// Groups of states (those of the model, the first 12), of units by the state they begin in, and who is in
/// the pilot; the names are in the order of EarnedBy's numbers.
struct Groups {
  EarnedBy earned;
  std::vector<GroupResult::By> by;
  std::vector<std::string> names;
};
Groups groups_of(const Situation& situation, std::span<const std::int32_t> pilot_members);

GroupResults group_results(const Outcomes& outcomes, std::span<const std::size_t> which, const Groups& groups,
                           std::size_t plan, std::size_t other, double level);

/// One plan's values in each world, for tables of draws.
struct PlanDraws {
  std::uint64_t first_world = 0;            // number of the first world (drawn_model())
  std::vector<std::size_t> plans = {};      // places in Decision::plans
  std::vector<std::vector<double>> values;  // [plan][world], by the sum of the objective
};

/// A parameter's value of information over the plans that were compared: of a model that is an ensemble.
struct ParameterValue {
  std::string parameter;
  double value = 0, standard_error = 0;  // cross-fitted (voi/samples.h)
  stats::Interval interval = {};
  double plug_in = 0;
};

/// Of each parameter that differs between the worlds of `draws`, the most valuable first. Empty where the
/// model is no ensemble, or there are too few worlds or plans.
std::vector<ParameterValue> value_of_parameters(const mdp::Model& model, const Situation& situation,
                                                const PlanDraws& draws, const SimulationOptions& options);

/// One line a world: the parameters of an ensemble's member, or the mean rewards of a model of at most
/// kMostRewardColumns state-action pairs, and what each plan earned.
constexpr std::int32_t kMostRewardColumns = 200;
std::string draws_table(const mdp::Model& model, const Situation& situation, const PlanDraws& draws,
                        std::span<const std::string> plan_names, const SimulationOptions& options);

}  // namespace mindgap::decide
