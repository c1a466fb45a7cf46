#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mindgap/base/random.h"
#include "mindgap/base/run.h"
#include "mindgap/mdp/mdp.h"
#include "mindgap/program/grid.h"

// A program as a table: what it does at every corner of a grid with every action.
namespace mindgap::program {

/// What a step gave beside the next state.
struct Outcome {
  double reward = 0;
  bool terminated = false;  // the episode is over; the next state is not looked at
};

/// A simulator: one step from `state` with an action (by number), the parameters and random numbers of its
/// own. Fills `next_state`. Called from several threads at once unless TabulateOptions says otherwise.
using StepFunction =
    std::function<Outcome(std::span<const double> state, std::int32_t action, std::span<const double> theta,
                          base::Stream& random, std::span<double> next_state)>;

struct TabulateOptions {
  double discount = -1;                   // must be set; from 0 to 1
  std::vector<std::string> actions = {};  // their names, one at least
  std::int32_t samples = 1;               // steps of each corner with each action; more for random programs
  std::vector<double> starts = {};        // states in which it starts, one after the other; empty: uniform
  /// The two axes (by number) whose coordinates are the states' x and y, for pictures; empty: the first two
  /// where there are no more. States that differ on other axes only are in one place then.
  std::vector<std::int32_t> places = {};
  bool always_end = false;  // an end state even where nothing terminates
  base::Run run = {};       // with the seed of the random numbers that steps are handed; one thread where
                            // step is not thread-safe
};

/// How many steps left the grid, per axis and side, as shares of all steps. They are moved to the nearest
/// face.
struct LeftGrid {
  std::vector<double> below, above;
  double any = 0;  // on whatever axis
  bool operator==(const LeftGrid&) const = default;
};

/// A program's table. States are the corners, named and numbered as in the grid; behind them is one absorbing
/// state "end" where something terminates. With one or two axes, states have these as their x and
/// y; with more, those that options.places says.
struct Tabulated {
  mdp::Mdp mdp;
  bool has_end = false;
  LeftGrid left;
};

/// The row of a corner and an action is the mean over samples of the weights of the next state's corners
/// (grid.h), its reward the mean reward; a terminated step keeps its reward and leads to the end. All actions
/// and all parameters meet the same random numbers at a corner, and those of corners are independent: sample
/// k of corner i has the stream (seed, Purpose::world, k, i). Rows sum to 1 up to rounding.
///
/// Throws InvalidArgument, with the corner and the action by name, where a step gives a number that is not
/// finite, and where every step leaves the grid; and what `step` throws.
Tabulated tabulate(const Grid& grid, const StepFunction& step, std::span<const double> theta,
                   const TabulateOptions& options);

/// Steps that were made already, [corner][action][sample], the last fastest.
struct Steps {
  std::span<const double> next_state;  // d numbers each
  std::span<const double> reward;
  std::span<const std::uint8_t> terminated;  // empty: none is
};
/// The same from such steps. `options.run.seed` is not used.
Tabulated tabulate(const Grid& grid, const Steps& steps, const TabulateOptions& options);

/// The same table with an end state, which nothing leads to where it had none: members of an ensemble must
/// have the same states.
Tabulated with_end(const Tabulated& table);

/// Where it starts: the mean of the weights of `states` (d numbers each, one after the other) at their
/// corners; `size` is the number of states of the model. Throws InvalidArgument.
std::vector<double> start_at(const Grid& grid, std::span<const double> states, std::int32_t size);

}  // namespace mindgap::program
