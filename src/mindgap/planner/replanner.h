#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mindgap/belief/running_model.h"
#include "mindgap/mdp/policy.h"
#include "mindgap/mdp/rolling_solution.h"

namespace mindgap::planner {

/// Optimal policies of one model after another, each found from the last (mdp::RollingSolution), or by
/// mdp::solve where that does not get there. A guess costs or saves time and never accuracy. One thread.
class Replanner {
 public:
  /// `tolerance` as in mdp::SolveOptions.
  explicit Replanner(double tolerance = 1e-8) : tolerance_(tolerance) {}
  /// Begins from a solution of a model like those to come.
  void begin(const mdp::RollingSolution& solution) { rolling_ = solution, rolls_ = true; }
  /// The last solution, where it can be rolled on; else null.
  const mdp::RollingSolution* rolling() const { return rolls_ ? &*rolling_ : nullptr; }

  /// The pair that is optimal in each state of `model`, ties to the lowest action; valid until the next call.
  /// All models must have the same states and pairs. Throws what mdp::solve throws.
  std::span<const std::int32_t> plan(const mdp::Numbers& model);
  /// The same where only the rows and rewards of these pairs are other ones than in the last model planned
  /// for (or begun with); with `all_rewards` any reward may be.
  std::span<const std::int32_t> plan(const mdp::Numbers& model, std::span<const std::int32_t> changed,
                                     bool all_rewards = false);

  /// Of the last model planned for (or begun with); empty before that.
  std::span<const std::int32_t> pair_of_state() const { return rolls_ ? rolling_->pair_of_state() : pick_; }
  std::span<const double> value() const { return rolls_ ? rolling_->value() : value_; }
  mdp::Policy policy(const mdp::Mdp& model) const {
    return mdp::Policy::deterministic(model, {pair_of_state().begin(), pair_of_state().end()});
  }

 private:
  template <typename Set>
  std::span<const std::int32_t> plan_after(const mdp::Numbers& model, const Set& set);
  void solve(const mdp::Numbers& model);

  double tolerance_;
  std::optional<mdp::RollingSolution> rolling_;
  bool rolls_ = false;              // it has the last solution; if not:
  std::vector<std::int32_t> pick_;  // is
  std::vector<double> value_;
};

/// Where planners of one belief begin: its mean, and the solution of that. Found once, where there are many
/// of them.
struct Beginning {
  belief::RunningModel mean;
  mdp::RollingSolution solution;
};
/// Null where the mean has no solution that could be rolled on.
std::shared_ptr<const Beginning> beginning_of(const belief::Belief& belief, double tolerance);

}  // namespace mindgap::planner
