#include "mindgap/mdp/ahead.h"

namespace mindgap::mdp {

void Ahead::find(std::span<const std::int32_t> from, const Numbers& model,
                 std::span<const std::int32_t> pair_of_state, double least) {
  weight_.resize(pair_of_state.size());
  waits_.resize(pair_of_state.size());
  for (const std::int32_t s : states_) weight_[s] = 0;
  states_.clear();
  waiting_.clear();
  const auto reach = [&](std::int32_t state, double weight) {
    if (weight < least || weight <= weight_[state]) return;
    if (weight_[state] == 0) states_.push_back(state);
    weight_[state] = weight;
    if (waits_[state]) return;
    waits_[state] = 1;
    waiting_.push_back(state);
  };
  for (const std::int32_t s : from) reach(s, 1);
  std::size_t at = 0;
  while (at < waiting_.size()) {  // it grows on the way
    const std::int32_t s = waiting_[at++];
    waits_[s] = 0;
    const double discounted = model.shape.discount() * weight_[s];
    for (const std::int64_t j : model.shape.entries_of(pair_of_state[s]))
      reach(model.shape.next_state()[j], discounted * model.probability[j]);
  }
}

}  // namespace mindgap::mdp
