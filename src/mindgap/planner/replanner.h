#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/solve.h"

namespace mindgap::planner {

/// Optimal policies of one model after another, each found from the value of the last. A guess costs or saves
/// sweeps and never accuracy: the bounds of mdp::solve hold from any. One thread.
class Replanner {
 public:
  /// `tolerance` as in mdp::SolveOptions.
  explicit Replanner(double tolerance = 1e-8) { options_.tolerance = tolerance, options_.threads = 1; }

  /// The pair that is optimal in each state of `model`; valid until the next call. All models must have the
  /// same states and pairs.
  std::span<const std::int32_t> plan(const mdp::Mdp& model);

  /// Of the last model planned for.
  const mdp::Policy& policy() const { return policy_; }
  std::span<const double> value() const { return options_.initial_value; }

 private:
  mdp::SolveOptions options_;
  mdp::Policy policy_;
};

}  // namespace mindgap::planner
