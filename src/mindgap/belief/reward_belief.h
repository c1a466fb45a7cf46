#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/base/random.h"
#include "mindgap/belief/normal_inverse_gamma.h"
#include "mindgap/belief/truncated_normal.h"
#include "mindgap/mdp/mdp.h"

namespace mindgap::belief {

/// The kinds of belief about mean rewards that there are; reward_belief() makes them.
enum class RewardModel {
  known_variance,      // Gaussian mean, the variance of one observation is as stated
  estimated_variance,  // Normal-Inverse-Gamma: the stated variance is a prior guess
  bernoulli,           // a reward is 0 or 1; Beta belief about its mean
};

/// The mean reward theta of one pair: a prior around the simulator's mean, and what was seen of it.
/// prior_sd = 0: theta is the prior mean, whatever is observed.
struct PairReward {
  double prior_mean = 0;
  double prior_sd = 0;
  double observation_variance = 0;  // of one reward, where a kind does not know it otherwise
  SampleSummary seen = {};
};

/// A mean reward that is Gaussian.
struct GaussianReward {
  double mean = 0, sd = 0;
};

/// What rewards can be, as far as a kind knows.
struct RewardSupport {
  RewardBounds mean = {};           // of true mean rewards
  std::vector<double> values = {};  // of one reward; empty: any
  std::string_view law = {};        // of one reward, by its usual name; empty: Gaussian
};

/// One kind of belief about mean rewards. It has no data of its own: what was seen of a pair comes with every
/// question, as a summary to which rewards are added. Everything that differs between kinds is here, so that
/// nobody else has to ask which one it is.
class RewardBelief {
 public:
  virtual ~RewardBelief() = default;

  // Of a pair's mean reward theta.
  virtual double mean(const PairReward& pair) const = 0;
  virtual double variance(const PairReward& pair) const = 0;
  /// One draw.
  virtual double sample(const PairReward& pair, base::Stream& stream) const = 0;
  /// The mean and the standard deviation of theta where sample() is mean + sd * base::normal(), else none.
  virtual std::optional<GaussianReward> gaussian(const PairReward&) const { return std::nullopt; }
  /// Precision of one observed reward; infinite where it has no variance.
  virtual double observation_precision(const PairReward& pair) const = 0;

  /// What was seen, with one more reward of which only a bound is known, and which counts `weight` times.
  /// Throws InvalidArgument where no reward can keep to the bound.
  virtual SampleSummary after_at_least(const PairReward& pair, double bound, double weight = 1) const = 0;
  virtual SampleSummary after_at_most(const PairReward& pair, double bound, double weight = 1) const = 0;
  /// What one observed reward must be where `reward` cannot be one, for a message; empty: it can.
  virtual std::string wanted_of(double reward, double observation_variance) const = 0;

  /// One reward as a unit would see it, where the true mean is `mean`.
  virtual double draw_reward(double mean, double observation_variance, base::Stream& stream) const = 0;

  /// Throws InvalidArgument unless the simulator's rewards and the stated variances are possible.
  virtual void check(const mdp::Mdp& simulator, std::span<const double> observation_variance) const = 0;

  /// What it takes for granted beyond a prior mean and variance, and numbers that differ between any two
  /// kinds that are not the same. Both are empty for Gaussian rewards without bounds.
  virtual RewardSupport support() const { return {}; }
  virtual std::vector<double> identity() const = 0;
};

/// - known_variance: theta ~ N(prior_mean, prior_sd^2) given that it lies within the bounds. Observations of
///   variance v leave a Gaussian cut off at the same bounds. A bound on a reward is the part of an
///   observation that makes the moment-matched update (at_least.h) of the law without its bounds; where v = 0
///   it says nothing.
/// - estimated_variance: Normal-Inverse-Gamma, no bounds. The precision of one observation is its posterior
///   mean. A bound on a reward says nothing.
/// - bernoulli: theta ~ Beta(strength m, strength (1-m)), whose mean m and strength beta_prior() gives. "At
///   least x" is a 1 where x is in (0, 1], "at most x" a 0 where it is in [0, 1); other bounds that a reward
///   of 0 or 1 meets say nothing.
/// Throws InvalidArgument for bounds that the kind does not take.
std::shared_ptr<const RewardBelief> reward_belief(RewardModel model, const RewardBounds& bounds = {});

/// A Beta law by its mean and its strength, the sum of its two parameters.
struct BetaPrior {
  double mean = 0;
  double strength = 0;
};

/// The Beta law with the simulator's mean m and the standard deviation sd > 0: strength m(1-m)/sd^2 - 1.
/// A mean closer to 0 or 1 than e = min(.01, sd) is moved to that distance: a simulator cannot tell a reward
/// that never comes from one that comes once in a hundred times, and a mean of exactly 0 or 1 would leave no
/// room for doubt. The strength is at least 2, so sd is at most sqrt(m(1-m)/3) in effect, the uniform law at
/// m = 1/2: a weaker Beta law has its mass at both ends and says that the reward is certain, only not which.
BetaPrior beta_prior(double mean, double sd);

/// Adds one value to a summary, which counts `weight` times.
void add(SampleSummary& summary, double value, double weight = 1);

}  // namespace mindgap::belief
