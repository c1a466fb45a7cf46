#include "mindgap/planner/asop.h"

#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {
namespace {

class AdaptiveSop final : public LearningPlanner {
 public:
  AdaptiveSop(const Setting& setting, std::int64_t pilot_steps)
      : LearningPlanner(setting), pilot_steps_(pilot_steps) {
    join(setting);
  }

  void prepare(std::int64_t step, std::span<const std::int32_t> state, int phase) override {
    if (phase == 0 && is_due(step)) look(step, state);
  }

 protected:
  void replan(std::int64_t, std::span<const std::int32_t> state) override { plan_for_mean({state}); }

  void act(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    if (step >= pilot_steps_) return LearningPlanner::act(step, state, pair);
    for (std::size_t u = 0; u < state.size(); ++u) {
      base::Stream words = stream(u, step);
      pair[u] = uniform_pair(belief_.simulator(), state[u], words);
    }
  }

 private:
  std::int64_t pilot_steps_;
};

}  // namespace

std::unique_ptr<Planner> make_asop(const Setting& setting) {
  return std::make_unique<AdaptiveSop>(setting, 0);
}
std::unique_ptr<Planner> make_forgetting_asop(const Setting& setting) {
  return std::make_unique<AdaptiveSop>(that_forgets(setting), 0);
}
std::unique_ptr<Planner> make_asop_pilot(const Setting& setting) {
  return std::make_unique<AdaptiveSop>(setting, setting.options.pilot_steps);
}

}  // namespace mindgap::planner
