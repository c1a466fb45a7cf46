#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/belief/knowledge.h"
#include "mindgap/belief/prior_strength.h"
#include "mindgap/gap/delta_check.h"
#include "mindgap/gap/sensitivity.h"
#include "mindgap/mdp/observation_log.h"

// Whether what a diagnosis rests on holds for this model: each check says by how much its numbers may be off.
namespace mindgap::gap {

/// What a wrong variance of rewards costs, whatever its pattern: the same total number of looks is spread
/// over pairs once by guessed precisions and once by the right ones (rank_stability()). Guesses are too large
/// or too small by `factor` at random, pair by pair.
struct PrecisionCheck {
  double factor = 2;
  std::int64_t patterns = 0;       // of guesses that were tried
  std::int64_t pairs = 0;          // with weight
  double bound = 4;                // factor^2: no pattern can cost more
  double worst = 1, mean = 1;      // variance left by the guess over the least, largest and average
  std::int64_t top = 0, kept = 0;  // of so many pairs that deserve most looks, the fewest that stay so
};

/// Reachability positivity: states where the best policies want to be and the deployed one is not.
struct PositivityCheck {
  bool by_truth = false;             // the best policy of the truth; else those of drawn models, on average
  double threshold = 0;              // of discounted time
  std::vector<std::int32_t> states;  // by the share wanted, largest first
  std::vector<double> wanted, deployed;  // of those
  double share = 0;                      // of the time that best policies spend in all of them together
};

/// How strong a prior about rewards the data support, in pseudo-observations kappa: a mean reward has the
/// prior variance v / kappa, v the variance of one reward.
struct StrengthCheck {
  std::optional<belief::StrengthEstimate> effective;  // kappa_eff: from the pilot; none without one
  std::optional<belief::StrengthEstimate> paper;      // in the paper's form, biased low
  std::optional<double> stated;  // the kappa that the prior states now; the median over pairs
  /// kappa_0, per pair: from how consistent the simulator is, with its calibration data where there are any.
  std::vector<double> self_consistency = {};
  bool calibrated = false;                                           // there were such data
  double self_consistent_sd_least = 0, self_consistent_sd_most = 0;  // reward_sd by kappa_0, over pairs
  /// What model.toml would say: reward_sd by kappa_eff, the least and the largest over pairs.
  std::optional<double> reward_sd_least = {}, reward_sd_most = {};
};

struct Checks {
  std::optional<DeltaCheck> delta = {};          // none without draws, or where the model is too large
  std::optional<PrecisionCheck> precision = {};  // none where pairs learn from each other
  double odds = 1;                               // M of the belief
  RatioBounds variance_ratio = {}, variance_ratio_paper = {};
  std::optional<PositivityCheck> positivity = {};  // none without draws and truth
  StrengthCheck strength = {};
};

struct ChecksOptions {
  std::int64_t draws = 400;  // models drawn for the delta method; 0: none
  double precision_factor = 2;
  std::int64_t patterns = 32;
  base::Run run = {};
};

/// Pairs are tried in the order of their numbers; the patterns come from the seed. `weights` are the target's
/// (pvv_weights()). Throws InvalidArgument where factor < 1.
std::optional<PrecisionCheck> check_precision(const PvvWeights& weights, const belief::Belief& belief,
                                              const ChecksOptions& options);

/// Both per state, of discounted time.
PositivityCheck check_positivity(std::span<const double> wanted, std::span<const double> deployed,
                                 double threshold, bool by_truth);

/// `log` is that of a pilot, `calibration` the data that the simulator was fitted to; either may be null.
StrengthCheck check_strength(const belief::Knowledge& knowledge, const PvvWeights& weights,
                             const mdp::ObservationLog* log, const mdp::ObservationLog* calibration);

}  // namespace mindgap::gap
