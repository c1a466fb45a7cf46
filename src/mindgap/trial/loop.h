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

using MakePlanner = std::function<std::unique_ptr<planner::Planner>(const planner::Setting& setting)>;

/// The same for a planner that is yet to be made, whose setting's horizon is the last one; where its choices
/// depend on that (`uses_horizon`), one is made and run for each horizon.
std::vector<double> run_planner(world::World& world, const MakePlanner& make, bool uses_horizon,
                                planner::Setting setting, std::span<const std::int64_t> horizons);

}  // namespace mindgap::trial
