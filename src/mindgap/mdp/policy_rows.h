#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mindgap/base/parallel.h"
#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/memory.h"

// What is swept between two full sweeps: corrections to the value, in single precision. A value V becomes
// V + y, where y is the change that the policy's own actions make to V in many sweeps,
//   y = d + g P y   with   d = TV - V,
// so single precision is relative to the correction, which vanishes as values settle, and not to the value.
// Full sweeps and all that is certified are in double precision. See docs/math/solvers.md.
namespace mindgap::mdp {

/// The extremes of the change TV - V over the states and, from a full sweep, the largest |V| or |TV| and,
/// where it keeps more than values (SweepKeeps), the number of states that turned to a better action.
struct Residual {
  double min = 0;
  double max = 0;
  double magnitude = 0;
  std::int64_t turned = 0;
  double weights_off = 0;  // the largest relative error of the weights that the sweep read

  double span() const { return max - min; }
  double norm() const { return max > -min ? max : -min; }
};

/// A transition of a row of a policy: its probability times the discount. Not initialised: rows are written
/// before they are read.
struct Transition {
  std::int32_t next;
  float weight;
};

/// Rows of the model packed together, `per_state` for every state, so that sweeps stream a fraction of the
/// model's memory. With `rank`, state s has rows per_state * rank[s] and on, and next states are counted by
/// their ranks too. Every row has room for the state's longest, so that rows can be overwritten in place, in
/// parallel. Where rows are short and of nearly equal length they are padded to one length, known to the
/// compiler.
class PackedRows {
 public:
  /// A weight of 53 bits as two of 24: 2^-24 of 2^-24, and a little for numbers too small for single
  /// precision.
  static constexpr double kOff = 0x1.1p-48;

  /// `rank` must outlive the rows. With rests, exact_sum() can be asked for.
  PackedRows(const Mdp& mdp, int per_state, std::span<const std::int32_t> rank, bool with_rests = false);

  /// Makes row i, of a state at place `at`, the row of pair k.
  void copy(std::int64_t i, std::int32_t at, std::int32_t k);
  /// All rows, padding included.
  std::int64_t transitions() const { return room_; }
  /// The length of all rows, padded; 0 where they have different lengths.
  std::int32_t stride() const { return stride_; }
  /// Bare rows, of the kind that the stride allows (sweep.h).
  template <typename Rows>
  Rows rows() const;
  /// Calls visit(rows) with them.
  template <typename Visit>
  Residual visit_rows(Visit visit) const;
  /// The sum of weight * v(next) over row i in double precision, its weights off by kOff at most.
  double exact_sum(std::int64_t i, const double* v) const;
  /// Asks for the memory that row i is written to.
  [[gnu::always_inline]] void fetch(std::int64_t i) const {
    const Transition* row = transitions_ + begin(i);
    __builtin_prefetch(row, 1);
    __builtin_prefetch(row + 8, 1);
  }
  /// The weights in row i that lead to place `at` itself, and to places after it.
  std::pair<float, float> self_and_further(std::int64_t i, std::int32_t at) const;

 private:
  std::int64_t begin(std::int64_t i) const { return stride_ > 0 ? stride_ * i : begin_[i]; }
  std::int64_t length(std::int64_t i) const { return stride_ > 0 ? stride_ : length_[i]; }

  const Mdp* mdp_;
  std::span<const std::int32_t> rank_;
  std::int32_t stride_ = 0;   // the common length of rows; 0: as `begin_` and `length_` say
  bool model_equal_ = false;  // all rows of the model have that length: no need to look where they begin
  std::vector<std::int64_t> begin_;
  std::vector<std::int32_t> length_;
  std::int64_t room_ = 0;
  std::unique_ptr<std::byte[]> memory_;  // of both that follow
  Transition* transitions_ = nullptr;
  float* rest_ = nullptr;  // what each weight lacks, if asked for
};

/// A power of two of the size of the rewards: changes of values divided by it are neither too large nor too
/// small for single precision.
double scale_of_changes(const Mdp& mdp);

/// One deterministic policy.
class PolicyRows {
 public:
  explicit PolicyRows(const Mdp& mdp);

