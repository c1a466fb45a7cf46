#pragma once

#include <memory>

#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// Thompson sampling, or posterior sampling for reinforcement learning (Strens 2000; Osband, Russo, Van Roy
/// 2013): every replan_every steps one model is drawn from the belief, and all units follow its optimal
/// policy until the next. So each optimal policy is followed with the probability that it is the optimal one.
/// In place of the authors' episodes, replan_every steps.
std::unique_ptr<Planner> make_thompson(const Setting& setting);

}  // namespace mindgap::planner
