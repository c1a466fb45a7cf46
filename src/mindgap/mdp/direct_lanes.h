#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mindgap/mdp/elimination.h"
#include "mindgap/mdp/rolling_solution.h"

namespace mindgap::mdp {
namespace direct_lanes {
struct View;
}

/// Up to kLanes models that share their pairs and transitions, each of which changes a little between one
/// look and the next, with their numbers side by side: what RollingSolution does with one small model by
/// policy iteration and a direct evaluation, for all of them at once and to the same bit, in a fifth of the
/// time. The result for one model does not depend on those beside it. One thread.
class DirectLanes {
 public:
  static constexpr std::size_t kLanes = 8;

  /// Every lane begins with the numbers, the value and the policy of `begin`, which is_direct(). `tolerance`
  /// is for mdp::solve(), where numbers are near the ends of double precision.
  DirectLanes(const RollingSolution& begin, double tolerance);

  bool fits(const Mdp& model) const;
  /// Other numbers for one lane; which are others as in RollingSolution::set().
  void set(std::size_t lane, const Numbers& model);
  void set(std::size_t lane, const Numbers& model, std::span<const std::int32_t> changed, bool all_rewards);

  /// The solution for a lane's numbers as they are now. Lanes that were set and not asked for yet are solved
  /// together at the first such call; valid until the next.
  std::span<const std::int32_t> pair_of_state(std::size_t lane);
  std::span<const double> value(std::size_t lane);

 private:
  using Flags = std::array<std::int64_t, kLanes>;  // -1 where it holds, as vectors compare; else 0

  double& probability(std::int64_t entry, std::size_t lane) {
    return probability_[static_cast<std::size_t>(entry) * kLanes + lane];
  }
  double& reward(std::int32_t pair, std::size_t lane) {
    return reward_[static_cast<std::size_t>(pair) * kLanes + lane];
  }
  void solve_waiting();
  void solve_apart(std::size_t lane);
  void hand_out(std::size_t lane);
  void evaluate(const Flags& active);
  direct_lanes::View view() const;

  Mdp shape_;
  double tolerance_;
  std::shared_ptr<const EliminationPlan> plan_;
  std::vector<std::uint8_t> four_alike_;  // per state: all of its actions lead to the same four states
  std::vector<double> right_, inverse_, x_, row_;     // as in Elimination, for all lanes or half of them
  std::vector<double> reward_, probability_, value_;  // [pair, nonzero or state][lane]
  std::vector<std::int64_t> pick_;                    // [state][lane]
  std::array<bool, kLanes> waits_{};
  std::array<std::vector<std::int32_t>, kLanes> pair_of_state_;  // handed out
  std::array<std::vector<double>, kLanes> value_of_;
};

}  // namespace mindgap::mdp
