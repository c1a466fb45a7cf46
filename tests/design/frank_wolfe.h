#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "mindgap/design/column_generation.h"
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

/// The least variance of a pilot of three units over six steps: its certificate holds, and a second, slower
/// method finds no better one.
inline void expect_certified(const mdp::Mdp& mdp, const Objective& objective, std::uint64_t seed) {
  std::vector<double> positions(static_cast<std::size_t>(mdp.states()), 0.0);
  positions[0] = 3;
  const auto pilot = finite_occupancies(mdp, positions, 6);
  const ColumnGenerationResult found = minimise_by_columns(objective, *pilot, {}, {.relative_gap = 1e-6});
  EXPECT_EQ(found.status, MinimumStatus::converged) << seed;
  EXPECT_NEAR(found.value, objective.value(found.counts), 1e-10 * found.value) << seed;
  const FrankWolfe other = frank_wolfe(objective, *pilot, 1e-3);
  EXPECT_LE(found.value, other.value * (1 + 2e-6)) << seed;
  EXPECT_GE(found.value, other.value - other.gap - 1e-9 * other.value) << seed;
}

}  // namespace mindgap::design
