#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/base/run.h"
#include "paper/cases/vending/briefing.h"

namespace mindgap::cases::vending {

struct PilotValueOptions {
  std::vector<std::int64_t> lengths = {0, 1, 2, 3, 5, 10};  // days; the first must be 0
  std::int64_t draws = 16;                                  // truths drawn from the belief, per slot
  std::int64_t days = 40;  // simulated; later days are worth what the last quarter is on average
  std::uint64_t seed = base::Run().seed;
};

/// What a pilot of so many days is worth over a horizon beside none, in the planner's own belief: true rates
/// drawn around the simulator's as the demand filter's prior has them, moving as it expects; stocking by the
/// filter's mean from the first day after the pilot. Sales and holding count, supply is taken as unlimited
/// and nothing spoils, all of which flatters the pilot. Truths and customers are the same for every length.
struct PilotValue {
  std::int64_t length = 0;    // days of pilot
  double gain = 0;            // dollars over the horizon, beside no pilot
  double standard_error = 0;  // over the truths drawn
};

/// One entry per length, in order. horizon >= 1.
std::vector<PilotValue> pilot_values(const Briefing& briefing, std::int64_t horizon,
                                     const PilotValueOptions& options = {});

/// The length with the largest gain that exceeds two standard errors; 0 where there is none.
std::int64_t best_pilot_length(const std::vector<PilotValue>& values);

}  // namespace mindgap::cases::vending
