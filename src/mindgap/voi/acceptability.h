#pragma once

#include <span>
#include <vector>

#include "mindgap/gap/evpi.h"

namespace mindgap::voi {

/// How sure a choice between plans is (Fenwick, Claxton, Sculpher 2001).
struct Acceptability {
  /// Share of worlds in which each plan is best; plans that tie share a world.
  std::vector<double> share;
  /// What following each plan loses against the best plan of each world, on average: of the best plan this
  /// is the value of perfect information about which plan to take.
  std::vector<gap::Estimate> loss;
};

/// Of plans' values, one vector per plan with one number per world, the same worlds.
Acceptability acceptability(std::span<const std::vector<double>> values);

}  // namespace mindgap::voi
