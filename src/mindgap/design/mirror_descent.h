#pragma once

#include <functional>

#include "mindgap/design/minimum.h"

namespace mindgap::design {

struct MirrorDescentOptions {
  /// Wanted gap, as a share of the value.
  double relative_gap = 1e-3;
  std::int64_t max_iterations = 100'000;
  /// Seconds; looked at before each iteration. The certificate that follows comes on top.
  double time_limit = std::numeric_limits<double>::infinity();
  /// 0: all cores. The result does not depend on it.
  int threads = 0;
  /// The policy to begin from, as Minimum::pi; entries below 1e-12 are raised to it. Empty: every action
  /// equally likely.
  std::vector<double> initial_pi;
  /// Called after each iteration with the relative gap certified so far (infinite before the first
  /// certificate) and the one wanted; for progress bars.
  std::function<void(double relative_gap, double wanted)> on_iteration;

  void validate(const Occupancy& occupancies) const;
};

/// Minimises f over the counts of stochastic policies by policy mirror descent (docs/math/design.md):
///   pi <- pi exp(eta A / c) / Z,  A = the advantages of pi for the reward -grad f at its own counts,
/// with eta doubled after each step that lowers f. A step that does not is not thrown away: counts of two
/// policies may be mixed, and on the line from the old to the new f has its minimum at some share below 1,
/// found without another evaluation; the policy of that mixture is taken, and eta shrinks by the share. The
/// scale c of a state, sum_a pi n f'' + the mean of n f'' over all observations, makes eta free of units and
/// the steps long where prices are low. For a finite pilot pi depends on the step.
///
/// One iteration is one evaluation of the value and one of the counts, both begun from the last ones.
/// Certificates, each a solve, come when a first-order estimate of the gap is small, and at the end; so the
/// relative gap of the result always holds. Throws InvalidArgument for bad options.
Minimum mirror_descent(const Objective& objective, const Occupancy& occupancies,
                       const MirrorDescentOptions& options = {});

}  // namespace mindgap::design
