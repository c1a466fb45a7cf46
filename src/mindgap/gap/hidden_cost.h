#pragma once

#include <algorithm>
#include <cmath>

#include "mindgap/world/belief_state.h"
#include "mindgap/world/hidden_model.h"

namespace mindgap::gap {

/// What acting on the observed state alone costs in a truth whose hidden state stays for a while, where the
/// bound on history's error says nothing (paper, remark "When the bound would fail").
struct HiddenCost {
  double observed = 0;     // value at the start of the deployment projection's best policy, exactly
  double remembering = 0;  // of plans that remember, at least (world::BeliefStatePlans)
  double seeing = 0;       // if the hidden state were seen: at most
  /// The second largest |eigenvalue| of the hidden state's own chain, averaged over where that policy goes:
  /// per step what is known of it shrinks by about this factor, where nothing is observed. 1: it never
  /// changes.
  double slowest = 0;
  double half_life = 0;          // steps in which that halves, rounded up; infinite for 1
  double effective_horizon = 0;  // 1 / (1 - discount)

  /// The cost lies between these.
  double least() const { return std::max(0.0, remembering - observed); }
  double most() const { return std::max(0.0, seeing - observed); }
  double least_share() const { return observed != 0 ? least() / std::abs(observed) : 0; }
  double most_share() const { return observed != 0 ? most() / std::abs(observed) : 0; }
  /// Within the effective horizon.
  bool fades() const { return half_life <= effective_horizon; }
};

/// Throws InvalidArgument for a discount of 1. Time as BeliefStatePlans takes.
HiddenCost hidden_cost(const world::HiddenModel& truth, const world::BeliefStateOptions& options = {});

}  // namespace mindgap::gap
