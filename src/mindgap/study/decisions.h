#pragma once

#include "mindgap/study/summary.h"

// The events that are decisions, as functions of the state before them: made when they are taken, and again
// by verify. Time, program and number are left to the writer.
namespace mindgap::study {

/// Whether events of this kind are made here: design, redesign, update and stop.
bool is_decision(std::string_view kind);

/// The first design.
Event decide_design(const State& state, int threads = 0);
/// A new one, with the look it was made on; without `explore` a new policy for everybody.
Event decide_redesign(const State& state, const Summary& look, bool explore, int threads = 0);
/// A new policy between designs, for everybody who follows it: routes stay.
Event decide_update(const State& state, int threads = 0);
Event decide_stop(const Summary& look, const std::string& why);

/// A decision may take long, and results are recorded meanwhile: it is then of the log up to an earlier
/// event, which its content names (`as_of`). Results, conflicts and people may come between; they count from
/// the next decision on. Says so in an event's content, unless nothing came between.
Event with_as_of(Event event, std::int64_t as_of, std::int64_t number);
/// The number of the event up to which a decision knows the log.
std::int64_t as_of(const Event& event);
/// Whether a decision made when the log stood at `then` may be added where it stands at `now`: nobody was
/// assigned anything or joined, no decision was taken, no state was added, and every unit that had its
/// results in is where it was.
bool still_holds(const State& then, const State& now);

}  // namespace mindgap::study
