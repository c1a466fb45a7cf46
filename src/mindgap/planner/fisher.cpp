#include "mindgap/planner/fisher.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "mindgap/planner/explorers.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {
namespace {

// What both share: everybody follows the posterior-optimal policy, but for explorers on a pilot's routes.
class RoutePlanner : public LearningPlanner {
 public:
  explicit RoutePlanner(const Setting& setting) : LearningPlanner(setting) {
    const double wanted = options_.explorer_share * static_cast<double>(setting.units);
    if (options_.explorer_share > 0 && setting.units > 0)
      explorers_ = std::clamp<std::int64_t>(std::llround(wanted), 1, setting.units);
  }

 protected:
  void replan(std::int64_t step, std::span<const std::int32_t> state) final {
    const mdp::Mdp mean = belief_.mean();
    replanner_.plan(mean);
    if (explorers_ > 0)
      send({belief_, mean, replanner_.policy(mean), replanner_.value(), state, explorers_}, step);
  }

  void act(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) final {
    LearningPlanner::act(step, state, pair);
    if (!pilot_) return;
    for (std::size_t u = 0; u < pilot_->route_of_unit.size(); ++u) {
      const std::int32_t sent = pilot_->pair(u, step - pilot_begin_, state[u]);
      if (sent >= 0) pair[u] = sent;
    }
  }

  // Sets, keeps or ends the pilot.
  virtual void send(const Deployment& now, std::int64_t step) = 0;

  Aim aim_at(const design::Target& target, const Deployment& now, std::int64_t step) const {
    return aim(now, target, seed_, first_draw(step, target.members));
  }

  std::int64_t explorers_ = 0;
  std::optional<PlannedPilot> pilot_;
  std::int64_t pilot_begin_ = 0;
};

class Fisher final : public RoutePlanner {
 public:
  using RoutePlanner::RoutePlanner;

 private:
  void send(const Deployment& now, std::int64_t step) override {
    if (step > 0 || options_.explore_steps == 0) return;
    pilot_ = plan_pilot(now, aim_at(options_.target, now, step).weights, options_.explore_steps);
  }
};

class AdaptiveFisher final : public RoutePlanner {
 public:
  explicit AdaptiveFisher(const Setting& setting)
      : RoutePlanner(setting), horizon_(setting.horizon), forgets_(forgetting()) {
    if (forgets_) memory_ = std::max<std::int64_t>(1, std::llround(1 / options_.drift));
  }

 private:
  void send(const Deployment& now, std::int64_t step) override {
    if (forgets_ ? step < look_again_ : refusals_ == kRefusals) return;
    pilot_.reset();
    const Aim target = aim_at(options_.adaptive_target, now, step);
    const std::int64_t left = std::min(horizon_ - step, memory_);
    for (int doubled = 0; doubled < 4 && !pilot_; ++doubled) {
      const std::int64_t window = options_.window << doubled;
      if (window < left) pilot_ = best_of_sizes(now, target, window, left);
    }
    refusals_ = pilot_ ? 0 : refusals_ + 1;
    pilot_begin_ = step;
    // What is not worth a pilot now may be once it is forgotten.
    look_again_ = pilot_ ? step : step + options_.window;
  }

  // With a third of the explorers or all of them, whichever pays more; none where neither pays.
  std::optional<PlannedPilot> best_of_sizes(Deployment now, const Aim& target, std::int64_t window,
                                            std::int64_t left) const {
    std::optional<PlannedPilot> best;
    double best_net = 0;
    std::vector<std::int64_t> sizes = {explorers_};
    if (explorers_ > 1) sizes.insert(sizes.begin(), std::max<std::int64_t>(1, explorers_ / 3));
    for (const std::int64_t explorers : sizes) {
      now.explorers = explorers;
      PlannedPilot pilot = plan_pilot(now, target.weights, window);
      const double net = pilot_worth(now, target, pilot, left - window) - pilot_cost(now, pilot, left);
      if (net <= best_net) continue;
      best_net = net;
      best = std::move(pilot);
    }
    return best;
  }

  static constexpr int kRefusals = 2;  // one may be chance: prices are means over drawn models
  const std::int64_t horizon_;
  const bool forgets_;
  std::int64_t memory_ = std::numeric_limits<std::int64_t>::max();  // steps for which a finding is of use
  std::int64_t look_again_ = 0;
  int refusals_ = 0;  // in a row
};

}  // namespace

std::unique_ptr<Planner> make_fisher(const Setting& setting) {
  return std::make_unique<Fisher>(setting);
}

std::unique_ptr<Planner> make_adaptive_fisher(const Setting& setting) {
  return std::make_unique<AdaptiveFisher>(setting);
}

std::unique_ptr<Planner> make_repilot(const Setting& setting) {
  return std::make_unique<AdaptiveFisher>(that_forgets(setting));
}

}  // namespace mindgap::planner
