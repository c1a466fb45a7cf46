#pragma once

#include <memory>

#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// The simulator-optimal policy, deployed without another look (the paper's level 0).
std::unique_ptr<Planner> make_sop(const Setting& setting);

}  // namespace mindgap::planner
