#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/trial/case.h"
#include "paper/cases/registry.h"
#include "paper/cases/vending/briefing.h"
#include "paper/cases/vending/configuration.h"
#include "paper/cases/vending/planner.h"
#include "paper/cases/vending/world.h"

namespace mindgap::cases::vending {

/// Called after each day.
using DayWatcher = std::function<void(const World& world, const Decision& decision, const DaySeen& seen)>;

/// Runs a planner in a world until the last horizon: the cash in dollars at the end of each (positive,
/// ascending). The world must be new.
std::vector<double> run_days(World& world, VendingPlanner& planner, std::span<const std::int64_t> horizons,
                             const DayWatcher& watch = {});

/// The case "vending".
class VendingCase : public trial::Case {
 public:
  /// Throws InvalidArgument where the configuration is not good.
  VendingCase(Configuration configuration, std::uint64_t seed,
              std::vector<std::pair<std::string, std::string>> settings = {});

  std::string name() const override { return "vending"; }
  std::string unit() const override { return "dollars"; }
  std::string horizon_unit() const override { return "days"; }
  std::vector<trial::PlannerName> planners() const override;
  std::vector<std::string> default_planners() const override;
  std::vector<std::int64_t> default_horizons() const override { return {100, 200, 400, 800, 1600}; }
  std::int64_t default_trials() const override { return 30; }
  std::vector<std::pair<std::string, std::string>> settings() const override { return settings_; }
  std::vector<double> run(std::string_view planner, std::uint64_t trial,
                          std::span<const std::int64_t> horizons) const override;

  const Configuration& configuration() const { return configuration_; }
  const Briefing& briefing() const { return briefing_; }
  std::uint64_t seed() const { return seed_; }
  /// Days of pilot that `horizon-pilot` chooses.
  std::int64_t pilot_length(std::int64_t horizon) const;

 private:
  std::vector<double> run_horizon_pilot(std::uint64_t trial, std::span<const std::int64_t> horizons) const;

  Configuration configuration_;
  Briefing briefing_;
  std::uint64_t seed_;
  std::vector<std::pair<std::string, std::string>> settings_;
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<std::int64_t, std::int64_t>> pilot_lengths_;  // horizon, days; under mutex_
};

/// For the registry. Options: which errors the simulator has, and a configuration file.
CaseInfo info();

}  // namespace mindgap::cases::vending
