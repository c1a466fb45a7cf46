#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/planner/planner.h"
#include "mindgap/world/world.h"

namespace mindgap::trial {

/// The loop of acting and learning: the sum of all units' rewards by each horizon (positive, ascending). All
/// units begin at their reset. Memory does not depend on the horizon.
std::vector<double> run_trial(world::World& world, planner::Planner& planner,
                              std::span<const std::int64_t> horizons);

}  // namespace mindgap::trial
