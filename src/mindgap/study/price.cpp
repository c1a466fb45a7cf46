#include "mindgap/study/price.h"

#include <algorithm>

namespace mindgap::study {

decide::BatchPrice next_batch_price(const State& state, const belief::Knowledge& now) {
  std::vector<std::int32_t> unit_state;  // explorers first; those without steps left are left out
  decide::Batch batch{now.now, {}};
  for (const Arm arm : {Arm::explore, Arm::control}) {
    for (std::size_t u = 0; u < state.units.size(); ++u) {
      const UnitPlace& place = state.places[u];
      if (state.units[u].arm != arm || place.next_step >= state.options.horizon) continue;
      unit_state.push_back(place.state >= 0 ? place.state
                                            : state.assignments[state.assignments_of_unit[u].back()].state);
      batch.left = std::max(batch.left, state.options.horizon - place.next_step);
      if (arm == Arm::explore) ++batch.explorers;
    }
  }
  batch.unit_state = unit_state;
  batch.steps = state.options.steps_of_batch();
  batch.seed = state.options.seed;
  batch.first_draw = static_cast<std::uint64_t>(state.records) << 16;
  return decide::price_batch(batch);
}

}  // namespace mindgap::study
