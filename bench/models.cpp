#include "models.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::bench {
namespace {

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): enough for made-up models.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)

  std::int32_t below(std::int32_t bound) {
    return std::min(static_cast<std::int32_t>(uniform() * bound), bound - 1);
  }

 private:
  std::uint64_t state_;
};

// Makes the weights sum to 1 within an ulp or two: what rounding leaves goes to the largest.
void normalise(std::span<double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& w : weights) w /= sum;
  *std::max_element(weights.begin(), weights.end()) +=
      1 - std::accumulate(weights.begin(), weights.end(), 0.0);
}

// An MdpArrays with every action available everywhere and room for `row_length` entries in each row; the rows
// are then appended in order of state and action.
class Rows {
 public:
  Rows(std::int32_t states, std::int32_t actions, std::int32_t row_length, double discount) {
    const std::size_t pairs = static_cast<std::size_t>(states) * static_cast<std::size_t>(actions);
    arrays_.discount = discount;
    arrays_.actions = actions;
    for (std::int32_t s = 0; s <= states; ++s) arrays_.pair_begin.push_back(s * actions);
    arrays_.pair_action.reserve(pairs);
    arrays_.reward.reserve(pairs);
    arrays_.row_begin.reserve(pairs + 1);
    arrays_.row_begin.push_back(0);
    arrays_.next_state.reserve(pairs * static_cast<std::size_t>(row_length));
    arrays_.probability.reserve(pairs * static_cast<std::size_t>(row_length));
  }

  void add(std::span<const std::int32_t> next, std::span<const double> probability, double reward) {
    arrays_.pair_action.push_back(static_cast<std::int32_t>(arrays_.pair_action.size()) % arrays_.actions);
    arrays_.reward.push_back(reward);
    arrays_.next_state.insert(arrays_.next_state.end(), next.begin(), next.end());
    arrays_.probability.insert(arrays_.probability.end(), probability.begin(), probability.end());
    arrays_.row_begin.push_back(static_cast<std::int64_t>(arrays_.next_state.size()));
  }

  mdp::Mdp build() && { return mdp::Mdp(std::move(arrays_)); }

 private:
  mdp::MdpArrays arrays_;
};

// `count` different numbers below `bound`, ascending.
void draw_distinct(SplitMix64& random, std::int32_t bound, std::size_t count,
                   std::vector<std::int32_t>& drawn) {
  drawn.clear();
  while (drawn.size() < count) {
    const std::int32_t value = random.below(bound);
    const auto place = std::lower_bound(drawn.begin(), drawn.end(), value);
    if (place == drawn.end() || *place != value) drawn.insert(place, value);
  }
}

// The cells of a square that are not walls, and how one walks among them.
class Grid {
 public:
  Grid(std::int32_t side, double wall_share, std::uint64_t seed)
      : side_(side), open_(static_cast<std::size_t>(side) * static_cast<std::size_t>(side)) {
    SplitMix64 random(seed);
    for (auto&& open : open_) open = random.uniform() >= wall_share;
  }

  std::int32_t cells() const { return side_ * side_; }

  // The cell reached by a move (0 up, 1 down, 2 left, 3 right), or the same cell where the way is blocked.
  std::int32_t step(std::int32_t cell, std::int32_t move) const {
    const std::int32_t row = cell / side_ + (move == 1) - (move == 0);
    const std::int32_t column = cell % side_ + (move == 3) - (move == 2);
    const bool inside = row >= 0 && row < side_ && column >= 0 && column < side_;
    const std::int32_t next = row * side_ + column;
    return inside && open_[static_cast<std::size_t>(next)] ? next : cell;
  }

  // The largest connected set of open cells, ascending.
  std::vector<std::int32_t> largest_region() const {
    std::vector<bool> seen(open_.size());
    std::vector<std::int32_t> largest, region;
    for (std::int32_t seed = 0; seed < cells(); ++seed) {
      if (!open_[seed] || seen[seed]) continue;
      region.assign(1, seed);
      seen[seed] = true;
      for (std::size_t i = 0; i < region.size(); ++i) {
        for (std::int32_t move = 0; move < 4; ++move) {
          const std::int32_t next = step(region[i], move);
          if (!seen[next]) region.push_back(next);
          seen[next] = true;
        }
      }
      if (region.size() > largest.size()) largest.swap(region);
    }
    std::sort(largest.begin(), largest.end());
    return largest;
  }

