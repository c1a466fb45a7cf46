#pragma once

#include <cstdint>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/model.h"

/// The models the benchmark solves, built in memory. Each is the same on every machine for the same
/// arguments.
namespace mindgap::bench {

/// Every pair leads to `successors` different states, drawn uniformly, with random weights; rewards are
/// uniform on [0, 1).
mdp::Mdp random_sparse(std::int32_t states, std::int32_t actions = 5, std::int32_t successors = 10,
                       double discount = .99, std::uint64_t seed = 1);

/// `states` states in `classes` classes, which behave like those of a random_sparse(classes, 4, 5): a state
/// goes to random states of its class's next classes. Rewards are whole numbers from 0 to 9.
mdp::Mdp lumpable(std::int32_t states, std::int32_t classes = 1000, double discount = .99,
                  std::uint64_t seed = 1);

/// A square of cells with four moves (up, down, left, right): .8 as intended, .1 to each side; whoever would
/// leave the square or hit a wall stays. Each step costs 1 until the goal, which is absorbing and free. The
/// goal is the open cell nearest to the bottom right corner, as in FrozenLake. Each cell is a wall with
/// probability `wall_share`; the states are the cells of the largest open region, row by row, so that the
/// goal can be reached from every state.
mdp::Mdp maze(std::int32_t side = 500, double wall_share = 0, double discount = .999, std::uint64_t seed = 1);

/// Gymnasium's Pendulum on a grid: angle (0 is upright, wraps) times speed in [-8, 8] (clipped), torques in
/// [-2, 2], Euler step .05, reward -(angle^2 + .1 speed^2 + .001 torque^2). The next angle and speed fall
/// between grid points and are shared bilinearly among the four around them.
mdp::Mdp pendulum(std::int32_t angles = 201, std::int32_t speeds = 201, std::int32_t torques = 11,
                  double discount = .99);

/// A square of cells with four moves, .85 as intended and .05 to each other side; whoever would leave the
/// square stays. Rewards are uniform on [0, 1) per cell, and up to .02 more for a move. History saw each pair
/// of the left half a hundred times and none of the right half, of which a reward may be off by .3 (one sd)
/// and a row is worth 5 observations; one observed reward has variance .25. Everybody starts in the left
/// half.
mdp::Model two_regions(std::int32_t side, double discount = .95, std::uint64_t seed = 1);

}  // namespace mindgap::bench
