#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"

namespace mindgap::belief {

/// Where a move may lead that the simulator does not know about: per state s
///  - one step: s and every state that some action in s may lead to,
///  - two steps: those that two steps lead to and one does not; where there are none, the same as one step,
///  - elsewhere: all states,
/// evenly within each. A move the simulator is wrong about is most likely another action's move, no move, or
/// one step further or shorter. At most kMost of the states of one and of two steps are taken, evenly spaced
/// by number; beyond kAll states in all, "elsewhere" is kElsewhere states drawn once per state with a key of
/// their own, which is even over all states on average. So rows stay short in models of any size.
class Neighbourhood {
 public:
  static constexpr std::size_t kMost = 32;
  static constexpr std::int32_t kAll = 32;
  static constexpr std::int32_t kElsewhere = 4;

  explicit Neighbourhood(const mdp::Mdp& mdp);

  /// The probabilities of one state, under each of the three.
  struct Near {
    double one_step = 0, two_steps = 0, elsewhere = 0;
  };

  /// Ascending; every state that one of the three contains.
  std::span<const std::int32_t> states(std::int32_t state) const { return part(next_state_, state); }
  std::span<const Near> near(std::int32_t state) const { return part(near_, state); }

 private:
  template <typename T>
  std::span<const T> part(const std::vector<T>& values, std::int32_t state) const {
    const auto begin = static_cast<std::size_t>(begin_[static_cast<std::size_t>(state)]);
    const auto end = static_cast<std::size_t>(begin_[static_cast<std::size_t>(state) + 1]);
    return std::span<const T>(values).subspan(begin, end - begin);
  }

  std::vector<std::int64_t> begin_;
  std::vector<std::int32_t> next_state_;
  std::vector<Near> near_;
};

}  // namespace mindgap::belief
