#pragma once

#include "mindgap/design/minimum.h"

namespace mindgap::design {

struct InteriorPointOptions {
  /// Wanted gap, as a share of the value.
  double relative_gap = 1e-9;
  std::int64_t max_iterations = 200;
  /// Seconds; looked at before each iteration.
  double time_limit = std::numeric_limits<double>::infinity();
  /// Of the certificate's solves. 0: all cores. The result does not depend on it.
  int threads = 0;
  /// Refuse programs with more balance equations than this: the dense matrix of that size is factorised in
  /// each iteration. The discounted form has one per state that can be reached; a finite pilot one per step
  /// and state that can be reached by then, and one per pair.
  std::int64_t max_equations = 5000;

  void validate() const;
};

/// Minimises f over the counts a pilot can have, exactly, for small models: Mehrotra's predictor-corrector
/// method on the flow polytope (see interior_point.cpp). The reference the other minimisers are tested
/// against. Throws InvalidArgument for bad options or a program that is too large.
Minimum interior_point(const Objective& objective, const Occupancy& occupancies,
                       const InteriorPointOptions& options = {});

}  // namespace mindgap::design
