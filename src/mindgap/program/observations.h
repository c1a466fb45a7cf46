#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/observation_log.h"
#include "mindgap/program/grid.h"

// What the field shows, as observations of corners.
namespace mindgap::program {

/// One step that really happened.
struct Seen {
  std::span<const double> state;
  std::int32_t action = 0;
  double reward = 0;  // NaN: missing
  std::span<const double> next_state;
  bool terminated = false;
  std::int32_t unit = 0;
  std::int64_t step = 0;
};

/// Adds the step to `observations` as observations of the corners i around its state, which have the weights
/// w_i (grid.h). What is spread is the difference between what was seen and what the table `mdp` says there,
/// not the step itself: with r_i the table's reward at corner i, c_i the corner and m_i its mean move,
///   reward at i        r_i + (r - sum_k w_k r_k)
///   next state from i  c_i + m_i + (x' - x - sum_k w_k m_k), whose corners j have weights v_ij,
/// and (i, j) counts w_i v_ij. So one real step counts as one observation in all, and as w_i of one at corner
/// i.
///
/// Why: the table's own rows are those of steps from the corners. A step from between them, taken as it is
/// for one from a corner, is wrong by as much as the program changes over a cell, which rules out the right
/// model as soon as the rest is known well. The difference to the table is 0 where the table is right, up to
/// the curvature of the program within a cell, and where it is not right it is off by how much *that*
/// difference changes over the cell.
///
/// A terminated step leads to the model's end. Where the model has none, or `next_state` is empty, only the
/// reward is seen. Corners where the action is not available are left out. Moves into the end have no part in
/// m_i. Returns whether state or next state lie outside the grid, from where they are moved to the nearest
/// face. Throws InvalidArgument.
bool spread(const Grid& grid, const mdp::Mdp& mdp, const Seen& seen,
            std::vector<mdp::Observation>& observations);

}  // namespace mindgap::program
