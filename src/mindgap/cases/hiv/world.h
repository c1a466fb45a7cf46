#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mindgap/cases/hiv/planner.h"
#include "mindgap/cases/hiv/tests_of_a_day.h"

namespace mindgap::cases::hiv {

/// Prevalence per zone on the first day, and what the simulator says it is.
struct Maps {
  std::vector<double> truth, simulator;
};
/// Every zone has its own stream, so no other option moves its noise.
Maps draw_maps(const HivOptions& options, const Geography& geography, std::uint64_t trial);

/// One trial's truth. What a team draws on a day is keyed by trial, team and day, whoever plans.
class World {
 public:
  /// Both are kept by reference.
  World(const HivOptions& options, const Geography& geography, Maps maps, std::uint64_t trial);

  /// One day: teams move, test, warm zones up; infection spreads. Throws InvalidArgument
  /// where a team would move further than one cell or through the wall. The tests are valid until the next
  /// day.
  std::span<const TeamDay> live_one_day(std::span<const Zone> next);

  const HivOptions& options() const { return options_; }
  const Geography& geography() const { return geography_; }
  const Transmission& transmission() const { return transmission_; }
  std::int64_t day() const { return day_; }
  std::int64_t cases_found() const { return cases_found_; }
  std::span<const Zone> position() const { return position_; }
  std::span<const double> prevalence() const { return prevalence_; }
  std::span<const double> diagnosed() const { return diagnosed_; }
  std::span<const double> simulator() const { return simulator_; }
  /// Of the last day.
  std::span<const TeamDay> tests() const { return tests_; }

 private:
  void move_teams(std::span<const Zone> next);
  void test_one_team(std::size_t team, bool moved);
  void end_day();

  const HivOptions& options_;
  const Geography& geography_;
  Transmission transmission_;
  TestsOfADay tests_of_a_day_;
  std::uint64_t trial_;
  std::int64_t day_ = 0, cases_found_ = 0;
  std::vector<Zone> position_, previous_;
  std::vector<double> prevalence_, diagnosed_, simulator_, share_;
  std::vector<std::int32_t> warm_;
  std::vector<TeamDay> tests_;
};

/// The loop: `days` days of the planner in the world. `after_day` is called with the world after each.
void run_days(World& world, HivPlanner& planner, std::int64_t days,
              const std::function<void(const World&)>& after_day);

}  // namespace mindgap::cases::hiv
