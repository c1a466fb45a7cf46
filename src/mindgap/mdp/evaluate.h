#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/policy.h"
#include "mindgap/mdp/resolvent.h"

namespace mindgap::mdp {

/// The value of a policy, V = r_pi + g P_pi V, with |value - V| <= error_bound at every state.
struct Evaluation {
  std::vector<double> value;
  double error_bound = 0;
  double value_at_start = 0;
};
Evaluation evaluate(const Mdp& mdp, const Policy& policy, const ResolventOptions& options = {});

/// Q(s,a) = r(s,a) + g sum p(s'|s,a) value(s') for every pair.
std::vector<double> action_values(const Mdp& mdp, std::span<const double> value);

/// The discounted visitation d = (1-g) rho' (I - g P)^-1 of a policy from the start distribution rho: the
/// share of discounted time spent in each state. Sums to 1. `error_bound` is on the sum of absolute errors.
struct Visitation {
  std::vector<double> share;
  double error_bound = 0;
};
Visitation discounted_visitation(const Mdp& mdp, const Policy& policy, const ResolventOptions& options = {});

/// Expected visits over `steps` steps from the start distribution: n(s) = sum_{t<steps} P(s_t = s),
/// undiscounted. Sums to `steps`.
std::vector<double> finite_occupancy(const Mdp& mdp, const Policy& policy, std::int64_t steps);
/// The same of a time-dependent policy: pair[step * states + state], as solve_finite_horizon() gives it.
std::vector<double> finite_occupancy(const Mdp& mdp, std::span<const std::int32_t> pair, std::int64_t steps);
/// Throws InvalidArgument unless `pair` holds a pair of its state for every step and state.
void check_time_policy(const Mdp& mdp, std::span<const std::int32_t> pair, std::int64_t steps);

/// One step forward: the distribution over next states when the states are distributed as `now` and a pair is
/// taken with probability `probability_of_pair` in its state.
void step_distribution(const Mdp& mdp, std::span<const double> probability_of_pair,
                       std::span<const double> now, std::span<double> next);

}  // namespace mindgap::mdp
