#pragma once

#include <limits>

namespace mindgap::mdp {

/// The smallest positive number. A rounded product or quotient below the normal numbers is off by up to half
/// of it, however small the product is: bounds on rounding that are only relative miss that.
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

/// What `operations` on numbers up to `magnitude` may lose in this way. Zeros lose nothing.
constexpr double underflow(double operations, double magnitude) {
  return magnitude > 0 ? operations * kSmallest : 0;
}

}  // namespace mindgap::mdp
