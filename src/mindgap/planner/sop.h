#pragma once

#include <memory>

#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// The simulator-optimal policy, watched: it is followed until a unit makes a move that the simulator calls
/// impossible. That refutes the simulator, so from the next replan on it acts as make_asop() does, from
/// everything observed since the first step. As long as no such move is seen it is make_fixed_sop().
std::unique_ptr<Planner> make_sop(const Setting& setting);

/// The simulator-optimal policy, deployed without another look (the paper's level 0).
std::unique_ptr<Planner> make_fixed_sop(const Setting& setting);

}  // namespace mindgap::planner
