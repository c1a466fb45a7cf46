#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mindgap/planner/planner.h"
#include "mindgap/world/world.h"

namespace mindgap::trial {

/// The loop of acting and learning: the sum of all units' rewards by each horizon (positive, ascending). All
/// units begin at their reset. Memory does not depend on the horizon.
std::vector<double> run_trial(world::World& world, planner::Planner& planner,
                              std::span<const std::int64_t> horizons);

/// The same of several planners at once, each in a world of its own, over `steps` steps: looks at beliefs
/// that they share (planner::Setting::together) are made together. What happens in one world does not depend
/// on the others. All worlds have as many units.
void run_together(std::span<world::World* const> worlds, std::span<planner::Planner* const> planners,
                  std::int64_t steps);

using MakePlanner = std::function<std::unique_ptr<planner::Planner>(const planner::Setting& setting)>;

/// The same for a planner that is yet to be made, whose setting's horizon is the last one; where its choices
/// depend on that (`uses_horizon`), one is made and run for each horizon.
std::vector<double> run_planner(world::World& world, const MakePlanner& make, bool uses_horizon,
                                planner::Setting setting, std::span<const std::int64_t> horizons);

}  // namespace mindgap::trial
