#pragma once

#include <span>

#include "mindgap/mdp/mdp.h"

namespace mindgap::mdp {

/// Beyond this, sums of values may overflow.
constexpr double kLargestValue = 1e300;

/// sum_s start(s) value(s) and a bound on its error, where each value is known to within `half_width`.
struct StartValue {
  double value = 0;
  double error = 0;
};
StartValue start_value(std::span<const double> start, std::span<const double> value, double half_width);
StartValue start_value(const Mdp& mdp, std::span<const double> value, double half_width);

}  // namespace mindgap::mdp
