#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/trial/sweep.h"

namespace mindgap::trial {

/// A comparison in words: everything its numbers depend on, and what is shown of them.
struct RunDescription {
  std::string program;  // that computes the numbers, with its version
  std::string case_name, unit, horizon_unit;
  std::vector<std::pair<std::string, std::string>> settings;
  std::uint64_t seed = base::Run().seed;
  std::vector<std::string> planners;  // that are run: those shown, the oracle and the reference
  std::vector<std::string> shown;
  std::string reference;
  std::vector<std::int64_t> horizons;
  std::uint64_t first_trial = 0;
  std::int64_t trials = 0;
  std::int64_t shard = 1, shards = 1;
};

/// Puts the oracle, where the case has one, and the reference among the planners that are run. `asked` as the
/// user has it: its planners are those shown. Throws InvalidArgument for unknown names and bad numbers.
RunDescription describe(const Case& on, const SweepOptions& asked, std::string_view reference,
                        std::uint64_t seed);
/// What run_sweep() needs to carry it out.
SweepOptions sweep_options(const RunDescription& run);

/// JSON of the description, one key a line; what() names the first thing in which two differ, "" where
/// nothing does. Shards are left out of the comparison where `any_shard`.
std::string description_json(const RunDescription& run);
RunDescription parse_description(std::string_view json, const std::string& file);
std::string first_difference(const RunDescription& before, const RunDescription& now, bool any_shard);

}  // namespace mindgap::trial
