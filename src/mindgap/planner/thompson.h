#pragma once

#include <memory>

#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// Concurrent Thompson sampling with seeds (Dimakopoulou and Van Roy 2018, "Coordinated exploration in
/// concurrent reinforcement learning", seed sampling). Each unit has one seed for the whole deployment, and
/// follows the optimal policy of a model that is a function of that seed and of what all units have observed,
/// found again every replan_every steps. So units differ (diversity), a unit keeps to its intention until
/// data speak against it (commitment), and data of any unit move everybody (adaptivity). The model of seed i
/// is Belief::sample with the same draw number at every look: its streams are keyed by state-action pair, so
/// that only pairs with new data change. At most `seeds` different ones; unit u has the seed u mod seeds.
///
/// A seed that finds a pair poor never tries it unless data on others make it worthwhile. With many units
/// some other unit does; few units over a long time may miss it for good. So each unit's seed is renewed
/// after seed_steps steps, one unit after another; by default with fewer than 5 units, after 1/(1 - g) (Xu,
/// Dong and Van Roy 2022, "Posterior sampling for continuing environments", who renew it with probability 1 -
/// g at each step; what that is worth: docs/math/planners.md).
std::unique_ptr<Planner> make_thompson(const Setting& setting);

/// Thompson sampling, or posterior sampling for reinforcement learning (Strens 2000; Osband, Russo, Van Roy
/// 2013), as the paper has it: every replan_every steps one model is drawn from the belief, and all units
/// follow its optimal policy until the next. So each optimal policy is followed with the probability that it
/// is the optimal one. In place of the authors' episodes, replan_every steps.
std::unique_ptr<Planner> make_shared_thompson(const Setting& setting);

/// make_thompson() with a belief that forgets, at the rate options.drift; seeds are then renewed every
/// 1/drift steps, so that what one seed thinks little of is looked at again by another.
std::unique_ptr<Planner> make_forgetting_thompson(const Setting& setting);

}  // namespace mindgap::planner
