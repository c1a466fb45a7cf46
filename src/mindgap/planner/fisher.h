#pragma once

#include <memory>

#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// Fisher-SEP in three phases: a design, found before the first step for `explorer_share` of the units over
/// `explore_steps` steps; the explorers follow their routes while all others follow the posterior-optimal
/// policy; then everybody does. Every observation of every unit counts, and the policy is found again every
/// `replan_every` steps. (The paper's listing differs: fisher_listing.h.)
std::unique_ptr<Planner> make_fisher(const Setting& setting);

/// Fisher-SEP that keeps designing: every `replan_every` steps a new design from where the explorers now are,
/// over the next `window` steps and, where that does not pay, over 2, 4 and 8 times as many; with all
/// explorers or a third of them, whichever pays more. It pays where what it will find out is worth more to
/// all units in the steps left (pilot_worth) than the explorers give up (pilot_cost). The first time that
/// nothing pays it stops for good. The paper leaves stopping open; in place of a value per step of perfect
/// information with a factor, this prices the very pilot at hand, so there is nothing to tune.
std::unique_ptr<Planner> make_adaptive_fisher(const Setting& setting);

/// The same with a belief that forgets (belief/forgetting.h, at the rate options.drift): what was not looked
/// at for long becomes uncertain again, so that a pilot there pays again. It never stops for good, and a
/// finding counts for 1/drift steps at most. With a drift of 0 it is make_adaptive_fisher().
std::unique_ptr<Planner> make_repilot(const Setting& setting);

}  // namespace mindgap::planner
