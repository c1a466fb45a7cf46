#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/design/constraint_rows.h"
#include "mindgap/design/objective.h"

// The master problem of column generation. Not part of the library's interface.
namespace mindgap::design {

/// Corners with weights on the simplex, and the rows their mixture keeps to.
class ColumnMaster {
 public:
  /// `relevant`: the pairs on which the objective depends.
  ColumnMaster(const ConstraintRows& rows, std::vector<std::int32_t> relevant);

  /// Adds a corner of weight 0 (1 where it is the first); false where one with the same counts is there.
  bool add(Corner corner);

  std::span<const Corner> corners() const { return corners_; }
  std::span<const double> weights() const { return weight_; }
  /// Per row, >= 0, 0 where a row is not needed; from the last solve.
  std::span<const double> multipliers() const { return multiplier_; }
  /// Of the mixture.
  std::vector<double> counts() const;

  /// min over the weights of the sum of the elastic constraints' violations, the `hard` ones being kept.
  /// Returns that sum, in units of the rows. Both per constraint.
  double relax(std::span<const std::uint8_t> elastic, std::span<const std::uint8_t> hard);
  /// Each constraint's violation as the last relax() found it.
  std::span<const double> slacks() const { return slack_; }

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
  double room(const Eigen::VectorXd& direction, std::vector<std::size_t>* blocking) const;
  void towards_newest(const Objective& objective);
  double line_search(const Objective& objective, const Eigen::VectorXd& direction, double longest) const;
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
  std::vector<double> multiplier_, slack_;  // per row, per constraint
};

}  // namespace mindgap::design
