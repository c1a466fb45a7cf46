#pragma once

namespace mindgap::stats {

struct Interval {
  double lower = 0, upper = 0;
};

}  // namespace mindgap::stats
