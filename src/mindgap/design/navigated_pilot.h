#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/design/design.h"
#include "mindgap/design/navigation.h"

namespace mindgap::design {

/// Where one unit is sent.
struct UnitGoal {
  std::int32_t pair = 0;
  double arrival = 0;         // probability to see the pair's state within the pilot
  double expected_steps = 0;  // to get there, at most the pilot's
};

/// What a pilot that navigates costs against the best one.
struct NavigationFindings {
  std::vector<UnitGoal> goals;  // per unit, in the order of the units
  double optimum = 0;           // the least variance that fractions of units could leave, without limits
  double optimum_gap = 0;       // of it: none is below optimum - gap
  std::vector<std::int32_t> bottleneck = {};
  double threshold = 0;  // NavigationBoundOptions::threshold
  NavigationBound bound = {};
};

struct NavigatedPilot {
  Design design;  // as judge_pilot() gives it; `after` and the gap are those of the best pilot
  NavigationFindings findings;
};

/// Counts of observations up to this are as good as none, where bounds ask which pairs both designs observe:
/// where moves may fail every pair has a little.
constexpr double kSeenAtAll = .05;

/// The paper's navigation-restricted design for any model: every unit goes to one of the pairs that matter
/// most by a shortest way and stays with it (navigate()). It keeps to forbidden pairs; how it keeps to other
/// limits is told, not mended. `bottleneck` are the states of a corridor, for the paper's bound; may be
/// empty. Finite pilots only, and a target that does not depend on the pilot. Throws InvalidArgument.
NavigatedPilot navigate_pilot(const belief::Knowledge& knowledge, const DesignOptions& options,
                              std::vector<std::int32_t> bottleneck = {});

}  // namespace mindgap::design
