#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "mindgap/base/random.h"
#include "mindgap/world/tabular_world.h"

namespace mindgap::world {

/// How mean rewards move. Pair k's mean deviates from where it keeps returning to by d_0(k) at first, and per
/// step, with a = 1 - rate, d' = a d + sqrt(1 - a^2) sd z: an autoregression whose standard deviation is sd
/// in the long run.
struct RewardDrift {
  double rate = 0;                            // in [0, 1)
  std::vector<double> first;                  // d_0 per pair
  std::vector<double> sd;                     // per pair, >= 0
  std::vector<std::int32_t> moves_with = {};  // per pair, which z it has: its own where empty
};

/// A TabularWorld whose mean rewards drift: at step t (from 0) a unit gets d_t - d_0 more than there.
/// Transitions and the rest stand still. What moves is a function of the seed and the trial, the same for all
/// units and whoever acts. Streams have the key (seed, Purpose::world, trial, z, 2^64 - 3), one normal a
/// step.
class DriftingWorld final : public World {
 public:
  /// Throws InvalidArgument where the drift does not fit the model or a number is out of its domain.
  DriftingWorld(const HiddenModel& model, std::uint64_t seed, std::uint64_t trial, std::int64_t units,
                RewardDrift drift);

  std::int64_t units() const override { return still_.units(); }
  std::int32_t states() const override { return still_.states(); }
  std::span<const std::int32_t> pair_begin() const override { return still_.pair_begin(); }
  std::span<const std::int32_t> pair_action() const override { return still_.pair_action(); }

  std::int32_t reset(std::int64_t unit) override;
  std::int32_t state(std::int64_t unit) const override { return still_.state(unit); }
  Observation step(std::int64_t unit, std::int32_t pair) override;

  /// d_t - d_0 per pair; t >= 0. The span lives as long as the world.
  std::span<const double> shift(std::int64_t step) const;

 private:
  TabularWorld still_;
  RewardDrift drift_;
  std::vector<std::int64_t> steps_;  // taken by each unit
  mutable std::mutex mutex_;         // of the path, which grows as it is asked for
  mutable std::vector<base::Stream> streams_;
  mutable std::vector<double> deviation_;
  mutable std::deque<std::vector<double>> path_;
};

}  // namespace mindgap::world
