#include "mindgap/planner/fisher.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mindgap/planner/explorers.h"

namespace mindgap::planner {
namespace {

// What both share: a belief that everything observed enters, the posterior-optimal policy, and explorers that
// follow a pilot's routes where there is one.
class RoutePlanner : public Planner {
 public:
  explicit RoutePlanner(const Setting& setting) : setting_(setting), belief_(setting.belief) {
    const double wanted = setting.options.explorer_share * static_cast<double>(setting.units);
    explorers_ = std::clamp<std::int64_t>(std::llround(wanted), 1, setting.units);
  }

  void choose(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) final {
    if (step % setting_.options.replan_every == 0) {
      mean_ = belief_.mean();
      solution_ = mdp::solve(*mean_, {.tolerance = 1e-8, .threads = 1, .initial_value = solution_.value});
      replan(step, {belief_, *mean_, solution_, state, explorers_});
    }
    const auto policy = solution_.policy.pair_of_state();
    for (std::size_t u = 0; u < state.size(); ++u) pair[u] = policy[state[u]];
    if (!pilot_ || step - pilot_begin_ >= pilot_->steps) return;
    for (std::size_t u = 0; u < static_cast<std::size_t>(explorers_); ++u) {
      const std::int32_t sent = pilot_->pair(u, step - pilot_begin_, state[u], mean_->states());
      if (sent >= 0) pair[u] = sent;
    }
  }

  void observe(std::int64_t, const StepSeen& seen) final {
    for (std::size_t u = 0; u < seen.pair.size(); ++u)
      belief_.observe(seen.pair[u], seen.reward[u], seen.next_state[u]);
  }

 protected:
  // Sets, keeps or ends the pilot.
  virtual void replan(std::int64_t step, const Deployment& now) = 0;

  // Unique to the trial and the step, so that no two designs draw the same models.
  std::uint64_t draw_seed(std::int64_t step) const {
    base::Stream stream({setting_.seed, base::Purpose::planner, setting_.trial, ~std::uint64_t{0},
                         static_cast<std::uint64_t>(step)});
    return stream.next();
  }

  const Setting setting_;
  std::optional<Pilot> pilot_;
  std::int64_t pilot_begin_ = 0;

 private:
  belief::Belief belief_;
  std::int64_t explorers_ = 0;
  std::optional<mdp::Mdp> mean_;
  mdp::Solution solution_;
};

class Fisher final : public RoutePlanner {
 public:
  using RoutePlanner::RoutePlanner;

 private:
  void replan(std::int64_t step, const Deployment& now) override {
    if (step > 0 || setting_.options.explore_steps == 0) return;
    pilot_ = plan_pilot(now, aim(now, setting_.options.target, draw_seed(step)).weights,
                        setting_.options.explore_steps);
  }
};

class AdaptiveFisher final : public RoutePlanner {
 public:
  using RoutePlanner::RoutePlanner;

 private:
  void replan(std::int64_t step, const Deployment& now) override {
    const PlannerOptions& options = setting_.options;
    const std::int64_t left = setting_.horizon - step;
    if (stopped_ || left <= options.window) {
      stopped_ = true;
      pilot_.reset();
      return;
    }
    const Aim target = aim(now, options.adaptive_target, draw_seed(step));
    Pilot pilot = plan_pilot(now, target.weights, options.window);
    const double per_step = (1 - now.mean.discount()) * target.information_value;
    const double worth =
        options.stop_factor * per_step * static_cast<double>(setting_.units) * static_cast<double>(left);
    if (worth < pilot_cost(now, pilot, options.replan_every)) {
      stopped_ = true;
      pilot_.reset();
      return;
    }
    pilot_ = std::move(pilot);
    pilot_begin_ = step;
  }

  bool stopped_ = false;
};

}  // namespace

std::unique_ptr<Planner> make_fisher(const Setting& setting) {
  return std::make_unique<Fisher>(setting);
}

std::unique_ptr<Planner> make_adaptive_fisher(const Setting& setting) {
  return std::make_unique<AdaptiveFisher>(setting);
}

}  // namespace mindgap::planner
