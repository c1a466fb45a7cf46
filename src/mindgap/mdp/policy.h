#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"

namespace mindgap::mdp {

/// A stationary policy pi(a|s) of one model: for each state a distribution over its available actions.
class Policy {
 public:
  /// One pair per state. Throws InvalidArgument where a pair does not belong to its state.
  static Policy deterministic(const Mdp& mdp, std::vector<std::int32_t> pair_of_state);
  /// A probability per pair; those of each state must sum to 1 within 1e-9.
  static Policy stochastic(const Mdp& mdp, std::vector<double> probability_of_pair);
  /// Every available action equally likely.
  static Policy uniform(const Mdp& mdp);

  bool is_deterministic() const { return probability_.empty(); }
  std::int32_t states() const { return states_; }

  /// The pair a deterministic policy takes in each state (empty for a stochastic one).
  std::span<const std::int32_t> pair_of_state() const { return pair_; }
  /// The probability of each pair, for either kind. Throws InvalidArgument where the policy does not fit the
  /// model.
  std::vector<double> probability_of_pair(const Mdp& mdp) const;

  bool operator==(const Policy&) const = default;

 private:
  std::int32_t states_ = 0;
  std::vector<std::int32_t> pair_;   // deterministic
  std::vector<double> probability_;  // stochastic
};

}  // namespace mindgap::mdp
