#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/world/hidden_model.h"

namespace mindgap::world {

/// What one reward of a pair tells about the hidden state, in a few bins: a plan that only asks in which bin
/// a reward fell has an exact value, which bounds from below what can be earned with the reward itself.
struct RewardBins {
  std::vector<double> cuts;                      // ascending; bin j holds cuts[j-1] <= reward < cuts[j]
  std::vector<std::vector<double>> probability;  // per bin and h

  std::size_t size() const { return probability.size(); }
};

/// At most this many bins where rewards are noisy; quarters of a normal law keep 88 % of what a reward says
/// about a small shift of its mean.
constexpr std::int64_t kRewardBins = 4;
/// At most this many where they are not.
constexpr std::int64_t kExactBins = 16;

/// Where rewards differ between hidden states: without noise, one bin for each mean (neighbours share one
/// where there are more than kExactBins); with noise, quantiles of the law in which all h are equally likely.
/// One bin where they do not differ.
RewardBins reward_bins(const HiddenModel& world, std::int32_t pair);

}  // namespace mindgap::world
