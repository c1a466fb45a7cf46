#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/base/parallel.h"
#include "mindgap/mdp/mdp.h"

// The sweeps every solver is made of. A sweep streams the rows once; nothing is allocated inside.
namespace mindgap::mdp {

/// The extremes of d = TV - V over the states and, from a full sweep, the largest |V| or |TV|.
struct Residual {
  double min = 0;
  double max = 0;
  double magnitude = 0;

  double span() const { return max - min; }
  double norm() const { return max > -min ? max : -min; }
};

/// The rows of one deterministic policy, packed so that its sweeps stream a fraction of the model's memory.
/// Rows have the room of the state's longest row, so that a greedy sweep can overwrite them in place, in
/// parallel.
class PolicyRows {
 public:
  explicit PolicyRows(const Mdp& mdp);
  /// With an order of the states (row i belongs to state order[i]) for sweeps in place.
  PolicyRows(const Mdp& mdp, std::span<const std::int32_t> order);

  /// Makes the row of state s that of its pair k, where it is not already.
  void set(std::int32_t s, std::int32_t k) {
    const std::int32_t i = rank_.empty() ? s : rank_[s];
    if (pair_[i] != k) copy(i, k);
  }

  std::span<const std::int32_t> order() const { return order_; }
  std::span<const std::int64_t> begin() const { return begin_; }
  std::span<const std::int32_t> length() const { return length_; }
  std::span<const std::int32_t> next_state() const { return next_state_; }
  std::span<const double> probability() const { return probability_; }
  std::span<const double> reward() const { return reward_; }
  /// For sweeps in place: 1 / (1 - g p(s|s)), and the same with what leads further along the order added to
  /// p(s|s).
  std::span<const double> solo() const { return solo_; }
  std::span<const double> ahead() const { return ahead_; }

 private:
  void copy(std::int32_t i, std::int32_t k);
  void weigh(std::int32_t i);

  const Mdp* mdp_;
  std::span<const std::int32_t> order_;
  std::vector<std::int32_t> rank_;    // where each state stands in the order
  std::vector<std::int32_t> pair_;    // the pair held, -1 at first
  std::vector<std::int64_t> begin_;   // where each row begins
  std::vector<std::int32_t> length_;  // and how long it is
  std::vector<std::int32_t> next_state_;
  std::vector<double> probability_;
  std::vector<double> reward_, solo_, ahead_;
};

/// Bellman sweeps over one model. T is the optimality operator, (TV)(s) = max_a r(s,a) + g sum p(s'|s,a)
/// V(s'), T_pi that of one policy.
class Bellman {
 public:
  Bellman(const Mdp& mdp, const base::Threads& threads) : mdp_(mdp), threads_(threads) {}

  /// out = T in; pick[s] = the greedy pair, the first of equals. `rows`, where given, follows the greedy
  /// pairs.
  Residual improve(std::span<const double> in, std::span<double> out, std::span<std::int32_t> pick,
                   PolicyRows* rows = nullptr) const;
  /// out = T_pi in.
  Residual evaluate(const PolicyRows& rows, std::span<const double> in, std::span<double> out) const;
  /// In place, one state after the other in the order of `rows`, each using what those before it became; what
  /// a state says of itself is solved for, not iterated. With `anticipate` a state that changes takes the
  /// states further along to change by as much: x <- x + (T_pi x - x) / (1 - g p_ahead) instead of / (1 - g
  /// p_self). One such sweep carries a correction through all levels where a plain one carries it 1/p_ahead
  /// levels, but it amplifies what varies from state to state, so it is to be mixed with plain ones.
  Residual evaluate_in_place(const PolicyRows& rows, std::span<double> value, bool anticipate) const;

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

Bounds bounds_from(const Mdp& mdp, const Residual& residual);

}  // namespace mindgap::mdp
