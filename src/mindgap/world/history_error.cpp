#include "mindgap/world/history_error.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mindgap/base/parallel.h"

namespace mindgap::world {
namespace {

// A change of every probability of h by no more than this is rounding, and counts as none.
constexpr double kRounding = 1e-13;

class Comparison {
 public:
  explicit Comparison(const HiddenModel& world)
      : world_(world),
        mass_(static_cast<std::size_t>(world.states()) * static_cast<std::size_t>(world.hidden())),
        seen_(static_cast<std::size_t>(world.states())),
        change_(static_cast<std::size_t>(world.hidden())),
        difference_(static_cast<std::size_t>(world.states())) {}

  /// Over the previous pairs of states begin .. end-1.
  HistoryError run(std::int32_t begin, std::int32_t end) {
    for (std::int32_t s0 = begin; s0 < end; ++s0) {
      for (const std::int32_t k0 : world_.pairs_of(s0)) {
        step_from(s0, k0);
        for (const std::int32_t s : reached_) {
          if (read_change(s)) compare(s, k0);
          seen_[s] = false;
        }
      }
    }
    return result_;
  }

 private:
  // mass_(s,h) = sum_h0 P_t(h0|s0) K(s,h|s0,a0,h0), and which s have any.
  void step_from(std::int32_t s0, std::int32_t k0) {
    reached_.clear();
    for (std::int32_t h0 = 0; h0 < world_.hidden(); ++h0) {
      const double weight = world_.deployment()[world_.cell(s0, h0)];
      if (weight == 0) continue;
      const std::size_t cell = world_.cell(k0, h0);
      for (const std::int64_t i : world_.entries_of(cell)) {
        const std::int32_t s = world_.next_state()[i];
        if (!seen_[s]) {
          seen_[s] = true;
          reached_.push_back(s);
        }
        mass_[world_.cell(s, world_.next_hidden()[i])] += weight * world_.probability()[i];
      }
    }
  }

  // change_(h) = P(h|s0,a0,s) - P_t(h|s); clears mass_ behind it. Returns whether there is any.
  bool read_change(std::int32_t s) {
    double sum = 0, law_sum = 0, most = 0;
    for (std::int32_t h = 0; h < world_.hidden(); ++h) {
      sum += mass_[world_.cell(s, h)];
      law_sum += world_.deployment()[world_.cell(s, h)];
    }
    for (std::int32_t h = 0; h < world_.hidden(); ++h) {
      double& mass = mass_[world_.cell(s, h)];
      // A mass that underflowed says nothing.
      change_[h] = sum > 0 ? mass / sum - world_.deployment()[world_.cell(s, h)] / law_sum : 0;
      most = std::max(most, std::abs(change_[h]));
      mass = 0;
    }
    return most > kRounding;
  }

  void compare(std::int32_t s, std::int32_t previous) {
    for (const std::int32_t k : world_.pairs_of(s)) {
      double reward = 0;
      for (std::int32_t h = 0; h < world_.hidden(); ++h) {
        reward += change_[h] * world_.reward()[world_.cell(k, h)];
      }
      keep(result_.reward, std::abs(reward), previous, k);
      keep(result_.transition, row_difference(k), previous, k);
    }
  }

  // sum_s' |sum_h change(h) sum_h' K(s',h'|s,a,h)|
  double row_difference(std::int32_t k) {
    touched_.clear();
    for (std::int32_t h = 0; h < world_.hidden(); ++h) {
      if (change_[h] == 0) continue;
      const std::size_t cell = world_.cell(k, h);
      for (const std::int64_t i : world_.entries_of(cell)) {
        const std::int32_t next = world_.next_state()[i];
        if (difference_[next] == 0) touched_.push_back(next);
        difference_[next] += change_[h] * world_.probability()[i];
      }
    }
    double sum = 0;
    for (const std::int32_t next : touched_) {  // a state may be listed twice; it counts once
      sum += std::abs(difference_[next]);
      difference_[next] = 0;
    }
    return sum;
  }

  static void keep(HistoryErrorPart& largest, double value, std::int32_t previous, std::int32_t pair) {
    if (value > largest.value) largest = {value, previous, pair};
  }

  const HiddenModel& world_;
  std::vector<double> mass_;
  std::vector<bool> seen_;
  std::vector<std::int32_t> reached_, touched_;
  std::vector<double> change_, difference_;
  HistoryError result_;
};

}  // namespace

HistoryError history_error(const HiddenModel& world, int threads) {
  constexpr std::int64_t kPieces = 64;
  return base::parallel_reduce(
      base::Threads(threads), world.states(), (world.states() + kPieces - 1) / kPieces, HistoryError{},
      [&](std::int64_t begin, std::int64_t end) {
        return Comparison(world).run(static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end));
      },
      [](HistoryError sum, const HistoryError& part) {
        if (part.reward.value > sum.reward.value) sum.reward = part.reward;
        if (part.transition.value > sum.transition.value) sum.transition = part.transition;
        return sum;
      });
}

}  // namespace mindgap::world
