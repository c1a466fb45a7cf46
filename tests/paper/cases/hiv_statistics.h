#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "mindgap/trial/sweep.h"
#include "paper/cases/hiv/case.h"

// The spec's table (spec/hiv.md): % of the oracle by n = 1000 trials of another implementation, with standard
// deviations across trials where they are given.
namespace mindgap::cases::hiv {

struct TableRow {
  std::string planner;
  std::array<double, 5> percent, deviation;
};

inline const std::vector<TableRow>& spec_table() {
  static const std::vector<TableRow> kRows = {
      {"sop", {44.5, 42.3, 44.2, 48.0, 52.3}, {3.6, 2.6, 2.1, 2.0, 1.9}},
      {"asop", {43.6, 45.2, 50.7, 55.7, 60.5}, {4.1, 6.5, 9.6, 10.5, 10.5}},
      {"thompson", {41.9, 49.4, 63.3, 71.4, 76.7}, {4.4, 7.6, 10.5, 10.4, 9.7}},
      {"sep", {84.2, 77.1, 78.1, 80.0, 82.0}, {5.5, 6.2, 7.3, 7.5, 7.2}},
      {"fisher", {61.1, 71.9, 79.0, 82.4, 84.8}, {9.6, 11.6, 11.8, 11.1, 10.0}},
  };
  return kRows;
}

inline trial::Results run_hiv(const HivOptions& options, std::vector<std::string> planners,
                              std::int64_t trials, std::uint64_t first = 0) {
  planners.insert(planners.begin(), "oracle");
  trial::SweepOptions sweep;
  sweep.planners = std::move(planners);
  sweep.trials = trials;
  sweep.first_trial = first;
  return trial::run_sweep(HivCase(options), sweep);
}

/// 100 times the ratio of the means, by place of the horizon.
inline double percent(const trial::Results& results, std::string_view planner, std::size_t horizon) {
  double found = 0, oracle = 0;
  for (const double x : results.column(results.place_of(planner), horizon)) found += x;
  for (const double x : results.column(results.place_of("oracle"), horizon)) oracle += x;
  return 100 * found / oracle;
}

/// The tolerance that the spec states: 3 SD sqrt(1/n + 1/1000) + .3.
inline double tolerance(double deviation, std::int64_t trials) {
  return 3 * deviation * std::sqrt(1 / static_cast<double>(trials) + 1.0 / 1000) + .3;
}

}  // namespace mindgap::cases::hiv
