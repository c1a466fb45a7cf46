#pragma once

#include <memory>

#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// UCRL2 (Jaksch, Ortner, Auer 2010): the policy that is optimal in the best model within the confidence
/// radii (optimism.h), until some pair has been seen in the episode as often as before it. It starts from
/// nothing, with delta = `confidence` and `optimism` as a factor on the radii; its episodes, not
/// replan_every, say when it plans. Departures:
///  - the value is discounted, as that of every model here, not the average per step. The extended value
///    iteration is the authors' with g in it, and as accurate as theirs: width / sqrt(t) / (1-g), at time t.
///  - rewards have the range of reward_range(), the authors' [0, 1].
///  - n units act at a time: time counts observations, and an episode ends between two steps.
std::unique_ptr<Planner> make_ucrl2(const Setting& setting);

}  // namespace mindgap::planner
