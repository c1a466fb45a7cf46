#pragma once

#include <span>

namespace mindgap::stats {

/// The mean of at least one finite number; exactly c where all are c. Throws InvalidArgument where there is
/// none, one is not finite, or their sum overflows.
double mean(std::span<const double> values);

/// sqrt(sum (x_i - mean)^2 / (n - 1)), n >= 2, from deviations divided by the largest of them: none of the
/// squares overflows or vanishes. Exactly 0 where all values are equal.
double standard_deviation(std::span<const double> values);

}  // namespace mindgap::stats