  /// Makes the row of state s that of its pair k.
  void set(std::int32_t s, std::int32_t k) {
    if (pair_[s] == k) return;
    rows_.copy(s, s, k);
    reward_[s] = mdp_->reward()[k];
    pair_[s] = k;
  }
  /// r + g sum p(s') v(s') for state s, in double precision, its weights off by PackedRows::kOff at most.
  double backup(std::int32_t s, const double* v) const { return reward_[s] + rows_.exact_sum(s, v); }
  double reward(std::int32_t s) const { return reward_[s]; }
  const PackedRows& rows() const { return rows_; }
  /// out = change + g P in.
  Residual sweep(const base::Threads& threads, std::span<const float> change, std::span<const float> in,
                 std::span<float> out) const;

 private:
  const Mdp* mdp_;
  PackedRows rows_;
  std::vector<std::int32_t> pair_;  // -1 at first
  std::vector<double> reward_;
};

/// The two best actions of every state, for sweeps in place over an order of the states. Where two actions
/// are nearly as good, which one is better changes with every improvement; with both at hand that costs
/// nothing.
class CandidateRows {
 public:
  CandidateRows(const Mdp& mdp, std::span<const std::int32_t> order, double anticipation);

  /// Makes the candidates of state s its pairs `best` and `second` (the same where it has but one action),
  /// which change its value by these amounts.
  void set(std::int32_t s, std::int32_t best, std::int32_t second, double change_of_best,
           double change_of_second) {
    std::int32_t* pair = &pair_[2 * static_cast<std::size_t>(s)];
    if (pair[0] == second || pair[1] == best) {
      std::swap(best, second);
      std::swap(change_of_best, change_of_second);
    }
    const std::int32_t at = rank_[s];
    if (pair[0] != best || pair[1] != second) replace(at, pair, best, second);
    state_[at].change = {static_cast<float>(change_of_best * per_scale_),
                         static_cast<float>(change_of_second * per_scale_)};
  }
  /// The other candidate of state s beside pair k.
  std::int32_t other_than(std::int32_t s, std::int32_t k) const {
    const std::int32_t* pair = &pair_[2 * static_cast<std::size_t>(s)];
    return pair[0] == k ? pair[1] : pair[0];
  }

  /// Asks for what set() will write of state s.
  [[gnu::always_inline]] void fetch(std::int32_t s) const {
    __builtin_prefetch(&state_[rank_[s]], 1);
    if (pair_[2 * static_cast<std::size_t>(s)] < 0) rows_.fetch(2 * std::int64_t{rank_[s]});
  }

  /// The changes of all states by the better candidate each, by places in the order.
  void start(std::span<float> y) const;
  /// y = max over the candidates, in place, one state after the other in the order, each using what those
  /// before it became. What a state says of itself is solved for, not iterated; and a state that changes by
  /// some amount takes what lies further along to change by `anticipation` (from 0 to 1) times as much:
  ///   y <- y + (max_a (d_a + g P_a y) - y) / (1 - g (p_self + anticipation * p_further)).
  /// See docs/math/solvers.md for why.
  Residual sweep_in_place(std::span<float> y, std::int64_t begin, std::int64_t end) const;
  /// Before the first sweep of these states, and after their candidates have changed: finds what is divided
  /// by.
  void prepare(std::int64_t begin, std::int64_t end);
  void set_anticipation(double anticipation);

 private:
  static constexpr float kUnknown = 0;
  struct State {
    std::array<float, 2> change{};  // by each candidate, divided by the scale
    float relaxation = kUnknown;    // 1 / (1 - g (...)), the smaller of both candidates'
  };
  void replace(std::int32_t at, std::int32_t* pair, std::int32_t best, std::int32_t second);
  float relaxation_of(std::int64_t row, std::int32_t at) const;

  float anticipation_;
  double per_scale_;
  LargeVector<std::int32_t> rank_;  // where each state stands in the order
  PackedRows rows_;
  std::vector<std::int32_t> pair_;  // by state, -1 at first
  std::vector<State> state_;        // by place
};

}  // namespace mindgap::mdp
