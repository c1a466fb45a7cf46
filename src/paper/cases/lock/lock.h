#pragma once

#include "paper/cases/registry.h"

namespace mindgap::cases::lock {

/// The combination lock as a case to compare planners on. A horizon is the chain length T, and each is a run
/// of its own; the value is the number of units that reach the end, of 50 that run one after another (rule.h
/// says what each planner does). A trial is one draw of the simulator.
///
/// Common random numbers: whether the simulator is wrong at state s of a chain of length T depends on (seed,
/// trial, T, s) alone, and is nested in c; the coin of unit i at state s on (seed, trial, T, i, s) alone. All
/// planners meet both.
CaseInfo info();

}  // namespace mindgap::cases::lock
