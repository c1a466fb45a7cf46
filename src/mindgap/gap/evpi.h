#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/belief/belief.h"
#include "mindgap/mdp/policy.h"
#include "mindgap/mdp/reach.h"

namespace mindgap::gap {

struct EvpiOptions {
  /// Models drawn from the belief. 0: as many as default_draws() says.
  std::int64_t draws = 0;
  double support_threshold = mdp::kSupportThreshold;
  /// Wanted accuracy of the values in each drawn model, as a share of the largest |reward| / (1 - discount).
  double tolerance = 1e-8;
  /// Where all models are solved side by side, e.g. mdp::gpu_engine(); null: here, one by one.
  const MindgapEngine* engine = nullptr;
  base::Run run = {};  // who listens is told of each drawn model
};

/// A mean over drawn models and its standard error.
struct Estimate {
  double mean = 0;
  double standard_error = 0;
};

/// What knowing the true model before deciding would be worth, per unit and discounted, against deploying
/// `deployed` for ever: E[V* - V^deployed] over models drawn from the belief, split in each of them into what
/// lies where the deployed policy goes (waiting can reveal it) and the rest (gap_decomposition).
struct Evpi {
  std::int64_t draws = 0;
  Estimate total, local, reach;
  double error_bound = 0;  // the largest error of a value in any drawn model
  /// Share of discounted time that the optimal policies of the drawn models spend in each state, on average:
  /// where one would want to go if one knew.
  std::vector<double> optimal_visitation;
};

Evpi expected_value_of_perfect_information(const belief::Belief& belief, const mdp::Policy& deployed,
                                           const EvpiOptions& options = {});

/// 1,000 models, fewer where the model is large (the work is about the same from 20,000 transitions on), at
/// least 8.
std::int64_t default_draws(const mdp::Mdp& mdp);

/// Mean and standard error of numbers.
Estimate estimate(const std::vector<double>& values);

}  // namespace mindgap::gap
