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

// What a decision is worth to whom: the curve of pilot sizes and results by group.
namespace mindgap::decide {

/// One pilot against the reference. net = worth - forgone - cost.
struct PilotSize {
  std::size_t plan = 0;  // place in Decision::plans
  /// That it was priced in, the first of those of the curve. Where they are fewer than the curve's, numbers
  /// are those of the best size less by how much it is behind in these.
  std::int64_t worlds = 0;
  std::int64_t units = 0, steps = 0;
  /// What is earned more from the end of the pilot on; and what is earned less until then. Both before
  /// costs, undiscounted; not stated where the objective is discounted.
  std::optional<gap::Estimate> worth, forgone;
  gap::Estimate cost;                 // as stated by the Terms
  gap::Estimate net;                  // by the sum of the objective, on average over worlds
  stats::Interval net_interval = {};  // simultaneous over all sizes and rounds (Bonferroni)
};

struct PilotCurve {
  std::int64_t worlds = 0;          // the most that a size was priced in
  std::size_t reference = 0;        // place in Decision::plans: asop, or sop where there is none
  std::vector<PilotSize> sizes;     // by units, then by steps
  std::optional<std::size_t> best;  // place in sizes of the highest net value in all worlds of the curve
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

/// Worlds after which sizes that are surely behind the best one are priced no further.
constexpr std::int64_t kCurveRounds[] = {32, 64, 128};

/// Pilots of all sizes, priced in rounds.
struct PricedSizes {
  PilotCurve curve;
  Outcomes outcomes;               // of the plans that were in every round
  std::vector<std::size_t> plans;  // their places, as the columns of `outcomes`
};
/// Runs plans (places in the simulation) on the worlds first .. first + worlds - 1. After each of
/// `kCurveRounds` the pilots that are behind the best one for certain (99 %, paired t) are dropped
/// (successive elimination; Even-Dar, Mannor, Mansour 2006), but for those among `whole`: about a size that
/// is clearly not the best nobody needs to know more. `reference`, one of `whole`, is what pilots are
/// compared with; none: there is no curve, and nothing is dropped.
PricedSizes price_pilots(const Simulation& simulation, std::vector<std::size_t> plans,
                         std::span<const std::size_t> whole, std::optional<std::size_t> reference,
                         std::int64_t first, std::int64_t worlds, Objective::Sum sum, double level);

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
