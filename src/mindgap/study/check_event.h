#pragma once

#include <span>

#include "mindgap/study/earlier_states.h"

namespace mindgap::study {

/// The part of verify() that is about one event: throws StoreError, or what the JSON parser throws, unless
/// the event follows from `state`, the log before it.
void check_event(const State& state, const Event& event, std::span<const UnitRow> units,
                 std::span<const AssignmentRow> assignments, std::span<const ObservationRow> observations,
                 EarlierStates& earlier, int threads);

}  // namespace mindgap::study
