#include "mindgap/cases/hiv/geography.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace mindgap::cases::hiv {
namespace {

constexpr std::array<Cell, 4> kMoves = {Cell{-1, 0}, Cell{1, 0}, Cell{0, -1}, Cell{0, 1}};

}  // namespace

Geography::Geography(const HivOptions& options) : rows_(options.rows), columns_(options.columns) {
  const auto open = [&](Cell from, Cell to) {
    if ((from.column < options.wall) == (to.column < options.wall)) return true;
    const auto& corridors = options.corridors;
    return from.row == to.row && std::find(corridors.begin(), corridors.end(), from.row) != corridors.end();
  };
  begin_.push_back(0);
  for (Zone j = 0; j < rows_ * columns_; ++j) {
    const Cell here = cell(j);
    in_b_.push_back(here.column >= options.wall ? 1 : 0);
    (in_b_.back() != 0 ? region_b_ : region_a_).push_back(j);
    std::array<Zone, 5>& after = after_move_.emplace_back();
    after = {-1, -1, -1, -1, j};
    for (std::size_t move = 0; move < kMoves.size(); ++move) {
      const Cell there = {here.row + kMoves[move].row, here.column + kMoves[move].column};
      if (there.row < 0 || there.row >= rows_ || there.column < 0 || there.column >= columns_) continue;
      if (!open(here, there)) continue;
      after[move] = zone(there.row, there.column);
      neighbours_.push_back(after[move]);
    }
    begin_.push_back(neighbours_.size());
  }
  find_distances();
  find_steps();
}

// Breadth-first search from every zone.
void Geography::find_distances() {
  distance_.assign(in_b_.size() * in_b_.size(), -1);
  std::vector<Zone> queue;
  for (Zone from = 0; from < zones(); ++from) {
    queue.assign(1, from);
    distance_[pair(from, from)] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      for (const Zone there : neighbours(queue[next])) {
        if (distance(from, there) >= 0) continue;
        distance_[pair(from, there)] = distance(from, queue[next]) + 1;
        queue.push_back(there);
      }
    }
  }
}

// Shortest: the first neighbour, in the order up, down, left, right, that is nearer.
void Geography::find_steps() {
  shortest_.resize(distance_.size());
  blind_.resize(distance_.size());
  for (Zone from = 0; from < zones(); ++from) {
    for (Zone to = 0; to < zones(); ++to) {
      Zone step = from;
      for (const Zone there : neighbours(from)) {
        if (distance(there, to) < 0 || distance(there, to) >= distance(from, to)) continue;
        step = there;
        break;
      }
      shortest_[pair(from, to)] = step;
      blind_[pair(from, to)] = blind_step(from, to);
    }
  }
}

// Vertically where |dr| > |dc|, else horizontally; no other axis is tried where the wall blocks that.
Zone Geography::blind_step(Zone from, Zone target) const {
  const std::int32_t down = cell(target).row - cell(from).row;
  const std::int32_t right = cell(target).column - cell(from).column;
  if (down == 0 && right == 0) return from;
  const std::int32_t move = std::abs(down) > std::abs(right) ? (down < 0 ? 0 : 1) : (right < 0 ? 2 : 3);
  const Zone there = after_move(from, move);
  return there < 0 ? from : there;
}

std::string Geography::name(Zone zone) const {
  return fmt::format("({},{})", cell(zone).row, cell(zone).column);
}

std::vector<Zone> Geography::starts(Starts how, std::int32_t teams) const {
  std::vector<Zone> order = region_a_;
  if (how == Starts::nearest) {
    const auto to_b = [&](Zone from) {
      std::int32_t nearest = std::numeric_limits<std::int32_t>::max();
      for (const Zone to : region_b_) {
        if (distance(from, to) >= 0) nearest = std::min(nearest, distance(from, to));
      }
      return nearest;
    };
    std::stable_sort(order.begin(), order.end(), [&](Zone i, Zone j) { return to_b(i) < to_b(j); });
  }
  order.resize(static_cast<std::size_t>(teams));
  return order;
}

std::vector<Zone> top_zones(std::span<const double> score, std::span<const Zone> zones, std::size_t count) {
  const auto better = [&](Zone i, Zone j) {
    const double at_i = score[static_cast<std::size_t>(i)], at_j = score[static_cast<std::size_t>(j)];
    return at_i > at_j || (at_i == at_j && i < j);
  };
  // By insertion: the count is small, and most zones are not even better than the last.
  std::vector<Zone> best;
  best.reserve(count + 1);
  for (const Zone zone : zones) {
    if (best.size() == count && (count == 0 || !better(zone, best.back()))) continue;
    if (best.size() == count) best.pop_back();
    best.insert(std::upper_bound(best.begin(), best.end(), zone, better), zone);
  }
  return best;
}

std::vector<Zone> top_zones(std::span<const double> score, std::size_t count) {
  std::vector<Zone> all(score.size());
  std::iota(all.begin(), all.end(), 0);
  return top_zones(score, all, count);
}

}  // namespace mindgap::cases::hiv
