#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/planner/planner.h"

// What UCRL2 and UCBVI are made of: counts, confidence radii, value iteration with the best of all models
// that the radii allow. They start from nothing: of the simulator they know the states, the actions, the
// discount and the range of rewards, and above kFullSupport states which transitions are possible.
namespace mindgap::planner {

/// Mean rewards lie in [low, high]: [0, reward_max] where no simulated reward is negative, else
/// [-reward_max, reward_max]. The authors have [0, 1] and know it, as here: rewards beyond are not expected.
struct RewardRange {
  double low = 0, high = 0;
  double width() const { return high - low; }
};
RewardRange reward_range(const mdp::Mdp& simulator);

/// Up to so many states every state may follow on every pair, as the authors have it; above, those that the
/// simulator says or that were seen: the best state of all would otherwise seem within reach of every pair
/// for as long as 14 S log(..) observations of it.
constexpr std::int32_t kFullSupport = 200;

/// What was seen, per pair.
class Counts {
 public:
  explicit Counts(const mdp::Mdp& simulator);

  void add(const StepSeen& seen);

  const mdp::Mdp& simulator() const { return simulator_; }
  double total() const { return total_; }
  double count(std::int32_t pair) const { return count_[pair]; }
  /// 0 where nothing was seen.
  double mean_reward(std::int32_t pair) const { return reward_[pair]; }

  /// Next states seen and how often, in the order of states. With at most kFullSupport states only what was
  /// seen; above, all of the simulator's support.
  struct Row {
    std::vector<std::int32_t> next_state;
    std::vector<double> count;
  };
  const Row& row(std::int32_t pair) const { return rows_[pair]; }
  /// How many states may follow on a pair.
  double possible(std::int32_t pair) const;

 private:
  mdp::Mdp simulator_;
  double total_ = 0;
  std::vector<double> count_, reward_;
  std::vector<Row> rows_;
};

/// The model that counts say, and how far it may be off: for pair k the mean reward lies below reward[k], and
/// the next state's law within radius[k] of p in the 1-norm (2 and above: any law on the possible states).
struct Confidence {
  std::vector<double> reward;
  std::vector<double> radius;
};

/// Radii of Jaksch, Ortner, Auer (2010), equations 3 and 4, at time t = total + 1:
///   |r - mean| <= c width sqrt(7 log(2 S A t / delta) / (2 max(1, n))),
///   |p - frequencies|_1 <= c sqrt(14 S_k log(2 A t / delta) / max(1, n)),
/// with S states, A actions, n the count of the pair, S_k = possible(k) and c the factor `optimism` (theirs
/// is 1, and S_k = S). reward[k] is cut at the top of the range, where it is for n = 0, or at the mean where
/// that lies above.
Confidence ucrl2_confidence(const Counts& counts, const RewardRange& range, double delta, double optimism);

/// max p.V over distributions p with |p - center|_1 <= radius, `center` a distribution over `next_state` and
/// `best` the state that V is largest in of all that may follow (whether in `next_state` or not): mass moves
/// to it from where V is lowest (Jaksch et al., figure 2). radius >= 0.
double optimistic_mean(std::span<const std::int32_t> next_state, std::span<const double> center,
                       double radius, std::span<const double> value, std::int32_t best);

struct OptimisticPlan {
  std::vector<double> value;
  std::vector<std::int32_t> pair_of_state;  // ties to the lowest action
};

/// Extended value iteration, discounted: the fixed point of
///   u(s) = max_a reward(s,a) + g max_{p in the ball of (s,a)} p.u
/// to within `accuracy`, from the first guess `value` (empty: 0). A pair without observations has the uniform
/// law for centre.
OptimisticPlan extended_value_iteration(const Counts& counts, const Confidence& confidence, double accuracy,
                                        std::vector<double> value = {});

}  // namespace mindgap::planner
