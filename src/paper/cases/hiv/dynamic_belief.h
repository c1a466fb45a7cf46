#pragma once

#include <span>
#include <vector>

#include "paper/cases/hiv/belief.h"

namespace mindgap::cases::hiv {

/// A belief that follows the dynamics: every zone's prevalence is a Beta that the known spread carries on
/// from day to day, and a test in zone j sees the share phi_j (1 - D_j/N_j) of it where found cases deplete,
/// phi_j where they do not. D_j is what one's own teams have found there.
///   test: a += k, b += max(0, e n - k), e that share (as belief::warmup_corrected_update);
///   day:  mean m <- the spread of all means; sd <- sd (1 - F_j + (1 - m_j) within (1 - D_j/N_j)), the
///   spread's
///         derivative by the zone's own prevalence; the Beta with these two.
/// Cut: means of neighbours count as known, and cross-correlations that the spread creates are left out.
class DynamicBelief {
 public:
  DynamicBelief(const Known& known, bool depletes);

  void observe(std::span<const TeamDay> tests);

  std::size_t size() const { return shape_.size(); }
  double mean(std::size_t zone) const;
  double standard_deviation(std::size_t zone) const;
  /// People of a zone less those found there, at least 0.
  double remaining(std::size_t zone) const { return known_.transmission.population[zone] - diagnosed_[zone]; }
  const WarmUp& warm_up() const { return warm_up_; }
  /// The log of the probability that this belief gave to all tests before it saw them, up to a constant that
  /// is the same for all beliefs: k of n is Beta-binomial, with a and the b that gives the mean e m.
  double log_evidence() const { return log_evidence_; }

 private:
  void learn(const TeamDay& test);
  void carry_on();

  const Known known_;
  bool depletes_;
  WarmUp warm_up_;
  std::vector<belief::BetaShape> shape_;
  std::vector<double> diagnosed_, mean_, share_;
  double log_evidence_ = 0;
};

}  // namespace mindgap::cases::hiv
