#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/belief/knowledge.h"
#include "mindgap/mdp/policy.h"

namespace mindgap::decide {

/// What a log says against the simulator, as `diagnose` tests it (gap/residuals.h): a state-action pair that
/// was tried is refuted where a move was seen that the simulator calls impossible, or where the test of its
/// moves or of its mean reward rejects "the simulator is right here" at 5 % for all tests together
/// (Bonferroni).
struct Refuted {
  std::int64_t moves = 0, off_support = 0;            // seen; of those, impossible in the simulator
  std::int64_t visited_pairs = 0, refuted_pairs = 0;  // tried; of those, refuted
  std::int64_t policy_pairs = 0;    // refuted ones that the policy which is best today takes
  std::vector<std::int32_t> pairs;  // refuted; those that the policy takes first
};

/// None where nothing was observed. `policy` is the one that is best today.
std::optional<Refuted> refuted_by_log(const belief::Knowledge& knowledge, const mdp::Policy& policy);

}  // namespace mindgap::decide
