#include "mindgap/trial/informed_planners.h"

#include <vector>

#include "mindgap/planner/replanner.h"
#include "mindgap/world/projection.h"

namespace mindgap::trial {
namespace {

class MovingOracle final : public planner::Planner {
 public:
  MovingOracle(const world::HiddenModel& truth, const world::DriftingWorld& world)
      : world_(world), model_(world::deployment_projection(truth)) {}

  void choose(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    std::vector<double> reward(model_.reward().begin(), model_.reward().end());
    const std::span<const double> shift = world_.shift(step);
    for (std::size_t k = 0; k < reward.size(); ++k) reward[k] += shift[k];
    const auto policy = replanner_.plan(mdp::Numbers(model_, reward, model_.probability()));
    for (std::size_t u = 0; u < state.size(); ++u) pair[u] = policy[state[u]];
  }
  void observe(std::int64_t, const planner::StepSeen&) override {}

 private:
  const world::DriftingWorld& world_;
  mdp::Mdp model_;
  planner::Replanner replanner_;
};

class BeliefState final : public planner::Planner {
 public:
  BeliefState(std::shared_ptr<const world::BeliefStatePlans> plans, const world::HiddenModel& truth,
              bool qmdp)
      : plans_(std::move(plans)), truth_(truth), qmdp_(qmdp) {}

  void choose(std::int64_t, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    while (filter_.size() < state.size()) filter_.emplace_back(truth_, state[filter_.size()]);
    for (std::size_t u = 0; u < state.size(); ++u) {
      const std::span<const double> belief = filter_[u].belief();
      pair[u] = qmdp_ ? plans_->qmdp(state[u], belief) : plans_->best(state[u], belief);
    }
  }
  void observe(std::int64_t, const planner::StepSeen& seen) override {
    for (std::size_t u = 0; u < seen.pair.size() && u < filter_.size(); ++u)
      filter_[u].observe(truth_, seen.pair[u], seen.reward[u], seen.next_state[u]);
  }

 private:
  std::shared_ptr<const world::BeliefStatePlans> plans_;
  world::HiddenModel truth_;
  bool qmdp_;
  std::vector<world::HiddenFilter> filter_;  // per unit
};

}  // namespace

std::unique_ptr<planner::Planner> make_moving_oracle(const world::HiddenModel& truth,
                                                     const world::DriftingWorld& world) {
  return std::make_unique<MovingOracle>(truth, world);
}

std::unique_ptr<planner::Planner> make_belief_state(std::shared_ptr<const world::BeliefStatePlans> plans,
                                                    const world::HiddenModel& truth, bool qmdp) {
  return std::make_unique<BeliefState>(std::move(plans), truth, qmdp);
}

}  // namespace mindgap::trial
