#include "mindgap/mdp/cycle_order.h"

#include <algorithm>
#include <limits>

namespace mindgap::mdp {
namespace {
constexpr std::int32_t kPlaced = std::numeric_limits<std::int32_t>::max();
}

void CycleOrder::find(std::span<const std::int32_t> states, const Numbers& model,
                      std::span<const std::int32_t> pair_of_state) {
  for (const std::int32_t s : states_) where_[s] = {};
  where_.resize(pair_of_state.size());
  for (std::size_t i = 0; i < states.size(); ++i) where_[states[i]].place = static_cast<std::int32_t>(i);
  find_successors(states, model, pair_of_state);
  states_.clear();
  basin_.clear();
  add_cycles();
  add_outwards();
  for (std::size_t at = 0; at < states_.size(); ++at) {
    states_[at] = states[states_[at]];
    where_[states_[at]] = {static_cast<std::int32_t>(at), basin_[at]};
  }
  find_gains(model, pair_of_state);
}

void CycleOrder::find_successors(std::span<const std::int32_t> states, const Numbers& model,
                                 std::span<const std::int32_t> pair_of_state) {
  next_.resize(states.size());
  before_.resize(states.size());
  begin_.assign(states.size() + 2, 0);
  const double* p = model.probability.data();
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto entries = model.shape.entries_of(pair_of_state[states[i]]);
    const auto likeliest = std::max_element(p + entries.first(), p + entries.last()) - p;
    next_[i] = place(model.shape.next_state()[likeliest]);
    if (next_[i] >= 0) ++begin_[next_[i] + 2];
  }
  for (std::size_t i = 0; i < states.size(); ++i) begin_[i + 2] += begin_[i + 1];
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (next_[i] >= 0) before_[begin_[next_[i] + 1]++] = static_cast<std::int32_t>(i);
  }  // now begin_[i] is where those before i begin
}

void CycleOrder::add_cycles() {
  const auto size = static_cast<std::int32_t>(next_.size());
  walk_.assign(next_.size(), -1);
  cycle_begin_.assign(1, 0);
  for (std::int32_t first = 0; first < size; ++first) {
    std::int32_t i = first;
    while (i >= 0 && walk_[i] < 0) walk_[i] = first, i = next_[i];
    if (i < 0 || walk_[i] != first) continue;  // it leads out, or ran into an earlier walk
    const std::int32_t entry = i;
    do {
      states_.push_back(i);
      basin_.push_back(static_cast<std::int32_t>(cycles()));
      walk_[i] = kPlaced;
      i = next_[i];
    } while (i != entry);
    cycle_begin_.push_back(states_.size());
  }
}

void CycleOrder::add_outwards() {
  basins_ = cycles();
  for (std::size_t i = 0; i < next_.size(); ++i) {
    if (next_[i] >= 0) continue;
    states_.push_back(static_cast<std::int32_t>(i));
    basin_.push_back(static_cast<std::int32_t>(basins_++));
    walk_[i] = kPlaced;
  }
  for (std::size_t at = 0; at < states_.size(); ++at) {  // it grows on the way
    if (at == cycle_begin_.back()) near_end_ = states_.size();
    const std::int32_t i = states_[at], basin = basin_[at];
    for (std::int32_t j = begin_[i]; j < begin_[i + 1]; ++j) {
      if (walk_[before_[j]] == kPlaced) continue;
      states_.push_back(before_[j]);
      basin_.push_back(basin);
    }
  }
  if (states_.size() == cycle_begin_.back()) near_end_ = states_.size();
}

// The gain x of a state: x = g (sum over earlier places of p x' + later x), as if later ones had its own.
void CycleOrder::find_gains(const Numbers& model, std::span<const std::int32_t> pair_of_state) {
  const double g = model.shape.discount();
  gain_.assign(near_end_, 1);
  for (std::size_t i = cycle_begin_.back(); i < near_end_; ++i) {
    double earlier = 0;
    const std::int32_t pair = pair_of_state[states_[i]];
    for (const std::int64_t j : model.shape.entries_of(pair)) {
      const auto [n, basin] = where_[model.shape.next_state()[j]];
      const bool is_earlier = basin == basin_[i] && static_cast<std::size_t>(n) < i;
      earlier += is_earlier ? model.probability[j] * gain_[n] : 0;
    }
    gain_[i] = g * earlier / (1 - g * later(i, model, pair));
  }
}

}  // namespace mindgap::mdp
