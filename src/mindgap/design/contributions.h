#pragma once

#include <span>
#include <vector>

#include "mindgap/design/objective.h"

namespace mindgap::design {

/// What each pair adds to the criterion of Objective(weights, prior, block, credit).
class Contributions {
 public:
  /// Throws InvalidArgument as Objective does.
  Contributions(const gap::PvvWeights& weights, const gap::Precision& prior, Block block,
                std::span<const double> credit = {});

  /// f_k(n) per pair; sums to Objective::value(n).
  std::vector<double> all(std::span<const double> n) const;
  /// Without what no observation reduces: rewards whose observations have precision 0.
  std::vector<double> reducible(std::span<const double> n) const;

 private:
  std::vector<double> values(std::span<const double> n, bool reducible_only) const;

  gap::PvvWeights weights_;
  gap::Precision prior_;
  std::vector<double> credit_;
};

}  // namespace mindgap::design
