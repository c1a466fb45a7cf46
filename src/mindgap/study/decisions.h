#pragma once

#include "mindgap/study/summary.h"

// The events that are decisions, as functions of the state before them: made when they are taken, and again
// by verify. Time, program and number are left to the writer.
namespace mindgap::study {

/// The first design.
Event decide_design(const State& state, int threads = 0);
/// A new one, with the look it was made on; without `explore` a new policy for everybody.
Event decide_redesign(const State& state, const Summary& look, bool explore, int threads = 0);
/// A new policy between designs, for everybody who follows it: routes stay.
Event decide_update(const State& state, int threads = 0);
Event decide_stop(const Summary& look, const std::string& why);

}  // namespace mindgap::study
