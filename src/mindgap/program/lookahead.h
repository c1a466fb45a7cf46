#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/program/grid.h"

// What values at corners say about states between them.
namespace mindgap::program {

/// The multilinear interpolant of `value` (one number per state of the model; those behind the corners are
/// not looked at) at a state. Throws InvalidArgument, as Grid::locate() does.
double value_at(const Grid& grid, std::span<const double> value, std::span<const double> state);
/// The same at several states, d numbers each, one after the other.
std::vector<double> values_at(const Grid& grid, std::span<const double> value,
                              std::span<const double> states);

/// Q(x, a) = sum_i w_i(x) Q(i, a) with Q(i, a) = r(i, a) + g sum_j p(j | i, a) V(j), per action; minus
/// infinity where an action is not available at one of the corners. What to do where no simulator is at hand.
std::vector<double> action_values_at(const Grid& grid, const mdp::Mdp& mdp, std::span<const double> value,
                                     std::span<const double> state);

/// One step of a program with each action, once or more often (draws, parameters): [action][sample].
struct Ahead {
  std::span<const double> next_state;  // d numbers each
  std::span<const double> reward;
  std::span<const std::uint8_t> terminated;  // empty: none is
  std::span<const double> weight;            // per sample, sum 1
};
/// sum_k weight_k (r_k + g V(x'_k)) per action, V interpolated and 0 after a terminated step: what a step
/// really does instead of what it does at the corners around. Throws InvalidArgument.
std::vector<double> lookahead(const Grid& grid, std::span<const double> value, double discount,
                              const Ahead& ahead);

/// The first of the largest.
std::int32_t best_action(std::span<const double> action_values);

}  // namespace mindgap::program