  std::int32_t steps_to_corner(std::int32_t cell) const {
    return 2 * (side_ - 1) - cell / side_ - cell % side_;
  }

 private:
  std::int32_t side_;
  std::vector<bool> open_;
};

// The two grid points around a place and the share of the upper one.
struct Between {
  std::int32_t lower, upper;
  double share;
};

Between between_wrapped(double place, std::int32_t size) {
  const double floor = std::floor(place);
  const std::int32_t lower = ((static_cast<std::int32_t>(floor) % size) + size) % size;
  return {lower, (lower + 1) % size, place - floor};
}

Between between_clipped(double place, std::int32_t size) {
  const std::int32_t lower = std::clamp(static_cast<std::int32_t>(std::floor(place)), 0, size - 2);
  return {lower, lower + 1, std::clamp(place - lower, 0.0, 1.0)};
}

}  // namespace

mdp::Mdp random_sparse(std::int32_t states, std::int32_t actions, std::int32_t successors, double discount,
                       std::uint64_t seed) {
  if (states < successors) throw InvalidArgument("random_sparse: fewer states than successors");
  SplitMix64 random(seed);
  Rows rows(states, actions, successors, discount);
  std::vector<std::int32_t> next;
  std::vector<double> weight(static_cast<std::size_t>(successors));
  for (std::int64_t pair = 0; pair < static_cast<std::int64_t>(states) * actions; ++pair) {
    draw_distinct(random, states, weight.size(), next);
    for (double& w : weight) w = 1 - random.uniform();
    normalise(weight);
    rows.add(next, weight, random.uniform());
  }
  return std::move(rows).build();
}

mdp::Mdp lumpable(std::int32_t states, std::int32_t classes, double discount, std::uint64_t seed) {
  constexpr std::int32_t kActions = 4;
  constexpr std::size_t kSuccessors = 5;
  if (classes < static_cast<std::int32_t>(kSuccessors) || states < classes)
    throw InvalidArgument("lumpable: expected 5 classes or more, and no fewer states");
  const mdp::Mdp small = random_sparse(classes, kActions, kSuccessors, discount, seed);
  SplitMix64 random(seed + 1);
  Rows rows(states, kActions, kSuccessors, discount);
  std::vector<std::pair<std::int32_t, double>> row;
  std::vector<std::int32_t> next(kSuccessors);
  std::vector<double> probability(kSuccessors);
  for (std::int32_t s = 0; s < states; ++s) {
    for (const std::int32_t k : small.pairs_of(s % classes)) {
      row.clear();
      for (const std::int64_t i : small.entries_of(k)) {
        const std::int32_t c = small.next_state()[i];
        row.emplace_back(c + classes * random.below((states - 1 - c) / classes + 1), small.probability()[i]);
      }
      std::sort(row.begin(), row.end());
      for (std::size_t i = 0; i < kSuccessors; ++i) std::tie(next[i], probability[i]) = row[i];
      // Ten rewards: classes are told apart by where they lead.
      rows.add(next, probability, std::floor(10 * small.reward()[k]));
    }
  }
  return std::move(rows).build();
}

mdp::Mdp maze(std::int32_t side, double wall_share, double discount, std::uint64_t seed) {
  constexpr std::array<std::array<std::int32_t, 3>, 4> kDirections = {
      {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}}};  // as intended, then to each side
  constexpr std::array<double, 3> kProbability = {.8, .1, .1};
  const Grid grid(side, wall_share, seed);
  const std::vector<std::int32_t> cells = grid.largest_region();
  std::vector<std::int32_t> state_of(static_cast<std::size_t>(grid.cells()), -1);
  for (std::size_t s = 0; s < cells.size(); ++s) state_of[cells[s]] = static_cast<std::int32_t>(s);
  const std::int32_t goal = *std::min_element(cells.begin(), cells.end(), [&](auto a, auto b) {
    return grid.steps_to_corner(a) < grid.steps_to_corner(b);
  });

  Rows rows(static_cast<std::int32_t>(cells.size()), 4, 3, discount);
  for (const std::int32_t cell : cells) {
    for (const auto& directions : kDirections) {
      if (cell == goal) {
        rows.add(std::array{state_of[goal]}, std::array{1.0}, 0);
        continue;
      }
      std::array<std::int32_t, 3> next;
      for (std::size_t i = 0; i < 3; ++i) next[i] = state_of[grid.step(cell, directions[i])];
      rows.add(next, kProbability, -1);
    }
  }
  return std::move(rows).build();
}

