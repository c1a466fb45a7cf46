#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mindgap/mdp/envelope.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::planner {

/// Optimal policies of one model after another, each found from the value of the last. A guess costs or saves
/// time and never accuracy. One thread.
///
/// Where a policy is evaluated by few multiplications (mdp::Envelope, at most kDirectWork: a few dozen
/// states, or some hundreds in a row), by policy iteration (Howard 1960) up to rounding: what mdp::solve pays
/// before its first sweep is as much as all of that. Else by mdp::solve.
class Replanner {
 public:
  static constexpr double kDirectWork = 20'000;

  /// `tolerance` as in mdp::SolveOptions, `direct_work` in place of kDirectWork.
  explicit Replanner(double tolerance = 1e-8, double direct_work = kDirectWork) : direct_work_(direct_work) {
    options_.tolerance = tolerance;
    options_.threads = 1;
  }

  /// The pair that is optimal in each state of `model`, ties to the lowest action; valid until the next call.
  /// All models must have the same states and pairs. Throws what mdp::solve throws.
  std::span<const std::int32_t> plan(const mdp::Mdp& model);

  /// Of the last model planned for.
  const mdp::Policy& policy() const { return policy_; }
  std::span<const double> value() const { return options_.initial_value; }

 private:
  void iterate_policies(const mdp::Mdp& model);

  double direct_work_;
  mdp::SolveOptions options_;
  mdp::Policy policy_;
  std::optional<mdp::Mdp> shape_;  // what the envelope was made for; kept, so that its arrays stay its own
  std::optional<mdp::Envelope> envelope_;
};

}  // namespace mindgap::planner
