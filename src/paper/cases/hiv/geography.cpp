#include "paper/cases/hiv/geography.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>

#include "paper/variates/clones.h"

namespace mindgap::cases::hiv {
namespace {

constexpr std::uint8_t kGeographyStay = 4;
constexpr std::array<Cell, 4> kGeographyMoves = {Cell{-1, 0}, Cell{1, 0}, Cell{0, -1}, Cell{0, 1}};

// So many zones at most are ranked by counting who is above whom.
constexpr std::size_t kRanked = 64, kGeographyLanes = 8;
using Keys = std::int32_t __attribute__((vector_size(4 * kGeographyLanes)));

// A whole number that grows with the score, in single precision.
std::int32_t key_of(double score) {
  const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(score));
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

// Of each key how many are above it, for a number of keys that is a multiple of kGeographyLanes; of the first
// `count`.
MINDGAP_CLONES void count_above(const std::int32_t* keys, std::size_t count, std::int32_t* ranks) {
  for (std::size_t j = 0; j < count; j += kGeographyLanes) {
    Keys block, above = {};
    std::memcpy(&block, keys + j, sizeof block);
    for (std::size_t i = 0; i < count; ++i) above -= (Keys{} + keys[i]) > block;  // -1 where it holds
    std::memcpy(ranks + j, &above, sizeof above);
  }
}

// False where single precision cannot tell two of the best apart, or the last of them from the next.
bool top_by_rank(std::span<const double> score, std::span<Zone> best) {
  alignas(64) std::array<std::int32_t, kRanked> key, rank;
  const std::size_t zones = score.size();
  for (std::size_t j = 0; j < zones; ++j) key[j] = key_of(score[j]);
  std::fill(key.begin() + static_cast<std::ptrdiff_t>(zones), key.end(), 0);  // whose ranks nobody reads
  count_above(key.data(), zones, rank.data());
  std::array<Zone, kRanked> by_rank;
  std::fill_n(by_rank.begin(), best.size(), -1);
  const auto wanted = static_cast<std::int32_t>(best.size());
  std::int32_t placed = 0;
  for (std::size_t j = 0; j < zones; ++j) {
    by_rank[static_cast<std::size_t>(rank[j])] = static_cast<Zone>(j);
    placed += rank[j] < wanted ? 1 : 0;
  }
  std::copy_n(by_rank.begin(), best.size(), best.begin());
  return placed == wanted && std::find(best.begin(), best.end(), -1) == best.end();
}

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
    for (std::size_t move = 0; move < kGeographyMoves.size(); ++move) {
      const Cell there = {here.row + kGeographyMoves[move].row, here.column + kGeographyMoves[move].column};
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
  for (Zone from = 0; from < zones(); ++from) {
    for (Zone to = 0; to < zones(); ++to) {
      std::uint8_t nearer = kGeographyStay;
      for (std::uint8_t move = 0; move < kGeographyStay && nearer == kGeographyStay; ++move) {
        const Zone there = after_move(from, move);
        if (there >= 0 && distance(there, to) >= 0 && distance(there, to) < distance(from, to)) nearer = move;
      }
      shortest_.push_back(nearer);
      blind_.push_back(blind_move(from, to));
      near_.push_back(distance(from, to) == 0 || distance(from, to) == 1 ? 1 : 0);
    }
  }
}

// Vertically where |dr| > |dc|, else horizontally; no other axis is tried where the wall blocks that.
std::uint8_t Geography::blind_move(Zone from, Zone target) const {
  const std::int32_t down = cell(target).row - cell(from).row;
  const std::int32_t right = cell(target).column - cell(from).column;
  if (down == 0 && right == 0) return kGeographyStay;
  const std::uint8_t move = std::abs(down) > std::abs(right) ? (down < 0 ? 0 : 1) : (right < 0 ? 2 : 3);
  return after_move(from, move) < 0 ? kGeographyStay : move;
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
  std::vector<Zone> best(std::min(count, score.size()));
  top_zones(score, best);
  return best;
}

void top_zones(std::span<const double> score, std::span<Zone> best) {
  if (score.size() <= kRanked && best.size() <= score.size() && top_by_rank(score, best)) return;
  std::vector<Zone> all(score.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<Zone> sorted = top_zones(score, all, best.size());
  std::copy(sorted.begin(), sorted.end(), best.begin());
}

}  // namespace mindgap::cases::hiv
