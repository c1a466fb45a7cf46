#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mindgap/mdp/numbers.h"

namespace mindgap::mdp {

/// In which order the states of I - g P_pi are eliminated, and where its LU decomposition can then have
/// nonzeros, for any policy pi and any numbers. The order is one that keeps them few (approximate minimum
/// degree; Amestoy, Davis, Duff 1996): a grid of n states has some n log n of them.
struct EliminationPlan {
  std::vector<std::int32_t> order;   // the state at each place
  std::vector<std::int32_t> column;  // the place of each nonzero's successor
  // The columns of the rows that can be nonzero, ascending, those before the diagonal and those after it.
  std::vector<std::int64_t> left_begin, right_begin;  // by place
  std::vector<std::int32_t> left, right;
  // How many of the next places, 3 at most, have this one's `right` but for the places up to them.
  std::vector<std::uint8_t> joined;
  std::vector<std::uint8_t> alike;  // whether all actions of the state at this place lead to the same states
  double work = 0;                  // multiplications of one decomposition, and nonzeros of the model

  std::int32_t states() const { return static_cast<std::int32_t>(order.size()); }
};

/// For all models with the pairs and transitions of this one. Null where there is more than `most_work`.
/// Throws InvalidArgument for discount 1.
std::shared_ptr<const EliminationPlan> plan_elimination(const Mdp& mdp, double most_work);

/// Values of deterministic policies of small models, one after another, without allocating.
class Elimination {
 public:
  explicit Elimination(std::shared_ptr<const EliminationPlan> plan);
  const std::shared_ptr<const EliminationPlan>& plan() const { return plan_; }

  /// value = (I - g P_pi)^-1 r_pi for the policy that takes pair_of_state[s] in s. Row sums must not lie
  /// above 1 / g: the matrix is then diagonally dominant by rows, so that no pivoting is needed (Golub, Van
  /// Loan 2013, theorem 4.1.2) and the result is as exact as double precision allows, about 1e-15 max|V| /
  /// (1-g).
  void evaluate(const Numbers& model, std::span<const std::int32_t> pair_of_state, std::span<double> value);

 private:
  std::shared_ptr<const EliminationPlan> plan_;
  std::vector<double> right_;              // as the plan's
  std::vector<double> inverse_, x_, row_;  // of the diagonal; the unknowns by place; a row, zero in between
};

}  // namespace mindgap::mdp
