#include "mindgap/planner/thompson.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mindgap/base/listener.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {
namespace {

constexpr std::int64_t kFewUnits = 5;  // below, what one seed misses no other unit finds
constexpr std::int64_t kFewLanes = 3;  // below, models are solved faster one by one

// 0: a seed is kept to the end.
std::int64_t kept_steps(const Setting& setting) {
  if (setting.options.seed_steps != PlannerOptions::kSeedStepsByUnits) return setting.options.seed_steps;
  const double ahead = 1 / (1 - setting.belief.simulator().discount());
  return setting.units < kFewUnits && ahead < 1e9 ? std::max<std::int64_t>(1, std::llround(ahead)) : 0;
}

class SeededThompson final : public LearningPlanner {
 public:
  explicit SeededThompson(const Setting& setting)
      : LearningPlanner(setting), kept_(static_cast<std::size_t>(kept_steps(setting))) {
    const bool several = std::min<std::int64_t>(setting.units, setting.options.seeds) >= kFewLanes;
    if (several && Together::most(belief_, setting.begin.get()) > 1) begin_ = setting.begin;
  }

 protected:
  void replan(std::int64_t step, std::span<const std::int32_t> state) override {
    const std::span<const std::int32_t> seen = take_observed();
    for (std::size_t i = 0; i < of_seed_.size(); ++i) plan_again(step, i, seen, state);
  }

  void act(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    const auto seeds = static_cast<std::size_t>(options_.seeds);
    while (of_seed_.size() < std::min(state.size(), seeds)) {  // at the first choice
      const std::size_t lane = of_seed_.size() % mdp::DirectLanes::kLanes;
      of_seed_.push_back({0, std::nullopt, Replanner(options_.tolerance)});
      if (begin_ && lane == 0)
        lanes_ = std::make_shared<mdp::DirectLanes>(begin_->solution, options_.tolerance);
      if (begin_) of_seed_.back().replanner.join(lanes_, lane);
      plan_again(step, of_seed_.size() - 1, {}, state);
    }
    for (std::size_t u = 0; u < state.size(); ++u)
      pair[u] = of_seed_[u % seeds].replanner.pair_of_state()[state[u]];
  }

 private:
  // The model that a seed stands for, and its policy, which begins from that of the model before.
  struct OfSeed {
    std::size_t seed;
    std::optional<belief::RunningModel> model;
    Replanner replanner;
  };

  // What is known of a pair changes its row in the same draw.
  void plan_again(std::int64_t step, std::size_t i, std::span<const std::int32_t> seen,
                  std::span<const std::int32_t> state) {
    base::interruption_point();
    OfSeed& one = of_seed_[i];
    const std::size_t seed = seed_of(step, i);
    from_.clear();
    for (std::size_t u = i; u < state.size(); u += static_cast<std::size_t>(options_.seeds))
      from_.push_back(state[u]);
    if (one.model && one.seed == seed) {
      one.model->update(belief_, seen);
      if (belief_.learns_row_by_row()) {
        one.replanner.plan(one.model->numbers(), seen, false, {from_});
        return;
      }
    } else {
      one.model.emplace(belief_, seed_, seed_draw(seed));
      one.seed = seed;
    }
    one.replanner.plan(one.model->numbers(), From{from_});
  }

  // Seeds change one after another, not all at once.
  std::size_t seed_of(std::int64_t step, std::size_t i) const {
    if (kept_ == 0) return i;
    const auto seeds = static_cast<std::size_t>(options_.seeds);
    const std::size_t used = std::max<std::size_t>(of_seed_.size(), 1);
    return i + seeds * ((static_cast<std::size_t>(step) + i % used * kept_ / used) / kept_);
  }

  std::size_t kept_;                         // steps; 0: to the end
  std::shared_ptr<const Beginning> begin_;   // where models of several seeds are solved together
  std::shared_ptr<mdp::DirectLanes> lanes_;  // of the seeds added last
  std::vector<OfSeed> of_seed_;
  std::vector<std::int32_t> from_;  // where the units of one seed are
};

class SharedThompson final : public LearningPlanner {
 public:
  using LearningPlanner::LearningPlanner;

 protected:
  void replan(std::int64_t step, std::span<const std::int32_t>) override {
    replanner_.plan(draw_model(step));
  }
};

}  // namespace

std::unique_ptr<Planner> make_thompson(const Setting& setting) {
  return std::make_unique<SeededThompson>(setting);
}

std::unique_ptr<Planner> make_forgetting_thompson(const Setting& setting) {
  Setting own = that_forgets(setting);
  if (own.options.drift > 0 && own.options.seed_steps == PlannerOptions::kSeedStepsByUnits)
    own.options.seed_steps = std::max<std::int64_t>(1, std::llround(1 / own.options.drift));
  return std::make_unique<SeededThompson>(own);
}

std::unique_ptr<Planner> make_shared_thompson(const Setting& setting) {
  return std::make_unique<SharedThompson>(setting);
}

}  // namespace mindgap::planner
