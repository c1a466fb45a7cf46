#pragma once

#include "mindgap/base/random.h"
#include "mindgap/belief/normal_inverse_gamma.h"
#include "mindgap/belief/truncated_normal.h"

namespace mindgap::belief {

enum class RewardModel {
  known_variance,      // Gaussian mean, the variance of one observation is as stated
  estimated_variance,  // Normal-Inverse-Gamma: the stated variance is a prior guess
  bernoulli,           // a reward is 0 or 1; Beta belief about its mean
};

/// What is believed about the mean reward theta of one pair: a prior around the simulator's mean and what was
/// seen of it.
///  - known_variance: theta ~ N(prior_mean, prior_sd^2) given that it lies within the bounds. Observations of
///    variance v leave a Gaussian cut off at the same bounds.
///  - estimated_variance: no bounds.
///  - bernoulli: theta ~ Beta(strength m, strength (1-m)), whose mean m and strength beta_prior() gives.
/// prior_sd = 0: theta is the prior mean, whatever is observed.
struct RewardBelief {
  RewardModel model = RewardModel::known_variance;
  double prior_mean = 0;
  double prior_sd = 0;
  double observation_variance = 0;  // of one reward; not used by bernoulli
  RewardBounds bounds = {};         // not used by bernoulli, where they are 0 and 1
  SampleSummary seen = {};

  double mean() const;
  double variance() const;
  /// Of one observed reward: 1/v, its posterior mean where v is estimated, 1/(m(1-m)) at the mean m where a
  /// reward is 0 or 1. Infinite where one reward has no variance.
  double observation_precision() const;
  /// One draw of theta. Known variance: one word.
  double sample(base::Stream& stream) const;

  /// What was seen, with one more reward of which only a bound is known. Gaussian: the part of an observation
  /// that makes the moment-matched update (at_least.h) of the law without its bounds. Where the variance is
  /// estimated or known to be 0 a bound says nothing. Bernoulli: "at least x" is a 1 where x is in (0, 1],
  /// "at most x" a 0 where it is in [0, 1); other bounds that a reward of 0 or 1 meets say nothing.
  SampleSummary after_at_least(double bound) const;
  SampleSummary after_at_most(double bound) const;
};

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

/// Adds one value to a summary.
void add(SampleSummary& summary, double value);

}  // namespace mindgap::belief
