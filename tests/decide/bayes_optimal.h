#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "decide/belief_tree.h"
#include "mindgap/decide/decide.h"

// How much of the Bayes-optimal value is earned by whoever follows the recommendation.
namespace mindgap::decide {

struct BayesOptions {
  std::uint64_t problems = 40;
  std::uint64_t seed = 42;
  std::int64_t most_pulls = 25, most_steps = 8;
  std::int64_t worlds = 256;     // of each decision
  std::uint64_t trials = 400;    // in which the recommendation is followed
  std::vector<Plan> plans = {};  // that decisions are between; empty: the default ones
};

struct BayesResult {
  std::uint64_t number = 0;
  std::string family, recommended;
  std::int64_t horizon = 0;
  double optimal = 0;                    // the Bayes-optimal value
  double share = 0, standard_error = 0;  // of it, earned by the recommendation
  double deployed = 0;                   // the share that "sop" earns
};

BayesResult against_bayes_optimal(const BayesOptions& options, std::uint64_t number);
std::vector<BayesResult> against_bayes_optimal(const BayesOptions& options,
                                               const std::function<void(const BayesResult&)>& on_result = {});

/// The same for bandits of two and three arms by turns whose rewards are 0 or 1, each arm with a Beta prior
/// of strength 2 to 30.
BayesResult arms_against_bayes_optimal(const BayesOptions& options, std::uint64_t number);

}  // namespace mindgap::decide
