#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/base/run.h"
#include "paper/cases/hiv/geography.h"
#include "paper/cases/hiv/spread.h"

namespace mindgap::cases::hiv {

/// What one team did in a day.
struct TeamDay {
  std::int32_t team = 0;
  Zone zone = 0;
  std::int32_t tests = 0, positives = 0;
};

/// Everything a planner is told before it begins, and nothing of the truth: neither the true map nor where
/// the cluster is, nor whether found cases deplete.
struct Known {
  const Geography* geography = nullptr;
  Transmission transmission;      // rates, and people per zone
  std::vector<double> simulator;  // its map of prevalence
  std::int32_t teams = 8;
  double tests_per_day = 8;
  std::int32_t warmup_days = 3;
  double cold_yield = .2;
  double prior_strength = 10;
  Navigation navigation = Navigation::blind;
  BeliefForm belief = BeliefForm::plain;
  double optimism = .005;
  std::uint64_t seed = base::Run().seed, trial = 0;  // of the planner's own draws (Purpose::planner)
};
Known known_to_planners(const HivOptions& options, const Geography& geography, std::vector<double> simulator,
                        std::uint64_t trial);

/// Moves the teams of one trial. It meets the world through these two calls only, once a day, in this order.
class HivPlanner {
 public:
  virtual ~HivPlanner() = default;
  /// Where each team goes today: its zone or a neighbour of it. `position` is where the teams are.
  virtual void decide(std::int64_t day, std::span<const Zone> position, std::span<Zone> next) = 0;
  /// What its teams' tests of today were.
  virtual void observe(std::span<const TeamDay> tests) { static_cast<void>(tests); }
};

}  // namespace mindgap::cases::hiv
