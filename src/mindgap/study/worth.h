#pragma once

#include <cstdint>
#include <string_view>

#include "mindgap/study/state.h"

namespace mindgap::study {

/// What another batch would bring.
struct Worth {
  std::int64_t steps = 0;  // of the batch that is priced; 0: there are no explorers or no steps left
  std::int64_t explorers = 0;
  std::int64_t draws = 0;       // models drawn from what is known
  double worth = 0;             // to all units, in the steps after it (planner::pilot_worth)
  double standard_error = 0;    // of the worth, over the models drawn
  double cost = 0;              // what the explorers give up for it (planner::pilot_cost), in the mean model
  double net = 0;               // worth - cost
  double lower = 0, upper = 0;  // 95 %, of the net: -+ 1.96 standard errors of the drawing
};

/// Whether to go on: "pays" where the interval of the net lies above 0, "does not pay" where it lies below,
/// else "unclear".
enum class Verdict { pays, unclear, does_not_pay };
std::string_view to_string(Verdict verdict);
Verdict verdict_of(const Worth& worth);

/// The stopping rule: preposterior worth and cost of the next batch for the units as they stand, a function
/// of the log alone. Draws have the keys (seed, ..., number of the results' commands): each look draws anew.
/// Beyond `kWalks` steps of explorers to be walked, fewer models are drawn.
Worth next_batch_worth(const State& state, const belief::Knowledge& now);
constexpr double kWalks = 4e6;

}  // namespace mindgap::study
