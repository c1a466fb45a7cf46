#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/decide/decide.h"

namespace mindgap::decide {

/// A stated number that is varied.
enum class TornadoInput {
  reward_sd,
  transition_strength,
  odds,
  drift_sd,
  reward_variance,
  discount,  // 1 less it
  horizon,
  units,
  pilot_cost,
  unit_cost,
  unit_step_cost,
  pair_cost,
  delay,
  uptake,
};

/// What it is at one end: so many times what is stated, or a value of its own.
struct TornadoSetting {
  enum class What { stated, times, value } what = What::stated;
  double number = 1;
};

/// The decision at one end of what a stated number may be.
struct TornadoEnd {
  TornadoSetting setting = {};
  double gain = 0;  // of the recommended plan over the other one
  stats::Interval interval = {};
  Kind leaning = Kind::deploy;  // by the means, of these two plans
};

struct TornadoBar {
  TornadoInput input;
  std::optional<TornadoEnd> low, high;  // none: no such setting, or the plans do not exist there
  double swing = 0;                     // largest difference between gains: of the ends and of the decision
};

/// One-way sensitivity: each stated number at half and at twice of what it is (and what fits others), all
/// else as it is, with the same worlds' numbers (common random numbers).
struct Tornado {
  std::int64_t worlds = 0;
  std::size_t plan = 0, other = 0;     // places in Decision::plans
  TornadoEnd here;                     // as stated, on the same worlds
  std::vector<TornadoBar> bars;        // the widest swing first
  std::vector<TornadoInput> left_out;  // inputs that there was no time for, or that were interrupted
};

/// Of the decision's recommended plan against the best of another kind; empty where there is none. By a fixed
/// number of worlds; only the listener ends it early. The rest is what the situation's knowledge was
/// gathered from.
std::optional<Tornado> tornado(const mdp::Model& model, const Situation& situation,
                               const DecideOptions& options, const Decision& decision,
                               const std::optional<std::vector<double>>& coverage,
                               const std::optional<mdp::ObservationLog>& log,
                               const belief::PriorOverrides& prior, std::int64_t worlds = 128);

}  // namespace mindgap::decide
