#pragma once

#include <span>
#include <vector>

#include "mindgap/belief/beta_binomial.h"
#include "paper/cases/hiv/planner.h"
#include "paper/cases/hiv/warm_up.h"

namespace mindgap::cases::hiv {

/// What is believed of each zone: independent Betas, as if prevalence stood still (paper, eq. hiv-belief):
///   a = strength sim + 1, b = strength (1 - sim) + 1; a += k, b += n - k,
/// and corrected for the warm-up b += max(0, phi n - k) (belief::warmup_corrected_update).
class ZoneBelief {
 public:
  ZoneBelief(const Known& known, BeliefForm form);

  void observe(std::span<const TeamDay> tests);

  std::size_t size() const { return positive_.size(); }
  belief::BetaShape at(std::size_t zone) const { return {positive_[zone], negative_[zone]}; }
  /// a and b of all zones.
  std::span<const double> positive() const { return positive_; }
  std::span<const double> negative() const { return negative_; }
  const WarmUp& warm_up() const { return warm_up_; }
  /// a / (a + b) per zone.
  std::vector<double> means() const;

 private:
  BeliefForm form_;
  WarmUp warm_up_;
  std::vector<double> positive_, negative_;
};

/// The Beta that a planner begins with, per zone.
std::vector<belief::BetaShape> prior_shapes(const Known& known);

}  // namespace mindgap::cases::hiv
