#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/trial/case.h"

namespace mindgap::trial {

/// Trials first_trial .. first_trial + trials - 1, of which shard i of n runs every n-th, beginning with the
/// i-th.
struct SweepOptions {
  std::vector<std::string> planners = {};   // empty: the case's own
  std::vector<std::int64_t> horizons = {};  // empty: the case's own; ascending
  std::uint64_t first_trial = 0;
  std::int64_t trials = 0;  // 0: as many as the case says
  std::int64_t shard = 1, shards = 1;
  base::Run run = {};           // its seed counts for nothing here: a case has its own
  std::string what = "trials";  // that the runs are, to who listens
};

/// What came out: one number per trial, planner and horizon.
struct Results {
  std::vector<std::string> planners = {};
  std::vector<std::int64_t> horizons = {};
  std::vector<std::uint64_t> trials = {};  // numbers, ascending
  std::vector<double> value = {};          // [(trial * planners + planner) * horizons + horizon], by place

  double at(std::size_t trial, std::size_t planner, std::size_t horizon) const {
    return value[(trial * planners.size() + planner) * horizons.size() + horizon];
  }
  /// All trials of one planner at one horizon, both by place.
  std::vector<double> column(std::size_t planner, std::size_t horizon) const;
  /// The place of a planner. Throws InvalidArgument where it is not there.
  std::size_t place_of(std::string_view planner) const;
};

/// Checks the options against the case and fills in its defaults. Throws InvalidArgument.
SweepOptions completed(const Case& on, SweepOptions options);

/// The numbers of the trials that `options` ask for, shard considered.
std::vector<std::uint64_t> trials_of(const SweepOptions& options);

/// Called after each trial with its number and its values [planner * horizons + horizon], from any thread.
using OnTrial = std::function<void(std::uint64_t trial, std::span<const double> values)>;

/// Runs every planner on every trial, trials in parallel. Trials that are in `finished` (same planners and
/// horizons) are taken from there.
Results run_sweep(const Case& on, const SweepOptions& options, const Results& finished = {},
                  const OnTrial& on_trial = {});

}  // namespace mindgap::trial
