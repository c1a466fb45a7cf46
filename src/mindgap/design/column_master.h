#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/design/constraint_rows.h"
#include "mindgap/design/objective.h"
#include "mindgap/design/quadratic_program.h"

// The master problem of column generation. Not part of the library's interface.
namespace mindgap::design {

/// Corners with weights on the simplex, and the rows their mixture keeps to.
class ColumnMaster {
 public:
  /// `relevant`: the pairs on which the objective depends.
  ColumnMaster(const ConstraintRows& rows, std::vector<std::int32_t> relevant);

  /// Adds a corner of weight 0 (1 where it is the first); false where one with the same counts is there.
  bool add(Corner corner);

  std::span<const double> weights() const { return weight_; }
  /// Gives the corners away: the last thing to do.
  std::vector<Corner> release() { return std::move(corners_); }
  /// Per row, >= 0, 0 where a row is not needed; from the last solve.
  std::span<const double> multipliers() const { return multiplier_; }
  /// Of the mixture.
  std::vector<double> counts() const;

  /// min over the weights of the sum of the elastic constraints' violations, the `hard` ones being kept.
  /// Returns that sum, in units of the rows. Both per constraint.
  double relax(std::span<const std::uint8_t> elastic, std::span<const std::uint8_t> hard);
  /// Widens the bounds of rows that the present weights miss by rounding, so that these weights keep to all.
  void settle();
  /// Of the rows, as settle() left them: never tighter than they were.
  std::span<const double> bounds() const { return bound_; }

  /// min over the weights of f(mixture), until a step is expected to gain no more than `accuracy`. The
  /// present weights must keep to all rows.
  void minimise(const Objective& objective, double accuracy);

  /// Takes out corners without weight, the newest `keep` excepted.
  void drop_unused(std::size_t keep);
  /// Moves weight between corners until their counts on the relevant pairs and their rows are affinely
  /// independent (Caratheodory): the mixture keeps its value and its rows with as few corners as that takes.
  void shorten();

 private:
  std::vector<double> mixture(const Eigen::VectorXd& weights) const;
  double left_of(std::size_t row) const;
  double room(const Eigen::VectorXd& direction, std::vector<std::size_t>* blocking) const;
  void towards_newest(const Objective& objective);
  double line_search(const Objective& objective, const Eigen::VectorXd& direction, double longest) const;
  QuadraticProgram elastic_program(std::span<const std::size_t> used,
                                   std::span<const std::uint8_t> elastic) const;
  Eigen::MatrixXd active_rows(Eigen::VectorXd& bounds) const;
  void set_weights(const Eigen::VectorXd& weights);
  Eigen::VectorXd weight_vector() const;
  bool newton_step(const Objective& objective, double accuracy);

  const ConstraintRows& rows_;
  std::vector<std::int32_t> relevant_;
  std::vector<Corner> corners_;
  std::vector<double> weight_;
  Eigen::MatrixXd counts_;                  // relevant pairs x corners (columns in use: corners_.size())
  std::vector<std::vector<double>> left_;   // per corner, left-hand sides of all rows
  std::vector<std::size_t> active_;         // rows in the master problem
  std::vector<double> bound_, multiplier_;  // per row
};

}  // namespace mindgap::design
