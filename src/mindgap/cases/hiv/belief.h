#pragma once

#include <span>
#include <vector>

#include "mindgap/belief/beta_binomial.h"
#include "mindgap/cases/hiv/planner.h"

namespace mindgap::cases::hiv {

/// How warm the zones are: a function of where one's own teams were.
class WarmUp {
 public:
  explicit WarmUp(const Known& known);

  /// Days with a team that a zone still needs.
  std::int32_t missing(Zone zone) const { return days_ - level_[static_cast<std::size_t>(zone)]; }
  /// The share of the prevalence that a test there sees today.
  double detection(Zone zone) const { return missing(zone) > 0 ? cold_yield_ : 1; }
  /// After a day: every zone with a team is warmer by one, however many teams were there.
  void observe(std::span<const TeamDay> tests);

 private:
  std::int32_t days_;
  double cold_yield_;
  std::vector<std::int32_t> level_;
};

/// What is believed of each zone: independent Betas, as if prevalence stood still (paper, eq. hiv-belief):
///   a = strength sim + 1, b = strength (1 - sim) + 1; a += k, b += n - k,
/// and corrected for the warm-up b += max(0, phi n - k) (belief::warmup_corrected_update).
class ZoneBelief {
 public:
  ZoneBelief(const Known& known, BeliefForm form);

  void observe(std::span<const TeamDay> tests);

  std::size_t size() const { return shape_.size(); }
  const belief::BetaShape& at(std::size_t zone) const { return shape_[zone]; }
  const WarmUp& warm_up() const { return warm_up_; }
  /// a / (a + b) per zone.
  std::vector<double> means() const;

 private:
  BeliefForm form_;
  WarmUp warm_up_;
  std::vector<belief::BetaShape> shape_;
};

/// The Beta that a planner begins with, per zone.
std::vector<belief::BetaShape> prior_shapes(const Known& known);

}  // namespace mindgap::cases::hiv
