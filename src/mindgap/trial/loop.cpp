#include "mindgap/trial/loop.h"

#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"

namespace mindgap::trial {

std::vector<double> run_trial(world::World& world, planner::Planner& planner,
                              std::span<const std::int64_t> horizons) {
  const auto units = static_cast<std::size_t>(world.units());
  std::vector<std::int32_t> state(units), pair(units), next_state(units);
  std::vector<double> reward(units), gathered;
  for (std::size_t u = 0; u < units; ++u) state[u] = world.reset(static_cast<std::int64_t>(u));
  double total = 0;
  std::int64_t step = 0;
  for (const std::int64_t horizon : horizons) {
    if (horizon <= 0 || horizon < step)
      throw InvalidArgument("run_trial: horizons must be positive and ascend");
    for (; step < horizon; ++step) {
      base::interruption_point();
      planner.choose(step, state, pair);
      for (std::size_t u = 0; u < units; ++u) {
        const world::Observation seen = world.step(static_cast<std::int64_t>(u), pair[u]);
        reward[u] = seen.reward;
        next_state[u] = seen.next_state;
        total += seen.reward;
      }
      planner.observe(step, {state, pair, reward, next_state});
      state.swap(next_state);
    }
    gathered.push_back(total);
  }
  return gathered;
}

std::vector<double> run_planner(world::World& world, const MakePlanner& make, bool uses_horizon,
                                planner::Setting setting, std::span<const std::int64_t> horizons) {
  if (horizons.empty()) return {};
  setting.horizon = horizons.back();
  if (!uses_horizon) return run_trial(world, *make(setting), horizons);
  std::vector<double> gathered;
  for (const std::int64_t horizon : horizons) {
    setting.horizon = horizon;
    gathered.push_back(run_trial(world, *make(setting), std::span(&horizon, 1)).front());
  }
  return gathered;
}

}  // namespace mindgap::trial
