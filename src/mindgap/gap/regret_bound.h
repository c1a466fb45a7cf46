#pragma once

#include <cstdint>
#include <optional>

// How long a pilot should be by a bound on its regret (paper, thm. fisher-sep-r-regret, corrected).
namespace mindgap::gap {

/// A share `explorers` of `units` units explores for so many steps, the others go on as before; then all
/// follow the policy that is best by what was seen. Rewards are what is not known (the paper's
/// reward-dominates regime); every pair is looked at equally often.
struct RegretProblem {
  std::int64_t pairs = 0;  // of the model, >= 1: S x K where every action is available everywhere
  std::int64_t units = 0;  // n >= 1
  double explorers = 1;    // f, share of units, in (0, 1]
  double reward_span = 0;  // length of an interval that holds every reward, > 0
  double discount = 0;     // in [0, 1)
  double delta = .05;      // what holds holds with probability 1 - delta; in (0, 1)
  /// Steps that count in all, without discounting; none: for ever, discounted.
  std::optional<std::int64_t> horizon = {};
  double reward_error = 0, transition_error = 0;  // eps_r^m, eps_p^m: what no pilot can mend; >= 0

  /// Throws InvalidArgument.
  void validate() const;
};

/// Per unit, in the units of reward.
struct RegretBound {
  double steps = 0;        // of the pilot
  double exploration = 0;  // while it runs
  double misranking = 0;   // afterwards, since rewards are known only so well
  double residual = 0;     // of what no pilot can mend
  double total = 0;
};

/// With h steps after the pilot that count, h = 1/(1-g), or horizon - T without discounting:
///   exploration = span T
///   misranking  = h min(span, 2 e),  e = span sqrt(log(2 P / delta) / (2 m)),  m = f n T / P looks a pair
///   residual    = 2 h eps_r + 2 g Rmax h^2 eps_p    (g = 1 without discounting; Rmax: the span)
/// exploration: while the pilot runs no unit can lose more than the span a step; misranking: Hoeffding for P
/// means together, and a policy that is best in a model whose rewards are off by e loses at most 2 h e.
/// Departures from the paper, which has
///   2 f Rmax T + C Rmax (1-g)^-2 sqrt(P log(P/delta) / (f T)) + 2 Rmax eps_r/(1-g) + 2 g Rmax^2
///   eps_p/(1-g)^2:
///  - the number of units is missing in its second term: f n units look at the same time;
///  - its 2 f T cannot cover the units that do not explore, who may lose as much (1 - f of them);
///  - (1-g)^-2 is the factor of errors in rows, not of those in rewards, which has (1-g)^-1;
///  - C is not stated; and its residual has one Rmax too many (docs/math/departures.md).
RegretBound regret_bound(const RegretProblem& problem, double steps);
/// The paper's, as printed, with C = 1.
RegretBound regret_bound_paper(const RegretProblem& problem, double steps);

/// Where the bound is least.
struct PilotLength {
  double steps = 0;          // T_pilot*, real; without a horizon in closed form
  RegretBound bound = {};    // there
  double without = 0;        // the bound without a pilot: span h
  bool says_nothing = true;  // the least bound is not below that: by it no pilot pays, whatever is true
  double paper_steps = 0;    // the paper's T_pilot*, with C = 1
  RegretBound paper = {};    // its bound there
};

/// span T + b / sqrt(T) is least at T* = (b / (2 span))^(2/3), b = 2 h span sqrt(P log(2 P/delta) / (2 f n));
/// at least the T from which on it proves anything; with a horizon by a search over T, the bound being
/// convex.
PilotLength best_pilot_length(const RegretProblem& problem);

}  // namespace mindgap::gap
