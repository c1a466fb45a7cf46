#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"

namespace mindgap::belief {

/// Where a move may lead that the simulator does not know about: per state s a base distribution b with
///  - 60 % evenly over s and every state that some action in s may lead to (one step),
///  - 30 % evenly over those that two steps lead to and one does not (if there are none, one step gets 90 %),
///  - 10 % evenly over all states.
/// A move the simulator is wrong about is most likely another action's move, no move, or one step further or
/// shorter. At most kMost of the states of one and of two steps are taken, evenly spaced by number; beyond
/// kAll states in all, the last part lies on kElsewhere states drawn once per state with a key of their own,
/// which is even over all states on average. So rows stay short in models of any size.
class Neighbourhood {
 public:
  static constexpr std::size_t kMost = 32;
  static constexpr std::int32_t kAll = 32;
  static constexpr std::int32_t kElsewhere = 4;

  explicit Neighbourhood(const mdp::Mdp& mdp);

  /// Ascending, with their probabilities, which are positive and sum to 1.
  std::span<const std::int32_t> states(std::int32_t state) const { return part(next_state_, state); }
  std::span<const double> probabilities(std::int32_t state) const { return part(probability_, state); }

 private:
  template <typename T>
  std::span<const T> part(const std::vector<T>& values, std::int32_t state) const {
    const auto begin = static_cast<std::size_t>(begin_[static_cast<std::size_t>(state)]);
    const auto end = static_cast<std::size_t>(begin_[static_cast<std::size_t>(state) + 1]);
    return std::span<const T>(values).subspan(begin, end - begin);
  }

  std::vector<std::int64_t> begin_;
  std::vector<std::int32_t> next_state_;
  std::vector<double> probability_;
};

}  // namespace mindgap::belief
