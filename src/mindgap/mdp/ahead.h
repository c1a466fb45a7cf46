#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/numbers.h"

namespace mindgap::mdp {

/// The states that matter to whoever follows a policy from some states: those reached by a path along which
/// the product of the probabilities, discounted at each step, is `least` or more.
class Ahead {
 public:
  /// `least` in (0, 1]. `model` and `pair_of_state` are for the same states at every call.
  void find(std::span<const std::int32_t> from, const Numbers& model,
            std::span<const std::int32_t> pair_of_state, double least);
  /// As found last, each once; those of `from` first.
  std::span<const std::int32_t> states() const { return states_; }

 private:
  std::vector<double> weight_;  // per state: the largest product of a path; 0 where none is large enough
  std::vector<std::int32_t> states_;   // those with a weight
  std::vector<std::int32_t> waiting_;  // states whose successors must be looked at
  std::vector<std::uint8_t> waits_;    // per state: it is among them
};

}  // namespace mindgap::mdp
