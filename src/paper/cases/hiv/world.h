#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "paper/cases/hiv/planner.h"
#include "paper/cases/hiv/tests_of_a_day.h"
#include "paper/cases/hiv/warm_up.h"
#include "paper/variates/aligned.h"
#include "paper/variates/fast_stream.h"

namespace mindgap::cases::hiv {

/// Prevalence per zone on the first day, and what the simulator says it is.
struct Maps {
  std::vector<double> truth, simulator;
};
/// Every zone has its own stream, so no other option moves its noise.
Maps draw_maps(const HivOptions& options, const Geography& geography, std::uint64_t trial);

/// One trial's truth. What a team draws on a day is the same whoever plans: the world has one stream, of
/// which every team takes one word a day, whether it tests or not. (Where one word is not enough, TestsOfADay
/// says, it has a stream of its own, keyed by trial, team and day.)
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
  std::span<const double> prevalence() const { return epidemic_.prevalence(); }
  std::span<const double> diagnosed() const { return diagnosed_; }
  std::span<const double> simulator() const { return simulator_; }
  /// Of the last day.
  std::span<const TeamDay> tests() const { return tests_; }

 private:
  void move_teams(std::span<const Zone> next);
  void test();
  void draw_tests();

  const HivOptions& options_;
  const Geography& geography_;
  Transmission transmission_;
  TestsOfADay tests_of_a_day_;
  Epidemic epidemic_;
  WarmUp warm_up_;
  std::uint64_t trial_;
  variates::FastStream stream_;
  std::int64_t day_ = 0, cases_found_ = 0;
  std::vector<Zone> position_;
  std::vector<double> diagnosed_, simulator_;
  // Per team, of today.
  std::vector<std::uint8_t> moved_;
  std::vector<std::uint64_t> words_;
  variates::AlignedVector<double> chance_, made_, found_;  // of a positive; tests, positives
  std::vector<TeamDay> tests_;
};

/// The loop: `days` days of the planner in the world. `after_day` is called with the world after each.
void run_days(World& world, HivPlanner& planner, std::int64_t days,
              const std::function<void(const World&)>& after_day);

}  // namespace mindgap::cases::hiv
