#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "mindgap/design/constraints.h"
#include "mindgap/design/minimum.h"
#include "mindgap/design/objective.h"
#include "mindgap/design/occupancy.h"

namespace mindgap::design {

struct ColumnGenerationOptions {
  /// Stop where the certified gap is at most this share of f. Positive.
  double relative_gap = 1e-3;
  /// Seconds; checked after each iteration.
  double time_limit = std::numeric_limits<double>::infinity();
  /// Corners found; each costs one solve of a model.
  std::int64_t max_iterations = 10'000;
  /// Corners of the pilot to begin with (`pair` and `counts`). Empty: the one that is best for n = 0.
  std::vector<Corner> initial;
  /// Called after each iteration with the relative gap reached and the one wanted; for progress bars.
  std::function<void(double relative_gap, double wanted)> on_iteration;

  void validate() const;
};

/// A design as a short list of policies with weights (> 0, sum 1).
struct ColumnGenerationResult {
  MinimumStatus status = MinimumStatus::converged;
  std::vector<double> counts;  // n per pair
  double value = 0;            // f(n)
  double gap = 0;              // f(n) - min f <= gap
  double relative_gap = 0;     // gap / f(n)
  std::int64_t iterations = 0;
  double seconds = 0;
  std::vector<Corner> corners;
  std::vector<double> weights;
  /// What one unit more on the right of each linear constraint would take off f, to first order.
  std::vector<double> multipliers;
  /// The same of one unit more of each capacity, at all steps.
  std::vector<double> capacity_multipliers;
};

/// min f(n) over the expected counts of the pilot that keep to the constraints, by fully corrective
/// Frank-Wolfe, which is column generation (Dantzig and Wolfe 1960; von Hohenbalken 1977): a master problem
/// finds the best mixture of the corners known, w, and the multipliers l >= 0 of the rows A n <= b; the best
/// corner for the prices -grad f(n) - A'l joins. For every l >= 0 and every n' that keeps to the constraints
///   f(n') >= f(n) + <grad f, n' - n> + l'(A n' - b),
/// so f(n) - min f <= <grad f, n> + l'b + max_n' <-grad f - A'l, n'>, and the maximum is replaced by the
/// certified bound of the solve: the gap holds however inexact master and pricing are. The largest lower
/// bound met on the way is kept. The counts keep to the constraints within 1e-9 of the most a row can be.
/// Throws InvalidArgument for bad options, and where no n keeps to the constraints: the message names a
/// constraint that cannot be met and the nearest value that can.
ColumnGenerationResult minimise_by_columns(const Objective& objective, const Occupancy& pilot,
                                           const Constraints& constraints = {},
                                           const ColumnGenerationOptions& options = {});

}  // namespace mindgap::design
