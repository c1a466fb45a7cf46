#pragma once

#include <cstdint>
#include <span>

#include "mindgap/base/run.h"
#include "mindgap/belief/belief.h"
#include "mindgap/design/design.h"
#include "mindgap/stats/interval.h"

// Is the next batch of an experiment worth its price?
namespace mindgap::decide {

/// The batch that is priced: the one that is assigned.
struct Batch {
  const belief::Belief& belief;                           // with everything that was observed so far
  std::span<const std::int32_t> unit_state;               // everybody's place now, the pilot's units first
  const design::Design& pilot;                            // of those units
  std::int64_t left = 0;                                  // steps until the end, the batch's included
  std::uint64_t seed = base::Run().seed, first_draw = 0;  // models belief.sample(seed, first_draw), ...
};

struct BatchPrice {
  std::int64_t explorers = 0, steps = 0;  // 0: there is nobody or nothing left to price
  std::int64_t draws = 0;                 // models drawn from what is known
  double worth = 0;                       // to all units, in the steps after the batch (planner::pilot_worth)
  double standard_error = 0;              // of it, over the models drawn
  double cost = 0;  // what the explorers give up for it (planner::pilot_cost), in the mean model
  double net = 0;   // worth - cost
  stats::Interval interval = {};  // 95 % of the net: -+ 1.96 standard errors of the drawing

  /// The rule: another batch as long as it is worth more than it costs.
  bool go_on() const { return net > 0; }
  /// Whether the interval leaves no doubt about that.
  bool certain() const { return interval.lower > 0 || interval.upper <= 0; }
};

/// Worth and cost by preposterior analysis (planner/explorers.h): what the batch's observations will make of
/// the policy, against what the explorers lose meanwhile. A function of its argument alone, one thread.
/// Beyond 4 million steps of explorers to be walked fewer models are drawn, 64 down to 8. Throws
/// InvalidArgument where the pilot has more units than there are, or takes longer than what is left.
BatchPrice price_batch(const Batch& batch);

}  // namespace mindgap::decide
