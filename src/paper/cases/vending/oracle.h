#pragma once

#include <memory>

#include "paper/cases/vending/planner.h"
#include "paper/cases/vending/world.h"

namespace mindgap::cases::vending {

/// Knows today's mean arrivals of every segment: stocks by the same rule as the others and takes the best
/// price of the grid. A heuristic, not an optimum. Both must outlive it.
std::unique_ptr<VendingPlanner> make_oracle(const Briefing& briefing, const World& world);

}  // namespace mindgap::cases::vending
