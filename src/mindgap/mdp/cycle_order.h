#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/numbers.h"

namespace mindgap::mdp {

/// Some states of a model in the order in which the values of a policy are carried from one to the next.
///
/// Each state has the successor that the policy most likely leads to. Following those, one ends up in a
/// cycle, or leaves the states that are ordered. First come the states of the cycles, then those that lead
/// out, then all others by their distance from one of these. A basin is the set of states from which one ends
/// up in the same cycle, or leaves from the same state.
class CycleOrder {
 public:
  /// `states`: each once. `model` and `pair_of_state` are for the same states at every call.
  void find(std::span<const std::int32_t> states, const Numbers& model,
            std::span<const std::int32_t> pair_of_state);

  /// The states in their order.
  std::span<const std::int32_t> states() const { return states_; }
  std::size_t size() const { return states_.size(); }
  /// A state's place in the order, -1 where it has none.
  std::int32_t place(std::int32_t state) const { return where_[state].place; }

  std::size_t cycles() const { return cycle_begin_.size() - 1; }
  /// The places of a cycle's states, in the direction of the cycle.
  std::size_t cycle_begin(std::size_t cycle) const { return cycle_begin_[cycle]; }
  std::size_t cycle_end(std::size_t cycle) const { return cycle_begin_[cycle + 1]; }
  std::span<const std::int32_t> cycle(std::size_t i) const {
    return std::span(states_).subspan(cycle_begin(i), cycle_end(i) - cycle_begin(i));
  }

  bool on_cycle(std::size_t place) const { return place < cycle_begin_.back(); }
  /// By place; cycle i is in basin i.
  std::int32_t basin(std::size_t place) const { return basin_[place]; }
  std::size_t basins() const { return basins_; }
  /// The basin of a state, -1 where it has none.
  std::int32_t basin_of(std::int32_t state) const { return where_[state].basin; }
  /// The probability that a pair leads from a place to later places of the same basin. No branches: where a
  /// move leads is as good as random.
  double later(std::size_t place, const Numbers& model, std::int32_t pair) const {
    const Where from{static_cast<std::int32_t>(place), basin_[place]};
    const std::int32_t* next_state = model.shape.next_state().data();
    double sum = 0;
    for (const std::int64_t j : model.shape.entries_of(pair)) {
      const Where to = where_[next_state[j]];
      const auto is_later =
          static_cast<unsigned>(to.basin == from.basin) & static_cast<unsigned>(to.place >= from.place);
      sum += model.probability[j] * is_later;
    }
    return sum;
  }
  /// By about how much the value of a place follows when the values of its cycle rise by 1; 0 for those who
  /// are more than a step away.
  double gain(std::size_t place) const { return place < gain_.size() ? gain_[place] : 0; }

 private:
  void find_successors(std::span<const std::int32_t> states, const Numbers& model,
                       std::span<const std::int32_t> pair_of_state);
  void add_cycles();
  void add_outwards();
  void find_gains(const Numbers& model, std::span<const std::int32_t> pair_of_state);

  struct Where {
    std::int32_t place = -1, basin = -1;
  };
  std::vector<std::int32_t> states_, basin_;
  std::vector<Where> where_;  // by state
  std::vector<std::size_t> cycle_begin_ = {0};
  std::size_t basins_ = 0;
  std::size_t near_end_ = 0;  // places on cycles, or a step away from one
  std::vector<double> gain_;
  // Room of find(), where states are numbered as they were given.
  std::vector<std::int32_t> next_;            // the likeliest successor, -1: not among them
  std::vector<std::int32_t> begin_, before_;  // those whose next a state is
  std::vector<std::int32_t> walk_;            // that first met a state; `kPlaced` once it is in the order
};

}  // namespace mindgap::mdp
