#pragma once

#include <map>

#include "mindgap/study/decisions.h"

namespace mindgap::study {

/// The states of a log that decisions further on were made on (`as_of`), kept until those come. For a walk
/// over all events.
class EarlierStates {
 public:
  explicit EarlierStates(const Log& log) {
    for (const Event& event : log.events) {
      if (is_late(event)) ++wanted_[as_of(event)];
    }
  }
  /// To be called after each event.
  void look(std::int64_t number, const State& state) {
    if (wanted_.contains(number)) kept_.emplace(number, state);
  }
  /// What a decision was made on, or null: it says something that cannot be. `now` is the state before it.
  const State* of(const Event& event, const State& now) const {
    if (!is_late(event)) return &now;
    const auto found = kept_.find(as_of(event));
    return found == kept_.end() ? nullptr : &found->second;
  }
  void forget(const Event& event) {
    if (is_late(event) && --wanted_[as_of(event)] == 0) kept_.erase(as_of(event));
  }

 private:
  static bool is_late(const Event& event) {
    return is_decision(event.kind) && as_of(event) != event.number - 1;
  }
  std::map<std::int64_t, int> wanted_;  // by the number of an event: decisions to come
  std::map<std::int64_t, State> kept_;
};

}  // namespace mindgap::study
