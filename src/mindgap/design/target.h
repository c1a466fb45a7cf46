#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/belief/belief.h"
#include "mindgap/gap/pvv.h"

// What the pilot is to find out: whose value's variance it makes small. A target becomes the weights of the
// criterion f(n) = sum_k W_r / (1/sigma^2 + tau n) + W_p / (alpha + n) (docs/math/pvv.md). All weights are of
// the belief's mean model, whatever model a target's policy comes from: its transitions and values in
// it, from its start or a given one.
namespace mindgap::design {

enum class TargetKind {
  ensemble,           // policies optimal for models drawn from the belief: their weights' average
  difference,         // the variance of the difference between their values and the current policy's
  simulator_optimal,  // optimal in the simulator
  posterior_optimal,  // optimal in the belief's mean model: the current policy
  softmax,            // pi(a|s) proportional to exp(Q*(s,a) / temperature), Q* of the mean model
  explorer,           // the pilot's own policy, as in the paper's listing
  uniform,            // every pair counts the same
  policy,             // a given one
};

struct Target {
  TargetKind kind = TargetKind::ensemble;
  std::int32_t members = 64;  // of an ensemble or difference
  double temperature = 1;     // of softmax, in units of value
  std::string file = {};      // of a policy (mdp/policy_file.h)

  bool operator==(const Target&) const = default;
};

/// Reads ensemble[:M], difference[:M], sop, posterior, softmax:T, explorer, uniform, or else the name of a
/// policy file. Throws InvalidArgument with this list where it is none of them, or M or T is out of range.
Target target_from_string(std::string_view text);
/// The spelling that target_from_string() reads.
std::string to_string(const Target& target);

struct TargetOptions {
  /// For TargetKind::policy: the policy itself (none: it is read from the file). For TargetKind::explorer:
  /// the explorer so far (none: the uniform policy, where the paper's listing begins). The weights move with
  /// an explorer, so whoever improves it has to ask for them again.
  std::optional<mdp::Policy> policy;
  /// Where the value counts from, a share per state; empty: the start of the belief's model.
  std::vector<double> start = {};
  /// W_p of the uniform target, whose W_r is 1: f is then the sum of the variances of all mean rewards, plus
  /// this much times the sum of all 1/(alpha + n). The two are in different units, so the default counts
  /// rewards alone.
  double uniform_transition = 0;
  /// How the weights of one policy are found. In an ensemble, `automatic` is exact up to members x states =
  /// 20,000 and probing above.
  gap::WeightsOptions weights;
  /// Probes for each member of an ensemble, in place of weights.probes. Each weight of a member then has a
  /// relative standard deviation of at most .71, independent over members: less than what drawing the
  /// members at random adds.
  std::int32_t member_probes = 4;
  /// Wanted accuracy of the values that policies are found from, as a share of reward_max / (1 - discount).
  double tolerance = 1e-10;
  /// The seed is that of the models drawn; who listens is told of each member of an ensemble or difference.
  base::Run run = {};

  void validate() const;
};

/// A policy that is optimal for some of the models drawn.
struct Member {
  mdp::Policy policy;
  double share = 0;  // of the models
};

/// The optimal policies of `count` models drawn from the belief, belief.sample(seed, 0 .. count-1), equal
/// ones put together, in order of the first draw of each. `first_guess` is a value near theirs, as of the
/// mean model.
std::vector<Member> draw_members(const belief::Belief& belief, std::int32_t count,
                                 const std::vector<double>& first_guess, const TargetOptions& options = {});

/// sum_m share_m W of each member's weights. With probing, `groups` holds per group and state
/// sum_m share_m w_m,group(s) / sum_m share_m w_m(s); `visitation` and `value` are averages, too.
gap::PvvWeights ensemble_weights(const mdp::Mdp& mean, std::span<const Member> members,
                                 const TargetOptions& options = {});

/// The first-order variance of V_m - V_0 at the start, averaged over members (docs/math/design.md):
///   W_r(s,a) = sum_m share_m (mu_m - mu_0)^2,
///   W_p(s,a) = sum_m share_m g^2 Var_{p0(s,a)}(mu_m V_m - mu_0 V_0),
/// mu(s,a) = pi(a|s) (rho'R)(s) the unnormalised discounted occupancy and V(.) the value of the next state,
/// both in the mean model. With known transitions it is exact: values are linear in the rewards. A member
/// that equals `current` adds nothing. `visitation` and `value` are those of `current`.
gap::PvvWeights difference_weights(const mdp::Mdp& mean, std::span<const Member> members,
                                   const mdp::Policy& current, const TargetOptions& options = {});

struct TargetWeights {
  gap::PvvWeights weights;
  std::int32_t members = 1;   // models drawn, or 1
  std::int32_t distinct = 1;  // policies among their optima that differ
};

/// Throws InvalidArgument for bad options or discount 1, StoreError or InvalidModel for a bad policy file,
/// NumericalError where a linear solve fails.
TargetWeights target_weights(const belief::Belief& belief, const Target& target,
                             const TargetOptions& options = {});

/// n(s,a) of units that follow a stationary policy for `steps` >= 0 steps: `positions` is the expected number
/// of units that begin in each state.
std::vector<double> expected_observations(const mdp::Mdp& mdp, const mdp::Policy& policy,
                                          std::span<const double> positions, std::int64_t steps);

/// What the units outside the pilot are expected to observe meanwhile: they follow the posterior-optimal
/// policy for `steps` steps, in the belief's mean model. `positions` sums to their number (0: none).
std::vector<double> credit(const belief::Belief& belief, std::span<const double> positions,
                           std::int64_t steps, int threads = 0);

}  // namespace mindgap::design
