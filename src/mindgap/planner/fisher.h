#pragma once

#include <memory>

#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// Fisher-SEP in three phases: a design, found before the first step for `explorer_share` of the units over
/// `explore_steps` steps; the explorers follow their routes while all others follow the posterior-optimal
/// policy; then everybody does. Every observation of every unit counts, and the policy is found again every
/// `replan_every` steps. (The paper's listing differs: make_fisher_listing.)
std::unique_ptr<Planner> make_fisher(const Setting& setting);

/// Fisher-SEP that keeps designing: every `replan_every` steps a new design from where the explorers now are,
/// over the next `window` steps and, where that does not pay, over 2, 4 and 8 times as many; with all
/// explorers or a third of them, whichever pays more. It pays where what it will find out is worth more to
/// all units in the steps left (pilot_worth) than the explorers give up (pilot_cost). The first time that
/// nothing pays it stops for good. The paper leaves stopping open; in place of a value per step of perfect
/// information with a factor, this prices the very pilot at hand, so there is nothing to tune.
std::unique_ptr<Planner> make_adaptive_fisher(const Setting& setting);

/// The paper's listing, for comparison: `pilot_steps` of uniform actions by all units, then for
/// `explore_steps` steps every unit takes, with probability `explore_probability`, an action of the
/// stochastic policy that 60 steps of coordinate descent make of the explorer's own criterion (discounted
/// form), else the posterior-optimal one; then exploits. Both are found again every `replan_every` steps (the
/// listing: 10).
std::unique_ptr<Planner> make_fisher_listing(const Setting& setting);

}  // namespace mindgap::planner
