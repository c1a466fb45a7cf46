#pragma once

#include <memory>

#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// Fisher-SEP in three phases: a design, found before the first step for `explorer_share` of the units over
/// `explore_steps` steps; the explorers follow their routes while all others follow the posterior-optimal
/// policy; then everybody does. Every observation of every unit counts, and the policy is found again every
/// `replan_every` steps. (The paper's listing differs: make_fisher_listing.)
std::unique_ptr<Planner> make_fisher(const Setting& setting);

/// Fisher-SEP that keeps designing: every `replan_every` steps, while more than `window` steps remain, a new
/// design over the next `window` steps from where the explorers now are. It stops for good where what a
/// window can be expected to find out is worth less than it costs:
///   stop_factor * (1 - discount) E[V* - V^current] * units * steps left  <  cost of the next replan_every
///   steps of the new design (pilot_cost),
/// with the expectation over the models drawn for the design's target. The paper leaves stopping open.
std::unique_ptr<Planner> make_adaptive_fisher(const Setting& setting);

/// The paper's listing, for comparison: `pilot_steps` of uniform actions by all units, then for
/// `explore_steps` steps every unit takes, with probability `explore_probability`, an action of the
/// stochastic policy that 60 steps of coordinate descent make of the explorer's own criterion (discounted
/// form), else the posterior-optimal one; then exploits. Both are found again every `replan_every` steps (the
/// listing: 10).
std::unique_ptr<Planner> make_fisher_listing(const Setting& setting);

}  // namespace mindgap::planner
