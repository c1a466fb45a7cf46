#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mindgap/belief/running_model.h"
#include "mindgap/mdp/direct_lanes.h"
#include "mindgap/mdp/policy.h"
#include "mindgap/mdp/rolling_solution.h"

namespace mindgap::planner {

/// The states of those who will follow a policy; none: it is for any state.
struct From {
  std::span<const std::int32_t> states;
};

/// Optimal policies of one model after another, each found from the last (mdp::RollingSolution), or by
/// mdp::solve where that does not get there. A guess costs or saves time and never accuracy. One thread.
class Replanner {
 public:
  /// Policies lose at most a share `tolerance` of the largest value there is; `direct_work` as in
  /// mdp::RollingOptions.
  explicit Replanner(double tolerance = 1e-8, double direct_work = mdp::RollingOptions{}.direct_work)
      : tolerance_(tolerance), direct_work_(direct_work) {}
  /// Begins from a solution of a model like those to come.
  void begin(const mdp::RollingSolution& solution) { rolling_ = solution, rolls_ = true; }
  /// The last solution, where it can be rolled on; else null.
  const mdp::RollingSolution* rolling() const { return rolls_ ? &*rolling_ : nullptr; }

  /// From now on models are solved together with those of who joined the same lanes: all that are planned
  /// for before the first of them asks for its policy or value. The same solutions, to the bit, as where it
  /// began from what the lanes began from.
  void join(std::shared_ptr<mdp::DirectLanes> lanes, std::size_t lane) {
    lanes_ = std::move(lanes);
    lane_ = lane;
  }

  /// The pair that is optimal in each state of `model`, ties to the lowest action; valid until the next call.
  /// Empty for who has joined others: pair_of_state() has it.
  /// All models must have the same states and pairs. Throws what mdp::solve throws.
  /// With `from` it may be an older one where these states do not lead to (mdp::RollingSolution::update).
  std::span<const std::int32_t> plan(const mdp::Numbers& model, From from = {});
  /// The same where only the rows and rewards of these pairs are other ones than in the last model planned
  /// for (or begun with); with `all_rewards` any reward may be.
  std::span<const std::int32_t> plan(const mdp::Numbers& model, std::span<const std::int32_t> changed,
                                     bool all_rewards = false, From from = {});

  /// Of the last model planned for (or begun with); empty before that.
  std::span<const std::int32_t> pair_of_state() const {
    if (lanes_) return lanes_->pair_of_state(lane_);
    return rolls_ ? rolling_->pair_of_state() : pick_;
  }
  std::span<const double> value() const {
    if (lanes_) return lanes_->value(lane_);
    return rolls_ ? rolling_->value() : value_;
  }
  mdp::Policy policy(const mdp::Mdp& model) const {
    return mdp::Policy::deterministic(model, {pair_of_state().begin(), pair_of_state().end()});
  }

 private:
  template <typename Set>
  std::span<const std::int32_t> plan_after(const mdp::Numbers& model, From from, const Set& set);
  void solve(const mdp::Numbers& model);

  double tolerance_, direct_work_;
  std::optional<mdp::RollingSolution> rolling_;
  bool rolls_ = false;              // it has the last solution; if not:
  std::vector<std::int32_t> pick_;  // is
  std::vector<double> value_;
  std::shared_ptr<mdp::DirectLanes> lanes_;
  std::size_t lane_ = 0;
};

/// Where planners of one belief begin: its mean, and the solution of that. Found once, where there are many
/// of them.
struct Beginning {
  belief::RunningModel mean;
  mdp::RollingSolution solution;
  /// The solutions of a first look with an exploration bonus (beb.h), of those who begin with that.
  struct WithBonus {
    double bonus;
    mdp::RollingSolution rewards_only, all;
  };
  std::shared_ptr<const WithBonus> with_bonus = {};
};
/// Null where the mean has no solution that could be rolled on.
std::shared_ptr<const Beginning> beginning_of(const belief::Belief& belief, double tolerance);

/// What planners of one belief that act side by side, each in a world of its own, solve together.
class Together {
 public:
  /// How many planners can; 1 where it is not worth it: models that are too large, or beliefs that learn
  /// about all rows jointly, whose looks are spent on the belief.
  static std::size_t most(const belief::Belief& belief, const Beginning* begin);

  /// most() must be above 1.
  Together(const Beginning& begin, double tolerance)
      : lanes_(std::make_shared<mdp::DirectLanes>(begin.solution, tolerance)),
        begin_(begin),
        tolerance_(tolerance) {}
  const std::shared_ptr<mdp::DirectLanes>& lanes() const { return lanes_; }
  /// Of a second model of each planner.
  const std::shared_ptr<mdp::DirectLanes>& more_lanes();

 private:
  std::shared_ptr<mdp::DirectLanes> lanes_, more_;
  const Beginning& begin_;
  double tolerance_;
};

}  // namespace mindgap::planner
