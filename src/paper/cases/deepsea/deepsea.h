#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/trial/tabular_case.h"
#include "paper/cases/registry.h"

// Deep sea: a dive of N steps through an N x N grid. Every step leads one row down and one column to the left
// or to the right; a step to the right costs a little, and only who goes right at every step finds the
// treasure in the bottom right corner. Undirected exploration finds it once in 2^N dives. After Osband, Van
// Roy, Russo and Wen (2019, "Deep exploration via randomized value functions", JMLR 20) and bsuite (Osband et
// al. 2020, "Behaviour suite for reinforcement learning", ICLR).
namespace mindgap::cases::deepsea {

struct Options {
  std::int32_t size = 10;  // N, 2 or more
  double slip = 0;         // probability that a step to the right stays in its column (bsuite: 0 or 1/N)
  bool shuffle = true;     // which action is right is drawn cell by cell, as bsuite does
  double discount = .99;   // in [0, 1]
  double noise = .01;      // variance of one reward; 0 as published
  double reward_sd = 1;    // of the true mean reward around the simulator's, every pair
  double strength = 10;    // pseudo-observations behind the simulator's rows
};

/// Per cell (row * size + column) the action, 0 or 1, that leads to the right: drawn from the stream (seed,
/// Purpose::world, trial, 2^64 - 1, cell), which no unit has; 1 everywhere without `shuffle`.
std::vector<std::int32_t> right_actions(const Options& options, std::uint64_t seed, std::uint64_t trial);

/// The sea, mean rewards: from (row, column), beginning at (0, 0),
///   left:  to (row + 1, max(column - 1, 0)), reward 0;
///   right: to (row + 1, min(column + 1, N - 1)), or with probability slip (row + 1, column); reward -.01 /
///   N,
///          and `treasure` more in the corner (N - 1, N - 1).
/// From the last row every step leads to (0, 0): the next dive. A dive is worth treasure - .01 at best where
/// nothing slips. Half of the cells, those with column > row, are never reached; they are kept, as published.
mdp::Mdp sea(const Options& options, const std::vector<std::int32_t>& right, double treasure);

/// The simulator is the sea without a treasure: it knows where steps lead, with the given strength (which
/// only matters where there is a slip: a row with one entry is certain), and what they cost; a mean reward
/// may be off by reward_sd at any pair: no pair is marked as the one to look at. Its optimal policy always
/// goes left. Throws InvalidArgument where an option is out of its domain.
trial::Problem problem(const Options& options, std::uint64_t seed, std::uint64_t trial);

CaseInfo info();

}  // namespace mindgap::cases::deepsea
