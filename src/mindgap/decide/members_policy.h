#pragma once

#include <cstdint>
#include <span>

#include "mindgap/belief/belief.h"
#include "mindgap/decide/plan.h"
#include "mindgap/mdp/policy.h"

namespace mindgap::decide {

/// The policy that the plans average and robust deploy: the best that was found for the members as they are
/// after what was seen, with their weights of now (mdp/several_models.h), from where the units are or,
/// without units, from the simulator's start. Throws InvalidArgument where the belief is no ensemble.
mdp::Policy members_policy(const Plan& plan, const belief::Belief& belief,
                           std::span<const std::int32_t> unit_state, int threads);

/// About how many numbers of members are read to find it, for whoever must choose whether to.
double work_of_members_policy(const belief::Belief& belief);

}  // namespace mindgap::decide
