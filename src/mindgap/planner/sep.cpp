#include "mindgap/planner/sep.h"

#include <algorithm>
#include <optional>

#include "mindgap/base/distributions.h"
#include "mindgap/gap/epi.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {
namespace {

// What the index divides rewards by. It is the simulator's, so that indices of different steps compare; a
// simulator without rewards counts in units of 1.
mdp::Mdp with_scale(const mdp::Mdp& simulator) {
  if (simulator.reward_max() > 0) return simulator;
  return simulator.with_reward(std::vector<double>(static_cast<std::size_t>(simulator.pairs()), 1.0));
}

class Sep final : public LearningPlanner {
 public:
  explicit Sep(const Setting& setting)
      : LearningPlanner(setting),
        scale_(with_scale(belief_.simulator())),
        exploit_from_(options_.pilot_steps + options_.explore_steps),
        most_worthwhile_(static_cast<std::size_t>(scale_.states())) {}

 protected:
  void replan(std::int64_t step, std::span<const std::int32_t>) override {
    const mdp::Mdp mean = belief_.mean();
    replanner_.plan(mean);
    const double largest = refresh_index(mean);
    if (step < exploit_from_) return;
    const bool burst_ends = again_;
    again_ = false;
    if (!baseline_ || burst_ends) {
      baseline_ = largest;
    } else {
      again_ = options_.reexplore_threshold * largest > *baseline_;
    }
  }

  void act(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    LearningPlanner::act(step, state, pair);
    const bool pilot = step < options_.pilot_steps;
    if (!pilot && step >= exploit_from_ && !again_) return;
    for (std::size_t u = 0; u < state.size(); ++u) {
      base::Stream words = stream(u, step);
      if (pilot) {
        pair[u] = uniform_pair(scale_, state[u], words);
      } else if (base::uniform(words) < options_.explore_probability) {
        pair[u] = most_worthwhile_[state[u]];
      }
    }
  }

 private:
  // The pair with the highest index of each state; returns the highest of all.
  double refresh_index(const mdp::Mdp& mean) {
    const mdp::Visitation visits =
        mdp::discounted_visitation(mean.with_start({}), replanner_.policy(mean));  // from a uniform start
    const std::vector<double> none(static_cast<std::size_t>(mean.pairs()));
    const std::vector<double> index = gap::exploration_priority(
        scale_, visits.share, belief_.reward_variances(), none, belief_.transition_strengths());
    for (std::int32_t s = 0; s < mean.states(); ++s) {
      const auto pairs = mean.pairs_of(s);
      const auto best = std::max_element(index.begin() + pairs.first(), index.begin() + pairs.last());
      most_worthwhile_[s] = static_cast<std::int32_t>(best - index.begin());
    }
    return *std::max_element(index.begin(), index.end());
  }

  mdp::Mdp scale_;
  std::int64_t exploit_from_;
  std::vector<std::int32_t> most_worthwhile_;  // per state
  std::optional<double> baseline_;
  bool again_ = false;  // phase 2 has come back
};

}  // namespace

std::unique_ptr<Planner> make_sep(const Setting& setting) {
  return std::make_unique<Sep>(setting);
}

}  // namespace mindgap::planner
