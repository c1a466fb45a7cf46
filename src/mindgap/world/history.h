#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/world/hidden_model.h"

namespace mindgap::world {

/// A log of what history did, one row per unit and step, in that order; without the hidden states.
struct History {
  std::vector<std::int64_t> unit, step;
  std::vector<std::int32_t> state, pair;
  std::vector<double> reward;
  std::vector<std::int32_t> next_state;

  bool operator==(const History&) const = default;
};

/// Where the hidden state comes from after the first step.
enum class HistoryHidden {
  kernel,       // from the joint kernel, as in the world
  calibration,  // drawn afresh from P_calib(.|s'): then every row, not only the first of a unit, has the law
                // whose limit the calibration kernel is
};

/// Units that start from the start distribution with h ~ P_calib(.|s), take actions from behaviour(.|s,h),
/// and move by the joint kernel. Where the kernel itself redraws h from the deployment law, only the first
/// step of a unit follows the calibration law; HistoryHidden::calibration keeps history in its own regime.
/// Streams: key (seed, Purpose::world, trial 2^64 - 1, unit, step), four words a step; no trial shares them.
History sample_history(const HiddenModel& world, std::uint64_t seed, std::int64_t units, std::int64_t steps,
                       HistoryHidden hidden = HistoryHidden::kernel);

}  // namespace mindgap::world
