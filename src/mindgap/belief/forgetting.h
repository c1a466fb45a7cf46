#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/belief/belief.h"

namespace mindgap::belief {

/// A belief about mean rewards that move. What was believed at first is N(m, s^2) of each pair's mean, and is
/// the law that it keeps returning to: per step, with a = 1 - rate,
///   theta' - m = a (theta - m) + sqrt(1 - a^2) s z,   z ~ N(0, 1)
/// (an autoregression with that stationary law). Then the belief after observations and steps is Gaussian
/// again, by Kalman's filter: mean m + a (mean - m), variance a^2 variance + (1 - a^2) s^2. It is kept as
/// pseudo-observations of a static belief: with f = u/(1 + u), u = n s^2/v, the share of what was unknown
/// that n observations of variance v and mean x tell, a step leaves
///   f' = a^2 f,   n' = (v/s^2) f'/(1 - f'),   x' = m + (x - m)/a,
/// which is exact. Where it is not (rewards whose variance is estimated, that are 0 or 1 or have bounds,
/// errors that pairs share, ensembles) counts are discounted instead: n' = a^2 n, the mean stays. A reward
/// seen without noise (v = 0) counts in full until f is below one half, and then not at all. Where actions
/// lead is taken to stand still. Rate 0: the static belief.
class ForgettingBelief {
 public:
  /// `belief` is what is known at first, with whatever it has seen. Throws InvalidArgument unless 0 <= rate
  /// < 1.
  ForgettingBelief(Belief belief, double rate);

  /// As Belief::observe. Throws InvalidArgument for a reward of which only a bound is known.
  void observe(const mdp::Observation& seen);
  /// The truth has moved on by so many steps, >= 0. O(pairs) each.
  void pass(std::int64_t steps);
  /// What is believed now, as a static belief. O(nonzeros).
  Belief now() const;

 private:
  void forget_one(std::size_t pair);

  Belief base_;  // what was known at first, and all moves
  double keep_;  // a
  bool exact_;
  std::vector<double> mean_, variance_;  // m, s^2
  std::vector<SampleSummary> left_;      // pseudo-observations
  std::vector<double> sure_;             // f, of pairs that are seen without noise
};

}  // namespace mindgap::belief
