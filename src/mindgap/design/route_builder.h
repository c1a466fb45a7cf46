#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mindgap/design/objective.h"
#include "mindgap/design/occupancy.h"

// A route for one unit, built forward. Not part of the library's interface.
namespace mindgap::design {

/// Backward induction with one price per pair at every step, for a unit that began in `start`: after t steps
/// it is at most t moves away from there, and nobody asks about other states.
class Lookahead {
 public:
  Lookahead(const mdp::Mdp& mdp, std::int32_t start, std::int64_t steps);

  /// The best pairs of the states where it may be after `gone` steps, with `steps` to go. Minus infinity is
  /// the price of a pair that is not allowed. `toll` (empty: none) is taken off per visit,
  /// [step * states + state].
  std::span<const std::int32_t> best(std::span<const double> price, std::int64_t gone, std::int64_t steps,
                                     std::span<const double> toll = {});

 private:
  const mdp::Mdp& mdp_;
  std::vector<std::int32_t> near_;   // by their distance from the start
  std::vector<std::size_t> within_;  // how many are at most 0, 1, ... moves away
  std::vector<double> now_, after_;
  std::vector<std::int32_t> best_;
};

/// What a route is built for.
struct RouteWish {
  std::span<const double> others = {};           // what everybody else observes, per pair
  std::int32_t state = 0;                        // where the unit begins
  std::span<const std::uint8_t> forbidden = {};  // per pair; empty: none
  std::span<const double> factor = {};           // of the worth of each pair; empty: 1
  std::span<const double> pair_toll = {};        // taken off the worth of each pair; empty: none
  std::span<const double> step_toll = {};        // the same per visit, [step * states + state]; empty: none
  std::span<const std::int32_t> prefix = {};     // a route whose first `keep` steps are kept; empty: none
  std::int64_t keep = 0;
  /// Worths above this count for little more: looking ahead, a pair that is seen again and again seems worth
  /// its first look every time, so that a unit hurries past good pairs to the best one.
  double cap = std::numeric_limits<double>::infinity();
  std::int32_t first = -1;  // the pair to take right after those, in its state; -1: none
};

/// At each step the actions that are best for the steps left, the price of a pair being what one more
/// observation of it would take off f, given the others' counts and what this route has observed on the way,
/// less its tolls.
std::vector<std::int32_t> build_route(const Objective& objective, const Occupancy& pilot,
                                      const RouteWish& wish);

/// Transitions that building one route looks at.
double work_of_route(const Occupancy& pilot);

}  // namespace mindgap::design
