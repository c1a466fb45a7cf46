#pragma once

#include <vector>

#include "mindgap/design/objective.h"
#include "mindgap/design/occupancy.h"

namespace mindgap::design {

struct FrankWolfe {
  std::vector<double> counts;
  double value = 0;
  double gap = 0;  // value - minimum is at most this
};

/// Plain Frank-Wolfe with an exact line search by bisection of the slope, to a relative gap. Slow, short, and
/// shares no code with the product's minimisers.
inline FrankWolfe frank_wolfe(const Objective& objective, const Occupancy& pilot, double relative_gap = 1e-3,
                              int limit = 20000) {
  const std::size_t size = objective.size();
  std::vector<double> gradient(size), price(size), at(size), slope(size);
  FrankWolfe result;
  result.counts = pilot.best(std::vector<double>(size, 0.0)).counts;
  for (int iteration = 0; iteration < limit; ++iteration) {
    result.value = objective.derivatives(result.counts, gradient);
    for (std::size_t k = 0; k < size; ++k) price[k] = -gradient[k];
    const Corner corner = pilot.best(price);
    double here = 0;
    for (std::size_t k = 0; k < size; ++k) here += price[k] * result.counts[k];
    result.gap = corner.bound - here;
    if (result.gap <= relative_gap * result.value) break;
    double low = 0, high = 1;
    for (int i = 0; i < 50; ++i) {
      const double step = (low + high) / 2;
      double derivative = 0;
      for (std::size_t k = 0; k < size; ++k) {
        at[k] = result.counts[k] + step * (corner.counts[k] - result.counts[k]);
      }
      objective.derivatives(at, slope);
      for (std::size_t k = 0; k < size; ++k) derivative += slope[k] * (corner.counts[k] - result.counts[k]);
      (derivative < 0 ? low : high) = step;
    }
    for (std::size_t k = 0; k < size; ++k) {
      result.counts[k] += low * (corner.counts[k] - result.counts[k]);
    }
  }
  return result;
}

}  // namespace mindgap::design
