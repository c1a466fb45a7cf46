#pragma once

#include "mindgap/decide/stopping.h"
#include "mindgap/study/state.h"

namespace mindgap::study {

/// The stopping rule of decide, for the batch that would be designed for the units as they stand: a function
/// of the log alone. Draws have the keys
/// (seed, ..., number of the results' commands): each look draws anew.
decide::BatchPrice next_batch_price(const State& state, const belief::Knowledge& now);

}  // namespace mindgap::study
