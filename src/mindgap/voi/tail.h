#pragma once

#include <span>
#include <vector>

namespace mindgap::voi {

/// The mean of the worst `share` of some values (conditional value at risk, expected shortfall): with q the
/// share-quantile, mean of q - max(q - v, 0) / share (Rockafellar and Uryasev 2000). 0 < share <= 1; at 1 it
/// is the mean. What of a value lies on the border counts in part.
double tail_mean(std::span<const double> values, double share);

/// q - max(q - v, 0) / share for each value: their mean is tail_mean(), and their spread is that of its
/// influence function, so that a paired t interval of the difference of two plans' tail values is the one of
/// the difference of their tail means (asymptotically; for samples of which some tens lie in the tail:
/// docs/math/voi.md has the coverage that was measured). At share 1 the values themselves.
std::vector<double> tail_values(std::span<const double> values, double share);

}  // namespace mindgap::voi
