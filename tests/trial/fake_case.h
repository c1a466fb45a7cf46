#pragma once

#include <atomic>
#include <cmath>

#include "mindgap/trial/case.h"

namespace mindgap::trial {

/// value = (place of the planner + 1) * horizon + sin(trial): easy to predict.
class FakeCase : public Case {
 public:
  std::string name() const override { return "fake"; }
  std::string unit() const override { return "points"; }
  std::vector<PlannerName> planners() const override {
    return {{"oracle", ""}, {"sop", ""}, {"asop", ""}, {"thompson", ""}};
  }
  std::vector<std::string> default_planners() const override { return {"oracle", "sop", "asop"}; }
  std::vector<std::int64_t> default_horizons() const override { return {10, 20}; }
  std::int64_t default_trials() const override { return 7; }
  std::vector<std::pair<std::string, std::string>> settings() const override { return {{"dial", dial}}; }
  std::vector<double> run(std::string_view planner, std::uint64_t trial,
                          std::span<const std::int64_t> horizons) const override {
    ++runs;
    std::vector<double> values;
    for (const std::int64_t h : horizons) values.push_back(value(planner, trial, h));
    return values;
  }
  double value(std::string_view planner, std::uint64_t trial, std::int64_t horizon) const {
    const auto all = planners();
    double place = 0;
    while (all[static_cast<std::size_t>(place)].name != planner) ++place;
    return (place + 1) * static_cast<double>(horizon) + std::sin(static_cast<double>(trial));
  }

  std::string dial = "1";
  mutable std::atomic<int> runs{0};
};

}  // namespace mindgap::trial
