#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/voi/penalised_fit.h"

namespace mindgap::voi {

/// Each number's normal score: the standard normal quantile of (rank - 1/2) / n, ties with their mean rank.
/// What a regression on it finds does not depend on the input's scale or on the shape of its distribution.
std::vector<double> normal_scores(std::span<const double> values);

/// Cubic B-splines of several inputs, and the penalties on their wiggles (P-splines, Eilers and Marx 1996):
/// first, for each input, splines of that input alone (the main effects), then products of coarser ones, for
/// every pair of inputs and, where there are three, for the three together (the interactions). The penalty of
/// a block is the sum of squared second differences of neighbouring coefficients along each input.
class SplineBasis {
 public:
  /// Of `inputs`, one vector of scores each, all of one length. Interactions where `interactions` says so: at
  /// most 3 inputs.
  SplineBasis(std::vector<std::vector<double>> inputs, bool interactions);

  Eigen::Index draws() const { return static_cast<Eigen::Index>(inputs_.front().size()); }
  Eigen::Index size() const { return size_; }
  /// Functions that are main effects; they come first.
  Eigen::Index main_effects() const { return main_; }

  /// Adds the functions at draw i, times `scale`, into `row` (of the basis's size, zeros elsewhere).
  void add_row(std::int64_t draw, SparseRow& row) const;
  /// The sum of the block penalties, those of interactions times `weight`. Each block is scaled to the trace
  /// that `gram` has there.
  Eigen::MatrixXd penalty(const Eigen::MatrixXd& gram, double weight) const;

 private:
  // A product of splines of some inputs, `count` of each.
  struct Block {
    std::vector<std::size_t> inputs;
    Eigen::Index count, begin, size;
  };
  void add_block(std::vector<std::size_t> inputs, Eigen::Index count);

  std::vector<std::vector<double>> inputs_;
  std::vector<double> low_, high_;  // of each input
  std::vector<Block> blocks_;
  Eigen::Index size_ = 0, main_ = 0;
};

}  // namespace mindgap::voi
