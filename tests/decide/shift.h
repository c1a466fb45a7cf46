#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "mindgap/stats/moments.h"

namespace mindgap::decide {

/// Gains of the same plans in the same worlds, found in two ways: the mean moves by no more than a tenth of
/// the standard error that it has in 1,024 worlds, beyond what chance explains (two standard errors of the
/// shift itself: where a policy takes another action of nearly the same worth, what follows differs by luck).
inline void expect_small_shift(std::span<const double> gain, std::span<const double> exact,
                               const std::string& what) {
  ASSERT_EQ(gain.size(), exact.size());
  std::vector<double> shift(gain.begin(), gain.end());
  for (std::size_t w = 0; w < shift.size(); ++w) shift[w] -= exact[w];
  const double error = stats::standard_deviation(exact) / std::sqrt(1024.0);
  const double luck = stats::standard_deviation(shift) / std::sqrt(static_cast<double>(shift.size()));
  EXPECT_GT(error, 0) << what;
  EXPECT_LE(std::abs(stats::mean(shift)), .1 * error + 2 * luck)
      << what << ": " << stats::mean(shift) / error << " +- " << luck / error << " standard errors";
}

}  // namespace mindgap::decide
