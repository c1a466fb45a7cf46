#pragma once

#include <span>
#include <string>
#include <vector>

#include "mindgap/design/constraints.h"

// Constraints as rows of a master problem. Not part of the library's interface.
namespace mindgap::design {

/// One row per linear constraint, then one per capacity and step, each divided by the most its left-hand side
/// can be, so that numbers are near 1.
class ConstraintRows {
 public:
  ConstraintRows(const Occupancy& pilot, const Constraints& constraints);

  std::size_t rows() const { return scale_.size(); }
  std::size_t constraints() const { return constraints_.linear.size() + constraints_.capacity.size(); }
  /// The constraint a row belongs to: linear ones first.
  std::size_t constraint_of(std::size_t row) const;
  /// Rows of capacities are many and few of them bind: they enter a master problem where needed.
  bool is_lazy(std::size_t row) const { return row >= constraints_.linear.size(); }
  std::span<const double> bounds() const { return bound_; }
  std::span<const double> scales() const { return scale_; }

  /// The left-hand sides of all rows at a corner.
  std::vector<double> left(const Corner& corner) const;
  /// The corner that maximises <price, n> - sum_i multiplier_i left_i(n).
  Corner best(std::vector<double> price, std::span<const double> multiplier) const;
  /// The message where a constraint is missed by at least `slack` (in units of its rows).
  std::string refusal(std::size_t constraint, double slack, bool others) const;

  const Occupancy& pilot() const { return pilot_; }

 private:
  const Occupancy& pilot_;
  const Constraints& constraints_;
  std::vector<double> scale_, bound_;
};

}  // namespace mindgap::design
