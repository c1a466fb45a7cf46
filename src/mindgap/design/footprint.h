#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/design/constraints.h"

// What single units on routes do, for those who hand routes out. Not part of the library's interface.
namespace mindgap::design {

/// What one unit on one route from one state is expected to do.
struct Footprint {
  std::vector<std::int32_t> pair;  // those it may take
  std::vector<double> count;
  std::vector<double> left;  // its part of every row of the constraints: linear ones, then capacities by step
};

/// Numbers by place, few of them not 0.
class Sparse {
 public:
  explicit Sparse(std::int32_t size) : value_(static_cast<std::size_t>(size), 0.0) {}
  void add(std::int32_t i, double p) {
    if (p == 0) return;
    if (value_[i] == 0) touched_.push_back(i);
    value_[i] += p;
  }
  void clear() {
    for (const std::int32_t i : touched_) value_[i] = 0;
    touched_.clear();
  }
  double operator[](std::int32_t i) const { return value_[i]; }
  std::span<const std::int32_t> touched() const { return touched_; }

 private:
  std::vector<double> value_;
  std::vector<std::int32_t> touched_;
};

/// Follows one unit on a route; keeps its room between walks.
class Walk {
 public:
  explicit Walk(const mdp::Mdp& mdp) : mdp_(mdp), now_(mdp.states()), next_(mdp.states()) {}

  /// visit(step, state, pair, probability), from each of `from` with certainty.
  template <typename Visit>
  void operator()(std::span<const std::int32_t> pair, std::int64_t steps, std::span<const std::int32_t> from,
                  Visit visit) {
    const auto states = static_cast<std::size_t>(mdp_.states());
    now_.clear();
    for (const std::int32_t s : from) now_.add(s, 1);
    for (std::int64_t step = 0; step < steps; ++step) {
      next_.clear();
      for (const std::int32_t s : now_.touched()) {
        const std::int32_t k = pair[static_cast<std::size_t>(step) * states + static_cast<std::size_t>(s)];
        visit(step, s, k, now_[s]);
        for (const std::int64_t i : mdp_.entries_of(k)) {
          next_.add(mdp_.next_state()[i], now_[s] * mdp_.probability()[i]);
        }
      }
      std::swap(now_, next_);
    }
  }

 private:
  const mdp::Mdp& mdp_;
  Sparse now_, next_;
};

/// Footprints of units of one pilot; both arguments must outlive it.
class Footprints {
 public:
  Footprints(const Occupancy& pilot, const Constraints& constraints)
      : pilot_(pilot), constraints_(constraints), walk_(pilot.mdp()), counts_(pilot.mdp().pairs()) {}

  /// Of a unit that begins in `from` on a route, pair[step * states + state].
  Footprint of(std::span<const std::int32_t> pair, std::int32_t from);

 private:
  const Occupancy& pilot_;
  const Constraints& constraints_;
  Walk walk_;
  Sparse counts_;
};

}  // namespace mindgap::design
