#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/base/parallel.h"
#include "mindgap/mdp/mdp.h"

// The sweeps every solver is made of. A sweep streams the rows once; nothing is allocated inside.
namespace mindgap::mdp {

/// The extremes of d = TV - V over the states, and of |V| and |TV|.
struct Residual {
  double min = 0;
  double max = 0;
  double magnitude = 0;

  double span() const { return max - min; }
  double norm() const { return max > -min ? max : -min; }
};

/// The rows of one deterministic policy, packed so that its sweeps stream a fraction of the model's memory.
/// Row i belongs to state order[i] (to state i without an order). Rows have the room of the state's longest
/// row, so that a greedy sweep can overwrite them in place, in parallel.
class PolicyRows {
 public:
  explicit PolicyRows(const Mdp& mdp, std::span<const std::int32_t> order = {});

  /// Makes row i (of state s) that of pair k, where it is not already.
  void set(std::int64_t i, std::int32_t k) {
    if (pair[i] != k) copy(i, k);
  }

  std::vector<std::int32_t> pair;    // the pair held, -1 at first
  std::vector<std::int64_t> begin;   // where each row begins
  std::vector<std::int32_t> length;  // and how long it is
  std::vector<std::int32_t> next_state;
  std::vector<double> probability;
  std::vector<double> reward;

 private:
  void copy(std::int64_t i, std::int32_t k);
  const Mdp* mdp_;
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
  /// In place, one state after the other in the given order, each using what the ones before it became.
  /// `rows` must have been made with the same order; it follows the greedy pairs.
  Residual improve_in_place(std::span<const std::int32_t> order, std::span<double> value,
                            PolicyRows& rows) const;
  Residual evaluate_in_place(std::span<const std::int32_t> order, std::span<double> value,
                             const PolicyRows& rows) const;

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
