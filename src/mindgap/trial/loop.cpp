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

void run_together(std::span<world::World* const> worlds, std::span<planner::Planner* const> planners,
                  std::int64_t steps) {
  if (worlds.empty()) return;
  const auto units = static_cast<std::size_t>(worlds.front()->units());
  std::vector<std::vector<std::int32_t>> state(worlds.size(), std::vector<std::int32_t>(units));
  std::vector<std::int32_t> pair(units), next_state(units);
  std::vector<double> reward(units);
  for (std::size_t w = 0; w < worlds.size(); ++w) {
    for (std::size_t u = 0; u < units; ++u) state[w][u] = worlds[w]->reset(static_cast<std::int64_t>(u));
  }
  for (std::int64_t step = 0; step < steps; ++step) {
    base::interruption_point();
    for (int phase = 0; phase < planner::Planner::kPhases; ++phase) {
      for (std::size_t w = 0; w < worlds.size(); ++w) planners[w]->prepare(step, state[w], phase);
    }
    for (std::size_t w = 0; w < worlds.size(); ++w) {
      planners[w]->choose(step, state[w], pair);
      for (std::size_t u = 0; u < units; ++u) {
        const world::Observation seen = worlds[w]->step(static_cast<std::int64_t>(u), pair[u]);
        reward[u] = seen.reward;
        next_state[u] = seen.next_state;
      }
      planners[w]->observe(step, {state[w], pair, reward, next_state});
      state[w].swap(next_state);
    }
  }
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
