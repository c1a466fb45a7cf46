#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/mdp/mdp.h"

// Hidden treasure (paper, appendix exp-treasure): a grid of 4 rows and 6 columns, two regions with a wall
// between columns 2 and 3 whose only opening is in row 2. Region A (columns 0 to 2) is modelled well; in
// region B (columns 3 to 5) the simulator knows nothing of a treasure in the corner.
namespace mindgap::cases::treasure {

constexpr std::int32_t kRows = 4, kColumns = 6, kStates = kRows * kColumns, kActions = 4;
constexpr std::int32_t kCorridorRow = 2;

/// State 6 row + column.
constexpr bool in_b(std::int32_t state) {
  return state % kColumns >= 3;
}

/// Where a move (0 up, 1 down, 2 left, 3 right) leads without slipping; blocked by the border and the wall.
std::int32_t moved(std::int32_t state, std::int32_t action);

/// The grid with a reward per state: .85 as intended + .15 uniform over all four moves; start (0,0), discount
/// .95. States are named "row,column".
mdp::Mdp grid(const std::vector<double>& reward_of_state);

/// Rewards as the simulator has them, and as they are: .3 in A, .1 in B; in truth 1 at (3,5) and .7 beside
/// it. (The paper speaks of eight neighbours; a corner has three.)
std::vector<double> simulated_rewards();
std::vector<double> true_rewards();

/// The simulator's transitions as the paper disturbs them: Exponential(scale) added to every entry of the
/// kernel, or to those of its support only, then renormalised. Scale 0: none.
mdp::Mdp disturbed(const mdp::Mdp& mdp, double scale, bool support_only, std::uint64_t seed,
                   std::uint64_t trial);

}  // namespace mindgap::cases::treasure
