#pragma once

#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"

namespace mindgap::gap {

/// The exploration priority index of each pair (paper Remark epi, main text):
///   d(s) [ (sigma^2 + beta^2) / Rmax^2 + g (S-1) / ((1-g) alpha) ]
/// with d the deployed policy's visitation (per state), sigma^2 the variance of the mean reward, beta the
/// (estimated) bias of the simulator's reward and alpha the strength of the transition row (all three per
/// pair). Without dimension: scaling all rewards changes nothing. It is 0 wherever the deployed policy does
/// not go, whatever the simulator gets wrong there: a readout of what matters to that policy, not a guide for
/// exploration. Where reward_max is 0 (a simulator without any rewards) the largest sqrt(sigma^2 + beta^2)
/// takes its place. Throws InvalidArgument unless 0 <= discount < 1 and sizes fit.
std::vector<double> exploration_priority(const mdp::Mdp& mdp, std::span<const double> visitation,
                                         std::span<const double> reward_variance,
                                         std::span<const double> bias,
                                         std::span<const double> transition_strength);

}  // namespace mindgap::gap
