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

// How sure rows are: what their parts of the bonus are divided by, and times, per pair.
struct Sureness {
  std::vector<double> strength, damping;

  explicit Sureness(std::int32_t pairs) : strength(pairs, 1), damping(pairs, 1) {}

  void update(const belief::Belief& belief, std::int32_t pair) {
    const double now = belief.transition_strength(pair) + 1;
    const double before = belief.prior().transition_strength[pair] + 1;
    strength[pair] = now;
    damping[pair] = std::min(1.0, std::sqrt(before / now));
  }
};

// reward += factor * the parts of transitions, for the rows of the mean. Roots take most of the time, and are
// taken two or more at once in a loop of their own; `spread` is room for it.
void add_transition_bonuses(const Sureness& sure, const mdp::Numbers& mean, std::span<const double> value,
                            double factor, std::vector<double>& spread, std::vector<double>& reward) {
  const auto pairs = static_cast<std::size_t>(mean.shape.pairs());
  spread.resize(pairs);
  gap::next_value_variance(mean, value, spread);
  const double g = mean.shape.discount();
  for (std::size_t k = 0; k < pairs; ++k)
    reward[k] += factor * (g * std::sqrt(spread[k] / sure.strength[k]) * sure.damping[k]);
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
    if (options_.bonus > 0)
      add_transition_bonuses(*sure_, begun_->numbers, rewards_only_.value(), options_.bonus, spread_,
                             reward_);
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
      sure_.emplace(mean.shape.pairs());
      for (std::int32_t k = 0; k < mean.shape.pairs(); ++k) sure_->update(belief_, k);
    } else {
      for (const std::int32_t k : begun_->updated) {
        bonus_[k] = reward_bonus(belief_, k, belief_.reward_variance(k));
        sure_->update(belief_, k);
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

  std::vector<double> bonus_, reward_, spread_;
  std::optional<Sureness> sure_;  // since the first look
  std::optional<Mean> begun_;     // a look of which the first half is done
  // Both models change little from look to look, but not from one to the other: each has a replanner of its
  // own.
  Replanner rewards_only_;
};

}  // namespace

std::vector<double> exploration_bonus(const belief::Belief& belief, const mdp::Mdp& mean,
                                      std::span<const double> value) {
  base::check_size("exploration_bonus", "value", value.size(), static_cast<std::size_t>(mean.states()));
  std::vector<double> bonus = reward_bonuses(belief), spread;
  Sureness sure(mean.pairs());
  for (std::int32_t k = 0; k < mean.pairs(); ++k) sure.update(belief, k);
  add_transition_bonuses(sure, mean, value, 1, spread, bonus);
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
