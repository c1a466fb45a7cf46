#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/design/occupancy.h"
#include "mindgap/mdp/policy.h"

// What a pilot must keep to, as linear constraints on its expected counts n(s,a).
namespace mindgap::design {

enum class ConstraintKind { minimum_share, maximum_share, cost, loss, rate, other };

/// sum_i coefficient[i] * n(pair[i]) <= bound.
struct LinearConstraint {
  std::string name;  // the group for shares, else what messages call it
  ConstraintKind kind = ConstraintKind::other;
  std::vector<std::int32_t> pair;
  std::vector<double> coefficient;
  double bound = 0;
  /// What the user stated is this times the left-hand side, plus that.
  double stated_per_row = 1, stated_at_zero = 0;

  double left(std::span<const double> counts) const;
  double stated(double row) const { return stated_at_zero + stated_per_row * row; }
};

/// At every step of a finite pilot at most `units` units are expected in the state.
struct Capacity {
  std::int32_t state = 0;
  double units = 0;
};

struct Constraints {
  std::vector<LinearConstraint> linear;
  std::vector<Capacity> capacity;

  bool empty() const { return linear.empty() && capacity.empty(); }
};

/// At least, at most the given share (0 to 1) of the pilot's expected steps in states of the group. Throw
/// InvalidArgument where there is no such group and list those there are.
LinearConstraint minimum_share(const Occupancy& pilot, std::string_view group, double share);
LinearConstraint maximum_share(const Occupancy& pilot, std::string_view group, double share);

/// sum_k cost_k n_k <= budget; one finite cost per pair.
LinearConstraint cost_budget(const Occupancy& pilot, std::span<const double> cost, double budget);

/// The expected reward lost is at most `limit`: what the same units, from the same positions and over the
/// same steps, would earn by the `deployed` policy (the simulator-optimal one, say) less what the pilot
/// earns, both in the pilot's model and not discounted beyond what the counts are:
///   sum_k n_deployed,k r_k - sum_k n_k r_k = sum_k n_k loss_k,
///   loss_k = sum_j n_deployed,j r_j / budget - r_k, since all counts sum to the budget.
/// The deployed policy may take pairs that are forbidden in the pilot.
/// It may be negative: a pilot of few steps may earn more than a policy made for many.
LinearConstraint loss_limit(const Occupancy& pilot, const mdp::Policy& deployed, double limit);

/// Equal or better cumulative rates: per group, in the order of the groups, the visits of all units while the
/// pilot runs are at least `share` (0 to 1) of what they would be without it. There the pilot's units, from
/// where they are, follow the `deployed` policy over the same steps, as the others do in any case; `others`
/// are the visits of those per pair (empty: there are none):
///   n_g + others_g >= share (usual_g + others_g).
/// A group that nobody would visit has no row. Where every state has a group, the shares of all groups sum to
/// one, and a share of 1 says that each group has exactly its usual visits. Throws InvalidArgument where the
/// model has no groups.
std::vector<LinearConstraint> kept_rates(const Occupancy& pilot, const mdp::Policy& deployed,
                                         std::span<const double> others, double share);

/// Throws InvalidArgument where the state is not in the model or the pilot has no steps. `units` >= 0.
Capacity step_capacity(const Occupancy& pilot, std::string_view state, double units);

/// Throws InvalidArgument unless pairs, states and numbers of all constraints fit the pilot.
void check_constraints(const Occupancy& pilot, const Constraints& constraints);

/// One line for people: which constraint cannot be met and the nearest value that can, where no feasible n
/// has a smaller left-hand side than `smallest`; `others` says that other constraints were held.
/// "group 'B' cannot have 60 % of the steps; at most 41.2 % are possible"
std::string refusal(const LinearConstraint& constraint, double smallest, bool others);
std::string refusal(const Occupancy& pilot, const Capacity& capacity, double smallest, bool others);

}  // namespace mindgap::design
