#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mindgap/decide/situation.h"

// Simulators that are wrong about where moves lead, beside the truth: what happens there is impossible by the
// simulator. Rewards are right and known, they belong to states; an episode that ends begins again.
namespace mindgap::decide {

struct WrongSimulator {
  std::string name;
  mdp::Mdp simulator, truth;  // the same pairs
  std::vector<std::int32_t> unit_state;
  std::int64_t horizon = 0;
};

/// Gymnasium's CliffWalking-v0 (Sutton and Barto, example 6.6): 4 x 12 cells, the cliff between start and
/// goal. A step costs 1, the cliff 100 and the goal pays 20; both lead back to the start. In truth a gust
/// blows a unit one cell further down after each move, with probability `wind`.
WrongSimulator windy_cliff(double wind = .2);

/// Gymnasium's FrozenLake-v1 on its 8 x 8 map: the goal pays 1; goal and holes lead back to the start. The
/// simulator's ice does not slip; in truth each move goes where it was meant to, or to one of the two sides,
/// with probability 1/3 each.
WrongSimulator slippery_lake();

/// 7 x 7 cells, a wall from top to bottom with two openings in it, the goal (10) behind it. In truth the
/// opening that the shortest way goes through is shut, and a door that the simulator does not know is nearer
/// than the other one.
WrongSimulator changed_maze();

/// Gymnasium's CartPole-v1 (Barto, Sutton and Anderson 1983) on a grid of positions, speeds, angles and
/// angular speeds, a push held for `frames` frames: each step pays 1; a pole that fell costs 20 and is set up
/// again. In truth a push goes the other way. Rows are averages over 16 points of a cell.
/// One frame (Euler's method): position, speed, angle and angular speed after `force`.
std::array<double, 4> cart_pole_frame(std::array<double, 4> at, double force);
struct CartPoleBins {
  std::int32_t position = 3, speed = 3, angle = 8, angular_speed = 6;
  std::int32_t frames = 4;
};
WrongSimulator reversed_cart_pole(const CartPoleBins& bins = {});

/// Every row (1 - share) as it is + share x uniform over all states.
mdp::Mdp spread_out(const mdp::Mdp& model, double share);

/// What is known: the simulator with Dirichlet rows of the given strength.
Situation situation_of(const WrongSimulator& wrong, double strength = 1);

}  // namespace mindgap::decide
