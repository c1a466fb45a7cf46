#include "mindgap/planner/beb.h"

#include <algorithm>
#include <cmath>
#include <optional>

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

// How sure a row is: what its part of the bonus is divided by, and times.
struct Sureness {
  double strength = 1, damping = 1;
};

Sureness sureness_of(const belief::Belief& belief, std::int32_t pair) {
  const double strength = belief.transition_strength(pair) + 1;
  const double before = belief.prior().transition_strength[pair] + 1;
  return {strength, std::min(1.0, std::sqrt(before / strength))};
}

// The part of transitions, for a row of the mean.
double transition_bonus(const Sureness& sure, const mdp::Numbers& mean, std::int32_t pair,
                        std::span<const double> value) {
  const double spread = gap::next_value_variance(mean, pair, value);
  return spread == 0 ? 0 : mean.shape.discount() * std::sqrt(spread / sure.strength) * sure.damping;
}

class ExplorationBonus final : public LearningPlanner {
 public:
  explicit ExplorationBonus(const Setting& setting)
      : LearningPlanner(setting), rewards_only_(setting.options.tolerance) {
    if (setting.begin) rewards_only_.begin(setting.begin->solution);
    if (setting.begin && setting.begin->with_bonus && setting.begin->with_bonus->bonus == options_.bonus) {
      rewards_only_.begin(setting.begin->with_bonus->rewards_only);
      replanner_.begin(setting.begin->with_bonus->all);
    }
    join(setting);
    if (setting.together) rewards_only_.join(setting.together->more_lanes(), setting.place);
  }

  // The solutions of the first look; none where they cannot be rolled on. A bonus makes policies nearly equal
  // that are not, so smaller losses count.
  std::shared_ptr<const Beginning::WithBonus> first_look() {
    constexpr double kShare = 1. / 3;  // of the tolerance
    rewards_only_ = replanner_ = Replanner(kShare * options_.tolerance);
    look(0, {});
    if (!rewards_only_.rolling() || !replanner_.rolling()) return nullptr;
    return std::make_shared<const Beginning::WithBonus>(
        Beginning::WithBonus{options_.bonus, *rewards_only_.rolling(), *replanner_.rolling()});
  }

  // A look has two halves, each with a model to be solved.
  void prepare(std::int64_t step, std::span<const std::int32_t> state, int phase) override {
    if (phase == 0 && is_due(step)) begin_look();
    if (phase == 1 && begun_) look(step, state);
  }

 protected:
  void replan(std::int64_t, std::span<const std::int32_t>) override {
    if (!begun_) begin_look();
    const mdp::Numbers& mean = begun_->numbers;
    const std::span<const double> value = rewards_only_.value();
    for (std::int32_t k = 0; options_.bonus > 0 && k < mean.shape.pairs(); ++k)
      reward_[k] += options_.bonus * transition_bonus(sure_[k], mean, k, value);
    plan(replanner_);
    begun_.reset();
  }

 private:
  // Plans for the mean with the rewards' part of the bonus.
  void begin_look() {
    begun_.emplace(update_mean());
    const mdp::Numbers& mean = begun_->numbers;
    if (bonus_.empty() || !begun_->row_by_row) {
      bonus_ = reward_bonuses(belief_);
      sure_.resize(bonus_.size());
      for (std::int32_t k = 0; k < mean.shape.pairs(); ++k) sure_[k] = sureness_of(belief_, k);
    } else {
      for (const std::int32_t k : begun_->updated) {
        bonus_[k] = reward_bonus(belief_, k, belief_.reward_variance(k));
        sure_[k] = sureness_of(belief_, k);
      }
    }
    reward_.resize(bonus_.size());
    for (std::size_t k = 0; k < bonus_.size(); ++k) reward_[k] = mean.reward[k] + options_.bonus * bonus_[k];
    plan(rewards_only_);
  }

  void plan(Replanner& replanner) const {
    const mdp::Numbers model{begun_->numbers.shape, reward_, begun_->numbers.probability};
    if (begun_->row_by_row) {
      replanner.plan(model, begun_->updated, true);
    } else {
      replanner.plan(model);
    }
  }

  std::vector<double> bonus_, reward_;
  std::vector<Sureness> sure_;  // per pair
  std::optional<Mean> begun_;   // a look of which the first half is done
  // Both models change little from look to look, but not from one to the other: each has a replanner of its
  // own.
  Replanner rewards_only_;
};

}  // namespace

std::vector<double> exploration_bonus(const belief::Belief& belief, const mdp::Mdp& mean,
                                      std::span<const double> value) {
  base::check_size("exploration_bonus", "value", value.size(), static_cast<std::size_t>(mean.states()));
  std::vector<double> bonus = reward_bonuses(belief);
  for (std::int32_t k = 0; k < mean.pairs(); ++k)
    bonus[k] += transition_bonus(sureness_of(belief, k), mean, k, value);
  return bonus;
}

std::shared_ptr<const Beginning> begin_with_bonus(const Setting& setting) {
  if (!setting.begin || setting.begin->solution.is_direct()) return setting.begin;
  Beginning begin = *setting.begin;
  begin.with_bonus = ExplorationBonus(setting).first_look();
  return std::make_shared<const Beginning>(std::move(begin));
}

std::unique_ptr<Planner> make_beb(const Setting& setting) {
  return std::make_unique<ExplorationBonus>(setting);
}

}  // namespace mindgap::planner
