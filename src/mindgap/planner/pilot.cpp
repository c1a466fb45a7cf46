#include "mindgap/planner/pilot.h"

#include "mindgap/base/check.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {
namespace {

class PilotThenLearn final : public LearningPlanner {
 public:
  PilotThenLearn(const Setting& setting, std::shared_ptr<const design::Pilot> pilot)
      : LearningPlanner(setting), pilot_(std::move(pilot)) {
    join(setting);
    base::check_size("make_pilot", "route_of_unit", pilot_->route_of_unit.size(),
                     static_cast<std::size_t>(setting.units));
    base::check_range("make_pilot", "states", pilot_->states, belief_.simulator().states(),
                      belief_.simulator().states());
    const auto places = static_cast<std::size_t>(pilot_->steps) * static_cast<std::size_t>(pilot_->states);
    for (const design::Route& route : pilot_->routes)
      base::check_size("make_pilot", "pair", route.pair.size(), places);
    for (const std::int32_t route : pilot_->route_of_unit)
      base::check_range("make_pilot", "route", route, -1, static_cast<double>(pilot_->routes.size()) - 1);
  }

  void prepare(std::int64_t step, std::span<const std::int32_t> state, int phase) override {
    if (phase > 0 || !(waits_ || step == pilot_->steps || is_due(step))) return;
    pair_.resize(state.size());
    if (!send(step, state, pair_)) look(step, state);
  }

  // While the routes say what everybody does, nobody needs a policy: looks wait until somebody does.
  void choose(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    waits_ = waits_ || step == pilot_->steps || step % options_.replan_every == 0;
    if (send(step, state, pair)) return;
    if (waits_ && step % options_.replan_every != 0) look(step, state);
    waits_ = false;
    LearningPlanner::choose(step, state, pair);
  }

 protected:
  void replan(std::int64_t, std::span<const std::int32_t> state) override { plan_for_mean({state}); }

  void act(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    LearningPlanner::act(step, state, pair);
    send(step, state, pair);
  }

 private:
  // The pairs of those who are on a route, and whether everybody is.
  bool send(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) const {
    bool everybody = step < pilot_->steps;
    for (std::size_t u = 0; u < state.size() && step < pilot_->steps; ++u) {
      const std::int32_t sent = pilot_->pair(u, step, state[u]);
      if (sent >= 0) pair[u] = sent;
      everybody = everybody && sent >= 0;
    }
    return everybody;
  }

  bool waits_ = false;  // a look is due
  std::vector<std::int32_t> pair_;
  std::shared_ptr<const design::Pilot> pilot_;
};

}  // namespace

std::unique_ptr<Planner> make_pilot(const Setting& setting, std::shared_ptr<const design::Pilot> pilot) {
  return std::make_unique<PilotThenLearn>(setting, std::move(pilot));
}

}  // namespace mindgap::planner
