#pragma once

#include <string>

#include "mindgap/belief/knowledge.h"

namespace mindgap::belief {

/// What planners begin with: the simulator's prior, or what follows from its coverage. Throws InvalidArgument
/// as gather_knowledge(), and where the variance of one observed reward, which `what` needs, is not stated.
Belief stated_belief(const mdp::Model& simulator, const std::string& what,
                     const PriorOverrides& overrides = {});

}  // namespace mindgap::belief
