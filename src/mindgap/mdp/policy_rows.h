#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/base/parallel.h"
#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/memory.h"

namespace mindgap::mdp {

/// The extremes of the change TV - V over the states and, from a full sweep, the largest |V| or |TV|.
struct Residual {
  double min = 0;
  double max = 0;
  double magnitude = 0;

  double span() const { return max - min; }
  double norm() const { return max > -min ? max : -min; }
};

/// The rows of one deterministic policy, packed so that its sweeps stream a fraction of the model's memory,
/// and multiplied by the discount. With an order of the states, row i belongs to state order[i] and
/// everything here counts states by their place in it. Every row has room for the state's longest, so that a
/// greedy sweep can overwrite rows in place, in parallel. Where rows are short and of nearly equal length
/// they are padded to one length, known to the compiler.
class PolicyRows {
 public:
  explicit PolicyRows(const Mdp& mdp, std::span<const std::int32_t> order = {});

  /// Makes the row of state s that of its pair k, where it is not already.
  void set(std::int32_t s, std::int32_t k) {
    if (pair_[s] != k) copy(s, k);
  }
  bool ordered() const { return !rank_.empty(); }

  /// r(i) + g sum p(j|i) v(j).
  double backup(std::int64_t i, const double* v) const;
  /// out = T_pi in.
  Residual sweep(const base::Threads& threads, std::span<const double> in, std::span<double> out) const;

  /// x = T_pi x in place, one state after the other in the order, each using what those before it became.
  /// What a state says of itself is solved for, not iterated; and a state that changes by some amount takes
  /// what lies further along to change by `anticipation` (from 0 to 1) times as much:
  ///   x <- x + (T_pi x - x) / (1 - g (p_self + anticipation * p_further)).
  /// See docs/math/solvers.md for why.
  Residual sweep_in_place(std::span<double> x) const;
  void set_anticipation(double anticipation);

 private:
  template <typename Visit>
  auto visit_rows(Visit visit) const;
  void copy(std::int32_t s, std::int32_t k);
  std::int64_t begin(std::int64_t i) const { return stride_ > 0 ? stride_ * i : begin_[i]; }
  std::int64_t length(std::int64_t i) const { return stride_ > 0 ? stride_ : length_[i]; }

  const Mdp* mdp_;
  double anticipation_ = 0;
  LargeVector<std::int32_t> rank_;  // where each state stands in the order; empty: in its own place
  std::vector<std::int32_t> pair_;  // the pair held for each state (not place), -1 at first
  std::int32_t stride_ = 0;         // the common length of rows; 0: as `begin_` and `length_` say
  std::vector<std::int64_t> begin_;
  std::vector<std::int32_t> length_;
  LargeVector<std::int32_t> next_;  // places of next states
  LargeVector<double> weight_;      // g p
  LargeVector<double> reward_;
  LargeVector<double> relaxation_;  // 1 / (1 - g (...)), for sweeps in place
};

}  // namespace mindgap::mdp
