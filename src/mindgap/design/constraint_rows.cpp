#include "mindgap/design/constraint_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mindgap::design {

ConstraintRows::ConstraintRows(const Occupancy& pilot, const Constraints& constraints)
    : pilot_(pilot), constraints_(constraints) {
  check_constraints(pilot, constraints);
  for (const LinearConstraint& row : constraints.linear) {
    double largest = 0;
    for (const double a : row.coefficient) largest = std::max(largest, std::abs(a));
    scale_.push_back(largest > 0 ? largest * pilot.budget() : 1);
    bound_.push_back(row.bound / scale_.back());
  }
  const double units = std::accumulate(pilot.positions().begin(), pilot.positions().end(), 0.0);
  for (const Capacity& capacity : constraints.capacity) {
    for (std::int64_t step = 0; step < pilot.steps(); ++step) {
      scale_.push_back(units);
      bound_.push_back(capacity.units / units);
    }
  }
}

std::size_t ConstraintRows::constraint_of(std::size_t row) const {
  const std::size_t linear = constraints_.linear.size();
  return row < linear ? row : linear + (row - linear) / static_cast<std::size_t>(pilot_.steps());
}

std::vector<double> ConstraintRows::left(const Corner& corner) const {
  std::vector<double> result;
  result.reserve(rows());
  for (const LinearConstraint& row : constraints_.linear) result.push_back(row.left(corner.counts));
  if (!constraints_.capacity.empty()) {
    const std::vector<double> visits = pilot_.step_visits(corner.pair);
    const auto states = static_cast<std::size_t>(pilot_.mdp().states());
    for (const Capacity& capacity : constraints_.capacity) {
      for (std::size_t at = static_cast<std::size_t>(capacity.state); at < visits.size(); at += states) {
        result.push_back(visits[at]);
      }
    }
  }
  for (std::size_t i = 0; i < result.size(); ++i) result[i] /= scale_[i];
  return result;
}

Corner ConstraintRows::best(std::vector<double> price, std::span<const double> multiplier) const {
  std::size_t i = 0;
  for (const LinearConstraint& row : constraints_.linear) {
    const double factor = multiplier[i] / scale_[i];
    ++i;
    if (factor == 0) continue;
    for (std::size_t j = 0; j < row.pair.size(); ++j) price[row.pair[j]] -= factor * row.coefficient[j];
  }
  const auto priced = [](double m) { return m != 0; };
  if (std::none_of(multiplier.begin() + static_cast<std::ptrdiff_t>(i), multiplier.end(), priced)) {
    return pilot_.best(price);
  }
  const auto states = static_cast<std::size_t>(pilot_.mdp().states());
  const auto steps = static_cast<std::size_t>(pilot_.steps());
  std::vector<double> step_price(steps * states, 0.0);
  for (const Capacity& capacity : constraints_.capacity) {
    for (std::size_t step = 0; step < steps; ++step, ++i) {
      step_price[step * states + static_cast<std::size_t>(capacity.state)] -= multiplier[i] / scale_[i];
    }
  }
  return pilot_.best_at_steps(price, step_price);
}

std::string ConstraintRows::refusal(std::size_t constraint, double slack, bool others) const {
  const std::size_t linear = constraints_.linear.size();
  if (constraint < linear) {
    const LinearConstraint& row = constraints_.linear[constraint];
    return design::refusal(row, row.bound + slack * scale_[constraint], others);
  }
  const Capacity& capacity = constraints_.capacity[constraint - linear];
  return design::refusal(pilot_, capacity, capacity.units + slack * scale_.back(), others);
}

}  // namespace mindgap::design
