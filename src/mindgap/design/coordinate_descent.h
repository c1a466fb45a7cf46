#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/design/objective.h"
#include "mindgap/design/occupancy.h"

namespace mindgap::design {

struct CoordinateDescentOptions {
  std::int64_t iterations = 60;
  double rate = 0.3;  // of a state's probabilities moved to one action at a time; in (0, 1]
  /// Judge each policy by the variance of its own value, as the paper's listing does, instead of a given
  /// target's: the weights are found anew for every policy tried. Only for the discounted form.
  bool target_is_explorer = false;
  /// With that: maximise the trace of the Fisher information, sum of tau W_r (of W_r where rewards are seen
  /// without noise), instead of minimising the variance. `value` is then minus the trace.
  bool fisher_trace = false;
  Block block = Block::both;
  /// As Objective's.
  std::vector<double> credit;
  /// The policy to begin from, a probability per pair; empty: every action equally likely.
  std::vector<double> initial_pi;
  base::Run run = {};  // with the seed of the states that are tried

  void validate(const Occupancy& occupancies) const;
};

struct CoordinateDescent {
  std::vector<double> pi;      // a probability per pair, the same at every step
  std::vector<double> counts;  // n per pair
  double value = 0;            // f(counts), with the policy's own weights where it is its own target
  std::int64_t evaluations = 0;
  double seconds = 0;
};

/// The paper's listing "minimize_pvv_policy" as written, for comparison only: no certificate, and no
/// convergence. In each iteration a random state is picked and, for each of its actions, its row pi becomes
/// (1 - rate) pi + rate on the action; the best row is kept where PVV falls. `weights` may be empty with
/// `target_is_explorer`. Throws InvalidArgument for bad options.
CoordinateDescent coordinate_descent(const gap::PvvWeights& weights, const gap::Precision& prior,
                                     const Occupancy& occupancies,
                                     const CoordinateDescentOptions& options = {});

}  // namespace mindgap::design