mdp::Mdp pendulum(std::int32_t angles, std::int32_t speeds, std::int32_t torques, double discount) {
  constexpr double kStep = .05, kMaxSpeed = 8, kMaxTorque = 2, kGravity = 10, kMass = 1, kLength = 1;
  const double angle_width = 2 * std::numbers::pi / angles;
  const double speed_width = 2 * kMaxSpeed / (speeds - 1);
  const double torque_width = 2 * kMaxTorque / (torques - 1);
  const double middle = (angles - 1) / 2.0;  // the grid point of angle 0

  Rows rows(angles * speeds, torques, 4, discount);
  for (std::int32_t i = 0; i < angles; ++i) {
    for (std::int32_t j = 0; j < speeds; ++j) {
      for (std::int32_t k = 0; k < torques; ++k) {
        const double angle = (i - middle) * angle_width;
        const double speed = j * speed_width - kMaxSpeed;
        const double torque = k * torque_width - kMaxTorque;
        const double push =
            3 * kGravity / (2 * kLength) * std::sin(angle) + 3 / (kMass * kLength * kLength) * torque;
        const double next_speed = std::clamp(speed + push * kStep, -kMaxSpeed, kMaxSpeed);
        const double next_angle = angle + next_speed * kStep;
        const Between a = between_wrapped(next_angle / angle_width + middle, angles);
        const Between v = between_clipped((next_speed + kMaxSpeed) / speed_width, speeds);
        std::array<double, 4> weight = {(1 - a.share) * (1 - v.share), (1 - a.share) * v.share,
                                        a.share * (1 - v.share), a.share * v.share};
        normalise(weight);
        const std::array<std::int32_t, 4> next = {a.lower * speeds + v.lower, a.lower * speeds + v.upper,
                                                  a.upper * speeds + v.lower, a.upper * speeds + v.upper};
        rows.add(next, weight, -(angle * angle + .1 * speed * speed + .001 * torque * torque));
      }
    }
  }
  return std::move(rows).build();
}

mdp::Model two_regions(std::int32_t side, double discount, std::uint64_t seed) {
  constexpr std::array<std::array<std::int32_t, 2>, 4> kMoves = {{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
  SplitMix64 random(seed);
  mdp::MdpBuilder builder(discount);
  std::vector<double> coverage;
  const std::int32_t left_columns = (side + 1) / 2;
  const double left = static_cast<double>(side) * left_columns;  // cells
  for (std::int32_t cell = 0; cell < side * side; ++cell) {
    const std::int32_t row = cell / side, column = cell % side;
    mdp::StateOptions options{.x = column, .y = row};
    if (2 * column < side) options.start = 1 / left;
    builder.add_state(std::to_string(cell), options);
  }
  for (const char* move : {"up", "down", "left", "right"}) builder.add_action(move);
  for (std::int32_t cell = 0; cell < side * side; ++cell) {
    const std::int32_t row = cell / side, column = cell % side;
    const double pays = random.uniform();
    for (std::int32_t action = 0; action < 4; ++action) {
      for (std::int32_t move = 0; move < 4; ++move) {
        const std::int32_t r = row + kMoves[move][0], c = column + kMoves[move][1];
        const bool inside = r >= 0 && r < side && c >= 0 && c < side;
        builder.add_transition(cell, action, inside ? r * side + c : cell, move == action ? .85 : .05);
      }
      builder.set_reward(cell, action, pays + .02 * random.uniform());
      coverage.push_back(2 * column < side ? 100 : 0);
    }
  }
  mdp::PriorSpec prior;
  prior.reward_sd = .3;
  prior.transition_strength = 5;
  return {.name = "two regions",
          .mdp = builder.build(),
          .reward_variance = .25,
          .prior = prior,
          .coverage = std::move(coverage)};
}

}  // namespace mindgap::bench
