#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mindgap/belief/belief.h"

namespace mindgap::belief {

/// What a user says instead of what the model states: for all pairs.
struct PriorOverrides {
  std::optional<double> reward_sd, transition_strength, odds, drift_sd;
  std::optional<double> unseen;  // share of rows that may do what the simulator calls impossible
  /// The variance of one reward as stated is a prior guess, to be learnt from the log (Normal-Inverse-Gamma).
  bool estimate_variance = false;
  std::optional<double> reward_min = {}, reward_max = {};  // bounds of true mean rewards
  std::optional<mdp::RewardKind> rewards = {};
  /// Of errors that pairs share. With a length, or where the model states a kernel: the kernel's (over places
  /// where the model has some, else over the graph). Else the sd of every group's error.
  std::optional<double> shared_sd = {}, shared_length = {};
};

/// Throws InvalidArgument, with name and value, unless each that is given is in its domain.
void check_overrides(const PriorOverrides& overrides);

enum class PriorSource { stated, coverage };

/// What the model's own counts were taken for, where they are of samples of its simulator
/// (Model::coverage_is_sampled).
enum class SampleCounts {
  none,       // there are none, or other counts were given
  precision,  // of the table, around which a prior is stated: prior_around_samples()
  history,    // no prior is stated: as if the real system had been observed so often
};

/// Everything that is known about the truth before a decision, from the model, history's coverage and a
/// pilot.
struct Knowledge {
  PriorSource source = PriorSource::stated;
  double odds = 1, drift_sd = 0;
  std::vector<double> coverage;  // history's counts per pair, or empty
  std::vector<double> bias;  // what no history reveals: reward_bias_bound() per pair with coverage, else 0
  std::vector<double> variance;     // of one observed reward, per pair; empty: neither stated nor to be had
  bool variance_estimated = false;  // it is pooled from the log
  /// Pairs that history saw so seldom that the wide prior says more about their reward than it does.
  std::int64_t seldom_seen = 0;
  SampleCounts samples = SampleCounts::none;
  /// Pairs of which the simulator was sampled so seldom that the table's mean reward may be further from the
  /// simulator's than that is from the truth.
  std::int64_t seldom_sampled = 0;
  /// How many values the rewards take, where they are constants by construction (constant_rewards()) and so
  /// taken as known; else 0.
  std::int64_t constant_rewards = 0;
  /// Ends of episodes (mdp::end_states) whose reward is uncertain only because one reward_sd is stated for
  /// all pairs.
  std::int64_t uncertain_ends = 0;
  mdp::SharedSpec shared = {};  // errors that pairs share, as stated
  Belief before;                // from the prior alone
  Belief now;                   // with the log's observations
};

/// The prior is the model's (with the overrides), or follows from the coverage where that is given or the
/// model states one, with the model's prior as the wide one. Where the model's coverage is of samples of the
/// simulator and reward_sd or transition_strength is stated, that prior is meant around the simulator, and
/// the counts only say how precisely its table is known; odds do not apply, and what of the two is not stated
/// is as without counts. Throws InvalidArgument where the model states no prior and there is neither coverage
/// nor an override, where coverage or log need a variance of one reward that nothing states, and where a
/// number of the prior is not in its domain.
Knowledge gather_knowledge(const mdp::Model& model, const std::optional<std::vector<double>>& coverage,
                           const std::optional<mdp::ObservationLog>& log,
                           const PriorOverrides& overrides = {});

/// Throws InvalidArgument that says how to state the variance of one observed reward, which `what` needs.
[[noreturn]] void ask_for_variance(const std::string& what);

}  // namespace mindgap::belief
