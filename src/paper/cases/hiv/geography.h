#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "paper/cases/hiv/options.h"

namespace mindgap::cases::hiv {

using Zone = std::int32_t;  // row * columns + column

/// The grid, its wall, and the ways through it. The same graph carries teams and infection.
class Geography {
 public:
  /// The options must be valid.
  explicit Geography(const HivOptions& options);

  std::int32_t zones() const { return static_cast<std::int32_t>(in_b_.size()); }
  std::int32_t rows() const { return rows_; }
  std::int32_t columns() const { return columns_; }
  Zone zone(std::int32_t row, std::int32_t column) const { return row * columns_ + column; }
  Cell cell(Zone zone) const { return {zone / columns_, zone % columns_}; }
  bool in_b(Zone zone) const { return in_b_[static_cast<std::size_t>(zone)] != 0; }
  std::span<const Zone> region_a() const { return region_a_; }
  std::span<const Zone> region_b() const { return region_b_; }
  /// Where a team can move in a day, beside staying: up, down, left, right, as far as they are there.
  std::span<const Zone> neighbours(Zone zone) const {
    const auto j = static_cast<std::size_t>(zone);
    return {neighbours_.data() + begin_[j], neighbours_.data() + begin_[j + 1]};
  }
  /// Up, down, left, right, stay (moves 0 to 4): the zone, or -1 where there is none.
  Zone after_move(Zone zone, std::int32_t move) const {
    return after_move_[static_cast<std::size_t>(zone)][static_cast<std::size_t>(move)];
  }
  /// Days of the shortest path; -1: there is none.
  std::int32_t distance(Zone from, Zone to) const { return distance_[pair(from, to)]; }
  /// Whether a team can be there after a day. Both are zones.
  bool near(Zone from, Zone to) const { return near_[pair(from, to)] != 0; }
  /// One day's step towards the target, at most one cell; stays where there is no way, or a blind team meets
  /// the wall.
  Zone step(Navigation navigation, Zone from, Zone target) const {
    const std::vector<std::uint8_t>& moves = navigation == Navigation::shortest ? shortest_ : blind_;
    return after_move(from, moves[pair(from, target)]);
  }
  /// "(4,7)"
  std::string name(Zone zone) const;
  /// Where the teams begin.
  std::vector<Zone> starts(Starts how, std::int32_t teams) const;

 private:
  std::size_t pair(Zone from, Zone to) const {
    return static_cast<std::size_t>(from) * in_b_.size() + static_cast<std::size_t>(to);
  }
  void find_distances();
  void find_steps();
  std::uint8_t blind_move(Zone from, Zone target) const;

  std::int32_t rows_, columns_;
  std::vector<std::uint8_t> in_b_;
  std::vector<Zone> region_a_, region_b_;
  std::vector<std::array<Zone, 5>> after_move_;
  std::vector<std::size_t> begin_;
  std::vector<Zone> neighbours_;
  std::vector<std::int32_t> distance_;
  std::vector<std::uint8_t> near_;              // per pair, whether a team can go there in a day
  std::vector<std::uint8_t> shortest_, blind_;  // moves, per pair
};

/// The first `count` of `zones` (distinct) by descending score, ties to the lowest number. `score` is per
/// zone.
std::vector<Zone> top_zones(std::span<const double> score, std::span<const Zone> zones, std::size_t count);
/// The same over all zones.
std::vector<Zone> top_zones(std::span<const double> score, std::size_t count);
/// As many as there is room for, which is at most one for each zone.
void top_zones(std::span<const double> score, std::span<Zone> best);

}  // namespace mindgap::cases::hiv
