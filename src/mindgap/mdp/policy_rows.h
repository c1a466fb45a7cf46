#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mindgap/base/parallel.h"
#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/memory.h"

namespace mindgap::mdp {

/// The extremes of the change TV - V over the states and, from a full sweep, the largest |V| or |TV| and the
/// number of states whose best action has changed.
struct Residual {
  double min = 0;
  double max = 0;
  double magnitude = 0;
  std::int64_t turned = 0;

  double span() const { return max - min; }
  double norm() const { return max > -min ? max : -min; }
};

/// The rows of one deterministic policy, packed so that its sweeps stream a fraction of the model's memory,
/// and multiplied by the discount. With `rank`, state s has row rank[s], and next states are counted by their
/// ranks too. Every row has room for the state's longest, so that a greedy sweep can overwrite rows in place,
/// in parallel. Where rows are short and of nearly equal length they are padded to one length, known to the
/// compiler.
class PolicyRows {
 public:
  /// `rank` must outlive the rows.
  explicit PolicyRows(const Mdp& mdp, std::span<const std::int32_t> rank = {});

  /// Makes the row of state s that of its pair k, and says whether it was not already.
  bool set(std::int32_t s, std::int32_t k) {
    if (pair_[s] == k) return false;
    copy(s, k);
    return true;
  }
  /// The pair held for state s, -1 at first.
  std::int32_t pair(std::int32_t s) const { return pair_[s]; }

  /// r(i) + g sum p(j|i) v(j) for row i.
  double backup(std::int64_t i, const double* v) const;
  /// out = T_pi in.
  Residual sweep(const base::Threads& threads, std::span<const double> in, std::span<double> out) const;
  /// The length of all rows, padded; 0 where they have different lengths.
  std::int32_t stride() const { return stride_; }
  /// Bare rows, of the kind that the stride allows (sweep.h).
  template <typename Rows>
  Rows rows() const;
  /// The sums of g p that lead from row i to itself, and to rows after it.
  std::pair<double, double> self_and_further(std::int64_t i) const;

 private:
  friend class CandidateRows;
  template <typename Visit>
  Residual visit_rows(Visit visit) const;
  void copy(std::int32_t s, std::int32_t k);
  std::int64_t begin(std::int64_t i) const { return stride_ > 0 ? stride_ * i : begin_[i]; }
  std::int64_t length(std::int64_t i) const { return stride_ > 0 ? stride_ : length_[i]; }

  const Mdp* mdp_;
  std::span<const std::int32_t> rank_;
  std::vector<std::int32_t> pair_;
  std::int32_t stride_ = 0;   // the common length of rows; 0: as `begin_` and `length_` say
  bool model_equal_ = false;  // all rows of the model have that length: no need to look where they begin
  std::vector<std::int64_t> begin_;
  std::vector<std::int32_t> length_;
  std::vector<std::int32_t> next_;  // rows of next states
  std::vector<double> weight_;      // g p
  std::vector<double> reward_;
};

/// The two best actions of every state, for sweeps in place over an order of the states. Where two actions
/// are nearly as good, which one is better changes with every improvement; with both at hand that costs
/// nothing.
class CandidateRows {
 public:
  CandidateRows(const Mdp& mdp, std::span<const std::int32_t> order, double anticipation);

  /// Makes the candidates of state s its pairs `best` and `second` (the same where it has but one action).
  void set(std::int32_t s, std::int32_t best, std::int32_t second) {
    if (one_.pair(s) == second || other_.pair(s) == best) std::swap(best, second);
    const bool changed = one_.set(s, best);
    if (other_.set(s, second) || changed) relaxation_[rank_[s]] = kUnknown;
  }

  /// x = max over the candidates, in place, one state after the other in the order, each using what those
  /// before it became. What a state says of itself is solved for, not iterated; and a state that changes by
  /// some amount takes what lies further along to change by `anticipation` (from 0 to 1) times as much:
  ///   x <- x + (T_a x - x) / (1 - g (p_self + anticipation * p_further)).
  /// See docs/math/solvers.md for why.
  Residual sweep_in_place(std::span<double> x, std::int64_t begin, std::int64_t end) const;
  /// Before the first sweep of these states, and after their candidates have changed: finds what is divided
  /// by.
  void prepare(std::int64_t begin, std::int64_t end);
  void set_anticipation(double anticipation);

 private:
  static constexpr double kUnknown = 0;
  double relaxation_of(const PolicyRows& rows, std::int64_t i) const;

  double anticipation_;
  LargeVector<std::int32_t> rank_;  // where each state stands in the order
  PolicyRows one_, other_;
  LargeVector<double> relaxation_;  // 1 / (1 - g (...)), the smaller of both candidates', or kUnknown
};

}  // namespace mindgap::mdp
