#include "mindgap/world/drifting_world.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"

namespace mindgap::world {

DriftingWorld::DriftingWorld(const HiddenModel& model, std::uint64_t seed, std::uint64_t trial,
                             std::int64_t units, RewardDrift drift)
    : still_(model, seed, trial, units),
      drift_(std::move(drift)),
      steps_(static_cast<std::size_t>(units), 0),
      deviation_(drift_.first) {
  const auto pairs = static_cast<std::size_t>(model.pairs());
  base::check_range("DriftingWorld", "rate", drift_.rate, 0, .999);
  base::check_size("DriftingWorld", "first", drift_.first.size(), pairs);
  base::check_size("DriftingWorld", "sd", drift_.sd.size(), pairs);
  base::check_nonnegative("DriftingWorld", "sd", drift_.sd);
  for (const double d : drift_.first) base::check_finite("DriftingWorld", "first", d);
  if (drift_.moves_with.empty()) {
    for (std::int32_t k = 0; k < model.pairs(); ++k) drift_.moves_with.push_back(k);
  }
  base::check_size("DriftingWorld", "moves_with", drift_.moves_with.size(), pairs);
  for (const std::int32_t z : drift_.moves_with)
    base::check_range("DriftingWorld", "moves_with", z, 0, static_cast<double>(pairs) - 1);
  for (std::uint64_t z = 0; z < pairs; ++z)
    streams_.emplace_back(base::StreamKey{.seed = seed,
                                          .purpose = base::Purpose::world,
                                          .trial = trial,
                                          .unit = z,
                                          .step = ~std::uint64_t{0} - 2});
  path_.emplace_back(pairs, 0.0);
}

std::int32_t DriftingWorld::reset(std::int64_t unit) {
  const std::int32_t state = still_.reset(unit);
  steps_[static_cast<std::size_t>(unit)] = 0;
  return state;
}

Observation DriftingWorld::step(std::int64_t unit, std::int32_t pair) {
  Observation seen = still_.step(unit, pair);
  seen.reward += shift(steps_[static_cast<std::size_t>(unit)]++)[static_cast<std::size_t>(pair)];
  return seen;
}

std::span<const double> DriftingWorld::shift(std::int64_t step) const {
  const std::scoped_lock lock(mutex_);
  const double keep = 1 - drift_.rate, fresh = std::sqrt(1 - keep * keep);
  while (static_cast<std::int64_t>(path_.size()) <= step) {
    std::vector<double> z;
    for (base::Stream& stream : streams_) z.push_back(base::normal(stream));
    std::vector<double> shift(deviation_.size());
    for (std::size_t k = 0; k < shift.size(); ++k) {
      deviation_[k] = keep * deviation_[k] + fresh * drift_.sd[k] * z[drift_.moves_with[k]];
      shift[k] = deviation_[k] - drift_.first[k];
    }
    path_.push_back(std::move(shift));
  }
  return path_[static_cast<std::size_t>(step)];
}

}  // namespace mindgap::world
