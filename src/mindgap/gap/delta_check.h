#pragma once

#include <cstdint>
#include <optional>

#include "mindgap/base/run.h"
#include "mindgap/gap/evpi.h"
#include "mindgap/gap/pvv.h"
#include "mindgap/gap/second_order.h"

namespace mindgap::gap {

struct DeltaCheckOptions {
  std::int64_t draws = 400;
  base::Run run = {};
};

/// PVV is a first-order (delta-method) variance. This compares it with the variance of the target's value
/// over models drawn from the belief, averaged over where the target goes, as PVV is: sum_s d(s) Var(V(s)).
struct DeltaCheck {
  std::int64_t draws = 0;
  double pvv = 0;
  Estimate variance;
  double ratio = 0;  // pvv / variance; 1 where both are 0
  double ratio_standard_error = 0;
  std::optional<SecondOrder> second_order = {};  // where second_order_variance() gives it
};

/// Throws InvalidArgument for fewer than 2 draws.
DeltaCheck delta_method_check(const belief::Belief& belief, const mdp::Policy& target,
                              const DeltaCheckOptions& options = {});

}  // namespace mindgap::gap
