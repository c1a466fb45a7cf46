#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/belief/belief.h"

// What a prior says about the world when nobody has looked yet: a prior that is too wide promises what no
// world will pay, and everything that is computed from it rests on that promise.
namespace mindgap::gap {

struct PriorImpliesOptions {
  std::int64_t draws = 0;  // models; 0: kImpliedDraws, fewer for large models
  std::int64_t steps = 0;  // of the horizon; 0: for ever, with the model's discount (below 1)
  bool discounted = true;  // with `steps`: whether later rewards count less
  /// Units per state at the beginning; empty: one, by the start distribution.
  std::vector<double> positions = {};
  base::Run run = {};  // whether to stop is asked between batches, from the calling thread
};

constexpr std::int64_t kImpliedDraws = 64;

/// A pair and what it adds to the value of the drawn models' best policies: the mean over the draws of
/// visits(pair) * (drawn mean reward - simulated mean reward). With an ensemble what is simulated is the
/// member that a model is drawn around: that members differ is what they claim, not an invention.
struct InventedValue {
  std::int32_t pair = 0;
  double value = 0;
};

struct PriorImplies {
  std::int64_t draws = 0, steps = 0;
  /// Value of the simulator's best and worst policy; of an ensemble, the best ones of the members that the
  /// models are drawn around, on average, and the worst one of the mean model.
  double simulator_best = 0, simulator_worst = 0;
  bool of_members = false;
  double mean = 0, standard_error = 0;  // of the value of the best policy of a drawn model, in that model
  double lower = 0, upper = 0;          // its 10th and 90th percentile
  /// Smallest and largest mean reward that the simulator (any member of an ensemble) has, or that a pair
  /// showed in the log.
  std::array<double, 2> shown{0, 0};
  double outside = 0;                   // share of all drawn mean rewards that lie outside of that
  std::vector<InventedValue> invented;  // the three pairs that add most, where they add anything
  /// Drawn models are worth more than half again the simulator's best:
  ///   mean - simulator_best > 1/2 max(|simulator_best|, (simulator_best - simulator_worst)/10).
  /// The second term is for values near 0 (gains and costs that cancel), where any difference would be large
  /// against the value itself.
  bool too_good = false;
};

/// Models are belief.sample(seed, 2^59), ... The value is over `steps` from the positions. Throws
/// InvalidArgument where the discount is 1 and no steps are given.
PriorImplies prior_implies(const belief::Belief& belief, const PriorImpliesOptions& options = {});

}  // namespace mindgap::gap
