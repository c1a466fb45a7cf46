#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mindgap/belief/belief.h"

namespace mindgap::belief {

/// One model drawn from a belief, of which only the rows that are asked for are drawn, each when it is asked
/// for first: bit for bit those of Belief::sample(). Where rows are drawn together (Belief::learns_row_by_row
/// says not) all of them are at once. The belief must outlive it. One thread.
class DrawnRows {
 public:
  DrawnRows(const Belief& belief, std::uint64_t seed, std::uint64_t draw);
  /// A model that is there already.
  DrawnRows(mdp::Mdp model)  // NOLINT: it has rows
      : shape_(model), whole_(std::move(model)) {}

  struct Pair {
    mdp::Row row;
    double reward = 0;
  };
  Pair of(std::int32_t pair);
  /// A model with its transitions, whatever their numbers.
  const mdp::Mdp& shape() const { return shape_; }

 private:
  const Belief* belief_ = nullptr;
  std::uint64_t seed_ = 0, draw_ = 0;
  mdp::Mdp shape_;
  std::optional<mdp::Mdp> whole_;  // where all rows are there
  std::vector<std::uint8_t> is_drawn_;
  std::unique_ptr<double[]> reward_,
      probability_;  // not set where nothing is drawn: most of it stays untouched
};

}  // namespace mindgap::belief
