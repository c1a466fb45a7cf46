#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/design/occupancy.h"

// The counts a pilot can have as a program in standard form, A x = b, x >= 0. Not part of the library's
// interface.
namespace mindgap::design {

/// Shares of the budget (so x sums to 1 over the flows). States that no policy reaches are left out.
/// Discounted: one variable per pair and, with x(s) = sum_a x(s,a), per state the equation
///   x(s) - g sum_k p(s|k) x(k) = (1-g) rho(s).
/// Finite: one variable per step and pair, and per step and state
///   x_0(s) = rho(s)/steps,  x_t(s) - sum_k p(s|k) x_{t-1}(k) = 0;
/// and the totals X(k), X(k) - sum_t x_t(k) = 0, so that the objective stays separable.
struct FlowProgram {
  struct Variable {
    std::int32_t pair = 0;
    std::int64_t step = 0;
    bool counted = false;  // whether it is what the objective sees as n(pair) / budget
    bool flow = false;     // whether it is an entry of the policy (step, pair)
  };
  std::vector<Variable> variables;
  std::vector<std::int64_t> column_begin;  // variables + 1: the entries of A by columns
  std::vector<std::int32_t> row;
  std::vector<double> entry;
  std::vector<double> right;  // b
  std::vector<double> inner;  // the uniform policy's x: positive throughout

  std::size_t size() const { return variables.size(); }
  std::size_t equations() const { return right.size(); }
};

FlowProgram flow_program(const Occupancy& occupancies);

/// The policy whose flows these are; every action equally likely where there are none.
std::vector<double> policy_of(const FlowProgram& program, const Occupancy& occupancies,
                              std::span<const double> x);

}  // namespace mindgap::design
