#include "mindgap/study/price.h"

#include "mindgap/study/assign.h"

namespace mindgap::study {

decide::BatchPrice next_batch_price(const State& state, const belief::Knowledge& now) {
  const NextPilot next = next_pilot(state, now);
  return decide::price_batch({now.now, next.unit_state, next.design, next.left, state.options.seed,
                              static_cast<std::uint64_t>(state.records) << 16});
}

}  // namespace mindgap::study
