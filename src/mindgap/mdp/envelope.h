#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"

namespace mindgap::mdp {

/// A model's transitions with numbers that may lie elsewhere than in an Mdp, which never changes: one reward
/// per pair, one probability per nonzero.
struct Numbers {
  Numbers(const Mdp& mdp)  // NOLINT: a model has numbers
      : shape(mdp), reward(mdp.reward()), probability(mdp.probability()) {}
  Numbers(const Mdp& structure, std::span<const double> rewards, std::span<const double> probabilities)
      : shape(structure), reward(rewards), probability(probabilities) {}

  const Mdp& shape;
  std::span<const double> reward, probability;
};

/// Values of deterministic policies of small models, one after another, without allocating: an LU
/// decomposition of I - g P_pi that stays within an envelope. Column j of row i can become nonzero only where
/// some row up to i begins at or before j and ends at or after it, for any choice of actions; on chains,
/// grids and the like, whose states lead to near numbers, that is little.
class Envelope {
 public:
  /// For all models with the pairs and transitions of this one. Throws InvalidArgument for discount 1.
  explicit Envelope(const Mdp& mdp);

  /// Multiplications of one decomposition, about.
  double work() const { return work_; }

  /// The columns of each row, both included, where each row begins among all entries, and how many there are.
  const std::vector<std::int32_t>& first() const { return first_; }
  const std::vector<std::int32_t>& last() const { return last_; }
  const std::vector<std::int64_t>& offset() const { return offset_; }
  std::size_t size() const { return entries_.size(); }

  /// value = (I - g P_pi)^-1 r_pi for the policy that takes pair_of_state[s] in s. Row sums must not lie
  /// above 1 / g: the matrix is then diagonally dominant by rows, so that no pivoting is needed (Golub, Van
  /// Loan 2013, theorem 4.1.2) and the result is as exact as double precision allows, about 1e-15 max|V| /
  /// (1-g).
  void evaluate(const Numbers& model, std::span<const std::int32_t> pair_of_state, std::span<double> value);

 private:
  double& at(std::int32_t row, std::int32_t column) { return entries_[offset_[row] + column - first_[row]]; }

  double work_ = 0;
  std::vector<std::int32_t> first_, last_;
  std::vector<std::int64_t> offset_;
  std::vector<double> entries_;
};

}  // namespace mindgap::mdp
