#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mindgap/belief/belief.h"
#include "mindgap/mdp/numbers.h"

namespace mindgap::belief {

/// The mean of a belief that learns, or one draw from it, kept up to date: where observations change the rows
/// of their own pairs only (Belief::learns_row_by_row), only those are computed anew. Bit for bit
/// Belief::mean() or Belief::sample().
class RunningModel {
 public:
  /// The mean.
  explicit RunningModel(const Belief& belief);
  /// The draw-th model.
  RunningModel(const Belief& belief, std::uint64_t seed, std::uint64_t draw);

  /// `changed` are the pairs observed since the last call (or the constructor), in any order; more do no
  /// harm.
  void update(const Belief& belief, std::span<const std::int32_t> changed);

  mdp::Numbers numbers() const { return {shape_, reward_, probability_}; }

 private:
  struct Draw {
    std::uint64_t seed, number;
  };
  RunningModel(const Belief& belief, std::optional<Draw> draw);
  void take(const Belief& belief);

  std::optional<Draw> draw_;  // none: the mean
  mdp::Mdp shape_;
  std::vector<double> reward_, probability_;
};

}  // namespace mindgap::belief
