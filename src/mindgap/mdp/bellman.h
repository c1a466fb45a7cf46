#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/base/parallel.h"
#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/policy_rows.h"

// The full sweep every solver is made of, and the bounds that follow from it. A sweep streams the rows once;
// nothing is allocated per state.
namespace mindgap::mdp {

/// Which states need their actions compared at all. Where the best action of a state beats the second best by
/// more than the width of the bounds, it is the optimal one for good (MacQueen 1967), and later sweeps back
/// up that one alone: their fixed point is the same V*.
class ActionFilter {
 public:
  explicit ActionFilter(std::int32_t states) : gap(states), decided(states, 0) {}
  /// After a sweep that gave bounds of this width (rounding included).
  void settle(double width);

  std::vector<float> gap;             // by which the best action led in the last full sweep
  std::vector<std::uint8_t> decided;  // per state
};

/// What else a full sweep keeps up to date; each may be absent.
struct SweepKeeps {
  PolicyRows* rows = nullptr;           // made to follow the greedy pairs
  CandidateRows* candidates = nullptr;  // made to follow the two best pairs
  ActionFilter* filter = nullptr;       // decided states keep the pair that `pick` holds for them
};

/// Sweeps of T over one model: (TV)(s) = max_a r(s,a) + g sum p(s'|s,a) V(s').
class Bellman {
 public:
  Bellman(const Mdp& mdp, const base::Threads& threads) : mdp_(mdp), threads_(threads) {}

  /// out = T in; pick[s] = the greedy pair, the first of equals.
  Residual improve(std::span<const double> in, std::span<double> out, std::span<std::int32_t> pick,
                   const SweepKeeps& keeps = {}) const;

 private:
  const Mdp& mdp_;
  const base::Threads& threads_;
};

/// Bounds on V* from one Jacobi sweep: V* - TV lies in [lower, upper] at every state. `floor` is the part of
/// the width that rounding alone makes: more sweeps cannot remove it.
struct Bounds {
  double lower = 0;
  double upper = 0;
  double floor = 0;

  double width() const { return upper - lower; }
};

/// What the bounds rest on beside a sweep.
struct ModelRange {
  double discount = 0;
  double row_sum_min = 1, row_sum_max = 1;
  double reward_magnitude = 0;
  std::int32_t row_length_max = 1;
};
Bounds bounds_from(const ModelRange& model, const Residual& residual);
Bounds bounds_from(const Mdp& mdp, const Residual& residual);

}  // namespace mindgap::mdp
