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

/// Adds the step to `spread` as observations of the corners around it: corner i of the state (weight w_i)
/// with corner j of the next state (weight v_j) has the weight w_i v_j and the reward as it is. So one real
/// step counts as one observation in all, pair (i, action) as w_i of one, and the mean of its moves is the
/// next state that was seen.
///
/// Why: tabulated rows put v_j on the corners of a next state, so a chain that follows them from the corners
/// of x (w_i each) has w_i v_j as the expected number of moves from i to j. Counting these in place of the
/// unseen moves is the expectation step of a mixture: unbiased where the program is linear between
/// neighbouring corners. Where it is not, or moves less than a cell at a time, the spread of next states is
/// overstated by the order of a cell.
///
/// A terminated step leads to the model's end. Where the model has none, or `next_state` is empty, only the
/// reward is seen. Corners where the action is not available are left out. Returns whether state or next
/// state lie outside the grid, from where they are moved to the nearest face. Throws InvalidArgument.
bool spread(const Grid& grid, const mdp::Mdp& mdp, const Seen& seen,
            std::vector<mdp::Observation>& observations);

}  // namespace mindgap::program
