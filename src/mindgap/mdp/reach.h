#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/policy.h"

namespace mindgap::mdp {

/// Where a policy goes from the start distribution, and where it does not: the states its data will never
/// tell about. Two notions: `possible` is a graph search over positive probabilities; a state is
/// practically unreached where its share of time is below `threshold`.
struct Reach {
  double threshold = 0;
  std::vector<double> share;            // of (discounted) time, per state; sums to 1
  std::vector<double> share_by_group;   // per group of the labels
  std::vector<std::uint8_t> possible;   // per state
  std::vector<std::int32_t> unreached;  // states with share < threshold, and impossible ones
};

constexpr double kSupportThreshold = 1e-4;

/// Of a stationary policy: the discounted visitation d = (1-g) rho' (I - g P)^-1.
Reach policy_reach(const Mdp& mdp, const Policy& policy, double threshold = kSupportThreshold);

/// Of a time-dependent policy over `steps` steps (`pair` as in FiniteHorizonSolution): the expected share of
/// steps.
Reach policy_reach(const Mdp& mdp, std::span<const std::int32_t> pair, std::int64_t steps,
                   double threshold = kSupportThreshold);

}  // namespace mindgap::mdp
