#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "mindgap/decide/situation.h"
#include "mindgap/gap/evpi.h"
#include "mindgap/mdp/policy.h"

namespace mindgap::decide {

/// What knowing the true model now would be worth to all units over the horizon, against deploying a policy:
/// E[V* - V^deployed] over models drawn from the belief, by the objective, both exact in each model (V* over
/// all policies, also those that change with time). And how it splits, as in gap::gap_decomposition but for a
/// finite horizon:
///   out = {s : visits(s) < threshold * all visits} under the deployed policy, eta = its visits of `out`,
///   local value = the best of a policy with no more visits of `out` than eta
///               = min over lambda >= 0 of  V*(r - lambda 1_out) + lambda eta,
/// local = local value - V^deployed: waiting can reveal it; reach = V* - local value: only going there can.
struct Information {
  std::int64_t draws = 0;
  gap::Estimate total, local, reach;
};

/// One model.
struct InformationSplit {
  double deployed = 0, local = 0, optimal = 0;  // values
};
InformationSplit split_information(const mdp::Mdp& truth, const mdp::Policy& deployed,
                                   std::span<const double> positions, std::int64_t steps, double threshold);

/// `draws` models, belief.sample(seed, 2^61), ...; fewer where should_stop() says so. Models in parallel.
Information value_of_information(const Situation& situation, const mdp::Policy& deployed, Objective objective,
                                 std::int64_t draws, const SimulationOptions& options);

}  // namespace mindgap::decide
