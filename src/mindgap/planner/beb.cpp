#include "mindgap/planner/beb.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/gap/pvv.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {
namespace {

std::vector<double> reward_bonus(const belief::Belief& belief) {
  std::vector<double> bonus = belief.reward_variances();
  for (std::size_t k = 0; k < bonus.size(); ++k) {
    const double before = belief.prior_reward_sd(static_cast<std::int32_t>(k)), now = std::sqrt(bonus[k]);
    bonus[k] = before > 0 ? now * std::min(1.0, now / before) : 0;
  }
  return bonus;
}

// Adds the part of transitions; says whether there is any.
bool add_transition_bonus(const belief::Belief& belief, const mdp::Mdp& mean, std::span<const double> value,
                          std::vector<double>& bonus) {
  const std::vector<double> spread = gap::next_value_variance(mean, value);
  bool any = false;
  for (std::size_t k = 0; k < bonus.size(); ++k) {
    if (spread[k] == 0) continue;
    const double strength = belief.transition_strength(static_cast<std::int32_t>(k)) + 1;
    const double before = belief.prior().transition_strength[k] + 1;
    bonus[k] +=
        mean.discount() * std::sqrt(spread[k] / strength) * std::min(1.0, std::sqrt(before / strength));
    any = true;
  }
  return any;
}

class ExplorationBonus final : public LearningPlanner {
 public:
  using LearningPlanner::LearningPlanner;

 protected:
  void replan(std::int64_t, std::span<const std::int32_t>) override {
    const mdp::Mdp mean = belief_.mean();
    std::vector<double> bonus = reward_bonus(belief_);
    replanner_.plan(with_bonus(mean, bonus));
    if (options_.bonus > 0 && add_transition_bonus(belief_, mean, replanner_.value(), bonus))
      replanner_.plan(with_bonus(mean, bonus));
  }

 private:
  mdp::Mdp with_bonus(const mdp::Mdp& mean, std::span<const double> bonus) const {
    std::vector<double> reward(mean.reward().begin(), mean.reward().end());
    for (std::size_t k = 0; k < reward.size(); ++k) reward[k] += options_.bonus * bonus[k];
    return mean.with_reward(std::move(reward));
  }
};

}  // namespace

std::vector<double> exploration_bonus(const belief::Belief& belief, const mdp::Mdp& mean,
                                      std::span<const double> value) {
  base::check_size("exploration_bonus", "value", value.size(), static_cast<std::size_t>(mean.states()));
  std::vector<double> bonus = reward_bonus(belief);
  add_transition_bonus(belief, mean, value, bonus);
  return bonus;
}

std::unique_ptr<Planner> make_beb(const Setting& setting) {
  return std::make_unique<ExplorationBonus>(setting);
}

}  // namespace mindgap::planner
