#include "mindgap/design/footprint.h"

namespace mindgap::design {

Footprint Footprints::of(std::span<const std::int32_t> pair, std::int32_t from) {
  const auto steps = static_cast<std::size_t>(pilot_.steps());
  const std::size_t linear = constraints_.linear.size();
  Footprint result;
  result.left.assign(linear + constraints_.capacity.size() * steps, 0.0);
  counts_.clear();
  walk_(pair, pilot_.steps(), std::span(&from, 1),
        [&](std::int64_t step, std::int32_t s, std::int32_t k, double p) {
          counts_.add(k, p);
          for (std::size_t c = 0; c < constraints_.capacity.size(); ++c) {
            if (constraints_.capacity[c].state != s) continue;
            result.left[linear + c * steps + static_cast<std::size_t>(step)] += p;
          }
        });
  result.pair.assign(counts_.touched().begin(), counts_.touched().end());
  for (const std::int32_t k : result.pair) result.count.push_back(counts_[k]);
  for (std::size_t c = 0; c < linear; ++c) {
    const LinearConstraint& row = constraints_.linear[c];
    for (std::size_t i = 0; i < row.pair.size(); ++i) {
      result.left[c] += row.coefficient[i] * counts_[row.pair[i]];
    }
  }
  return result;
}

}  // namespace mindgap::design
