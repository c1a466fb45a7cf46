#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/policy.h"
#include "mindgap/world/hidden_model.h"
#include "mindgap/world/reward_bins.h"

// Acting where the hidden state stays: the past then says something about it, which a policy of the observed
// state throws away. Here is what somebody can do who knows the world's model, but never sees h.
namespace mindgap::world {

/// What is known of a unit's hidden state: b(h), by Bayes' rule from what the unit showed,
///   b'(h') proportional to sum_h b(h) p(reward | s,a,h) K(s',h'|s,a,h).
class HiddenFilter {
 public:
  /// P_t(.|state).
  HiddenFilter(const HiddenModel& world, std::int32_t state);

  /// A reward that no hidden state explains is left out; after a move that none explains b is P_t(.|next).
  void observe(const HiddenModel& world, std::int32_t pair, double reward, std::int32_t next_state);
  std::span<const double> belief() const { return belief_; }

 private:
  std::vector<double> belief_, next_;
};

/// The world as a Markov decision process on (s,h), state s * hidden + h: what could be done if h were seen.
mdp::Mdp joint_model(const HiddenModel& world);

struct BeliefStateOptions {
  std::int64_t rounds = 200;  // of backups, at most; 0: only the policies it begins with
  double work = 3e8;          // multiplications of all rounds, at most
  double tolerance = 1e-6;    // stops where no value rises by more than this share of max|r|/(1 - discount)

  void validate() const;
};

/// What plans that remember earn, from below: for each state a set of vectors alpha over h, each the exact
/// value of a plan that begins in that state (Sondik 1971), so that V(s,b) >= max alpha'b. It begins with
/// policies of the observed state alone: the best one of the deployment projection, and for each h the one
/// that is best where h is known to stay the same. Then point-based backups (Pineau, Gordon and Thrun 2003):
/// at some beliefs of each state the best first action and, after each next state and each bin of the reward
/// (RewardBins), the best plan there is; values never fall. HiddenFilter uses the reward itself, which says
/// more than its bin, so the values are a lower bound.
class BeliefStatePlans {
 public:
  /// Throws InvalidArgument for a discount of 1.
  explicit BeliefStatePlans(const HiddenModel& world, const BeliefStateOptions& options = {});

  /// One-step policy improvement: the pair of highest value of one action and then the best plan there is.
  std::int32_t best(std::int32_t state, std::span<const double> belief) const;
  /// QMDP (Littman, Cassandra and Kaelbling 1995): the pair of highest mean value if h were seen from the
  /// next step on. It never acts to find out what h is.
  std::int32_t qmdp(std::int32_t state, std::span<const double> belief) const;

  /// max alpha'b.
  double value(std::int32_t state, std::span<const double> belief) const;
  /// Mean value if h were seen from now on: no plan earns more.
  double known_value(std::int32_t state, std::span<const double> belief) const;
  /// Of the deployment projection's best policy, exactly.
  double observed_value(std::int32_t state, std::span<const double> belief) const;
  /// The three at the start, h from P_t(.|s).
  double value_at_start() const;
  double known_value_at_start() const;
  double observed_value_at_start() const;

  std::int64_t vectors() const;  // of all states
  std::int64_t rounds() const { return rounds_; }

 private:
  struct Vector {
    std::vector<double> value;  // per h
    std::int32_t pair = 0;
  };
  std::vector<std::vector<double>> points(std::int32_t state) const;
  double round(std::int64_t number, double& work);
  // The best plan that begins with this pair; its value at the belief.
  double backup(std::int32_t pair, std::span<const double> belief, std::vector<double>* value,
                double& work) const;
  template <typename Value>
  double at_start(const Value& value) const;

  HiddenModel world_;
  std::vector<RewardBins> bins_;                         // per pair
  std::vector<double> known_, known_action_, observed_;  // per s * hidden + h, per cell, per s * hidden + h
  std::vector<std::vector<Vector>> plans_;               // per state
  std::int64_t rounds_ = 0;
};

}  // namespace mindgap::world
