#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "paper/cases/hiv/geography.h"

namespace mindgap::cases::hiv {

/// How warm the zones are: a function of where one's own teams were.
class WarmUp {
 public:
  WarmUp(const Geography& geography, std::int32_t days, double cold_yield);

  /// Days with a team that a zone still needs.
  std::int32_t missing(Zone zone) const { return missing_[static_cast<std::size_t>(zone)]; }
  /// The share of the prevalence that a test there sees today.
  double detection(Zone zone) const { return missing(zone) > 0 ? cold_yield_ : 1; }
  /// A team was there today: the zone is warmer by one, however many teams were there.
  void visit(Zone zone) {
    const auto j = static_cast<std::size_t>(zone);
    if (missing_[j] <= 0 || visited_[j] == day_) return;
    visited_[j] = day_;
    --missing_[j];
  }
  void end_day() { ++day_; }

 private:
  double cold_yield_;
  std::int64_t day_ = 0;
  std::vector<std::int32_t> missing_;
  std::vector<std::int64_t> visited_;  // the last day with a team on which the zone became warmer
};

}  // namespace mindgap::cases::hiv
