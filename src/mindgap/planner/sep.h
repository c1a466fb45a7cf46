#pragma once

#include <memory>

#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// SEP directed by the exploration priority index (paper listing sep), in three phases:
///  1. for pilot_steps steps every unit takes one of its state's actions, each as likely;
///  2. for explore_steps steps every unit takes with probability explore_probability the action of its state
///     with the highest index, else that of the optimal policy of the posterior mean;
///  3. the optimal policy of the posterior mean, which is looked at every replan_every steps.
/// The index is gap::exploration_priority of the posterior mean and its optimal policy, without bias, with
/// the visitation from a uniform start as listed: positive everywhere, so that the index orders the actions
/// of every state (from the model's own start it would be 0 wherever the policy does not go).
///
/// Re-exploration: the listing takes the largest index at the beginning of phase 3 as a baseline and asks at
/// every step whether the largest index is above reexplore_threshold = .8 of it, which the baseline itself
/// already is: it would begin again at once, for ever. Here it begins again where the index has grown: where
///   reexplore_threshold * largest index > baseline
/// at a replan (the policy now goes where little is known), phase 2 comes back until the next replan, where
/// the baseline is taken anew. A threshold of 0 never begins again, 1 does at any growth.
std::unique_ptr<Planner> make_sep(const Setting& setting);

}  // namespace mindgap::planner
