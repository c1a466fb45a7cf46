#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/program/tabulate.h"

// A program that can only be followed, not put into a state: its table from the steps that were seen.
namespace mindgap::program {

/// Steps in any order: from a state with an action to the next state.
struct SeenSteps {
  std::span<const double> state;  // d numbers each
  std::span<const std::int32_t> action;
  std::span<const double> reward;
  std::span<const double> next_state;        // d numbers each; after a terminated step not looked at
  std::span<const std::uint8_t> terminated;  // empty: none is
};

/// Less than a thousandth of a step: such a pair counts as untried.
constexpr double kLeastCoverage = 1e-3;

/// A table of what was seen. Its rows are estimates; `coverage` says from how many steps.
struct Sampled {
  Tabulated table;               // `left`: shares of the steps that were seen
  std::vector<double> coverage;  // per pair, the sum of the weights of its steps; 0 where it is untried
  std::vector<double> variance;  // of one reward, per pair; empty where no pair has more than one step
  std::int64_t untried = 0;      // pairs of a corner and an action
  double lowest = 0;             // what each step of an untried pair pays
};

/// A step from x counts with the weight w_i(x) (grid.h) at corner i. The row of corner i with an action is
/// the mean, by these weights, of the multilinear weights of c_i + (x' - x), its reward their mean reward; a
/// terminated step keeps its reward and leads to the end.
///
/// Why the displacement and not x' itself: x lies up to a cell's width from c_i. Spread as it is, x' would
/// carry that width into the row, so that even a program that stays where it is would diffuse by a cell's
/// width at each step. The displacement of a step from x instead of from c_i is off only by as much as the
/// displacement itself changes over the cell.
///
/// At the border of what was seen, c_i + (x' - x) may lie up to a cell beyond it, beside corners of which
/// nothing is known. They keep their weights, and what is untried pays little (below): policies keep away
/// from the border. Whoever gives these weights to the known corners instead gets values that are too high
/// and policies that fall off it (docs/math/programs.md has both, measured).
///
/// Pairs whose coverage is below kLeastCoverage are untried. They stay where they are and pay the lowest
/// reward that was seen, or 0 where that is lower and something ended (as the end pays 0): no policy seeks
/// them, and whoever may experiment can try them. Unlike the states of Mdp.from_gymnasium() on discrete
/// spaces, corners are there before anything was seen of them, so untried actions are not left out.
///
/// The variance of one reward is that of the pair with one step of the pairs' common variance added: with
/// weights w of sum W, (sum w (r - mean)^2 + common) / (W - sum w^2 / W + 1).
///
/// `options.samples`, `options.run.seed` are not used. Results do not depend on the number of threads. Throws
/// InvalidArgument where there are no steps, numbers are not finite or of another size, an action is none of
/// the options', and where every step leaves the grid.
Sampled sampled(const Grid& grid, const SeenSteps& steps, const TabulateOptions& options);

}  // namespace mindgap::program
