#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/policy.h"
#include "mindgap/mdp/reach.h"
#include "mindgap/mdp/resolvent.h"

namespace mindgap::gap {

struct GapOptions {
  /// States with less discounted visitation than this count as practically unreached.
  double support_threshold = mdp::kSupportThreshold;
  /// Wanted accuracy of each value, as a share of the largest |reward| / (1 - discount).
  double tolerance = 1e-11;
  /// 0: all cores. The result does not depend on it.
  int threads = 0;
  /// How policies are evaluated; to name the method saves the choice, which costs time in large models.
  mdp::LinearMethod linear = mdp::LinearMethod::automatic;
  /// A first guess of the optimal value, e.g. the simulator's; empty: none.
  std::span<const double> initial_value;

  void validate() const;
};

/// What a deployed policy leaves on the table in a known model, and which part of it lies where the policy
/// goes anyway (docs/math/gaps.md; paper Proposition gap-decomp made computable):
///   out = {s : d(s) < threshold}, eta = d(out) under the deployed policy,
///   local_value = the best value of a policy with no more visitation of `out` than eta
///               = min over lambda >= 0 of  rho'V*(r - lambda 1_out) + lambda eta/(1-g),
///   local_gap = local_value - deployed_value, reach_gap = optimal_value - local_value.
struct GapDecomposition {
  double deployed_value = 0, local_value = 0, optimal_value = 0;  // from the start distribution
  double local_gap = 0, reach_gap = 0;
  /// Each value is off by at most this; each gap by at most twice as much.
  double error_bound = 0;
  double support_threshold = 0;
  double outside = 0;           // eta
  double multiplier = 0;        // the lambda of the minimum: worth of one more discounted step in `out`
  std::int32_t iterations = 0;  // models solved beside the first
  std::vector<double> value;    // optimal, per state
  std::vector<double> optimal_visitation;  // share of discounted time the optimal policy spends in each state
};

/// Throws InvalidArgument for bad options, NumericalError where a value cannot be had to the tolerance.
GapDecomposition gap_decomposition(const mdp::Mdp& truth, const mdp::Policy& deployed,
                                   const GapOptions& options = {});

}  // namespace mindgap::gap
