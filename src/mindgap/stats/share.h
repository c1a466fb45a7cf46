#pragma once

#include "mindgap/stats/interval.h"

namespace mindgap::stats {

/// Wilson's interval of a share of independent trials (Wilson, JASA 22:209, 1927): the shares p for which
/// |share - p| <= z sqrt(p (1 - p) / trials), cut to [0, 1]. `trials` > 0, `share` in [0, 1].
Interval share_interval(double share, double trials, double level);

}  // namespace mindgap::stats
