#pragma once

#include "mindgap/trial/tabular_case.h"
#include "paper/cases/confounded/from_history.h"
#include "paper/cases/registry.h"

namespace mindgap::cases::confounded {

/// The world of that seed and what its history tells.
trial::Problem problem(const Dials& dials, std::uint64_t world_seed);

/// Trial t is played in world t + 1, so that the default, 100 trials, is one each in world_seeds(), and more
/// trials are more worlds; the case's own seed only moves the luck that units
/// and planners have there.
CaseInfo info();

}  // namespace mindgap::cases::confounded
