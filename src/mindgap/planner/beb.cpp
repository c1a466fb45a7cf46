#include "mindgap/planner/beb.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/gap/pvv.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {
namespace {

double reward_bonus(const belief::Belief& belief, std::int32_t pair, double variance) {
  const double before = belief.prior_reward_sd(pair), now = std::sqrt(variance);
  return before > 0 ? now * std::min(1.0, now / before) : 0;
}

std::vector<double> reward_bonuses(const belief::Belief& belief) {
  std::vector<double> bonus = belief.reward_variances();
  for (std::int32_t k = 0; k < belief.simulator().pairs(); ++k) bonus[k] = reward_bonus(belief, k, bonus[k]);
  return bonus;
}

// The part of transitions, for a row of the mean.
double transition_bonus(const belief::Belief& belief, const mdp::Numbers& mean, std::int32_t pair,
                        std::span<const double> value) {
  const double spread = gap::next_value_variance(mean, pair, value);
  if (spread == 0) return 0;
  const double strength = belief.transition_strength(pair) + 1;
  const double before = belief.prior().transition_strength[pair] + 1;
  return mean.shape.discount() * std::sqrt(spread / strength) * std::min(1.0, std::sqrt(before / strength));
}

class ExplorationBonus final : public LearningPlanner {
 public:
  explicit ExplorationBonus(const Setting& setting)
      : LearningPlanner(setting), rewards_only_(setting.options.tolerance) {
    if (setting.begin) rewards_only_.begin(setting.begin->solution);
  }

 protected:
  void replan(std::int64_t, std::span<const std::int32_t>) override {
    const auto [mean, updated, row_by_row] = update_mean();
    if (bonus_.empty() || !row_by_row) {
      bonus_ = reward_bonuses(belief_);
    } else {
      for (const std::int32_t k : updated) bonus_[k] = reward_bonus(belief_, k, belief_.reward_variance(k));
    }
    reward_.resize(bonus_.size());
    for (std::size_t k = 0; k < bonus_.size(); ++k) reward_[k] = mean.reward[k] + options_.bonus * bonus_[k];
    const auto plan = [&, &rows = updated, by_row = row_by_row](Replanner& replanner) {
      const mdp::Numbers model{mean.shape, reward_, mean.probability};
      by_row ? replanner.plan(model, rows, true) : replanner.plan(model);
    };
    plan(rewards_only_);
    for (std::int32_t k = 0; options_.bonus > 0 && k < mean.shape.pairs(); ++k)
      reward_[k] += options_.bonus * transition_bonus(belief_, mean, k, rewards_only_.value());
    plan(replanner_);
  }

 private:
  std::vector<double> bonus_, reward_;
  // Both models change little from look to look, but not from one to the other: each has a replanner of its
  // own.
  Replanner rewards_only_;
};

}  // namespace

std::vector<double> exploration_bonus(const belief::Belief& belief, const mdp::Mdp& mean,
                                      std::span<const double> value) {
  base::check_size("exploration_bonus", "value", value.size(), static_cast<std::size_t>(mean.states()));
  std::vector<double> bonus = reward_bonuses(belief);
  for (std::int32_t k = 0; k < mean.pairs(); ++k) bonus[k] += transition_bonus(belief, mean, k, value);
  return bonus;
}

std::unique_ptr<Planner> make_beb(const Setting& setting) {
  return std::make_unique<ExplorationBonus>(setting);
}

}  // namespace mindgap::planner
