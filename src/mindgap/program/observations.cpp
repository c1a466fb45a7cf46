#include "mindgap/program/observations.h"

#include <array>
#include <cmath>
#include <optional>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::program {
namespace {

using Point = std::array<double, kMostAxes>;

// The mean move of a pair, but for moves into the end; 0 where all are.
Point mean_move(const Grid& grid, const mdp::Mdp& mdp, std::int32_t pair, const Point& from) {
  const auto d = static_cast<std::size_t>(grid.dimension());
  Point sum{}, to{};
  double total = 0;
  const mdp::Row row = mdp.row(pair);
  for (std::size_t e = 0; e < row.size(); ++e) {
    if (row.next_state[e] >= grid.corners()) continue;
    grid.state_of(row.next_state[e], std::span(to).first(d));
    for (std::size_t a = 0; a < d; ++a)
      sum[a] += row.probability[e] * move_between(grid.axes()[a], from[a], to[a]);
    total += row.probability[e];
  }
  for (std::size_t a = 0; a < d && total > 0; ++a) sum[a] /= total;
  return sum;
}

// What the table says around a state.
struct Around {
  std::vector<std::int32_t> pair;  // of each corner
  std::vector<double> weight;
  std::vector<Point> corner, move;
  Point mean{};       // of the moves
  double reward = 0;  // mean
};

Around look_around(const Grid& grid, const mdp::Mdp& mdp, const Corners& from, std::int32_t action,
                   bool moves) {
  Around around;
  const auto d = static_cast<std::size_t>(grid.dimension());
  for (std::size_t i = 0; i < from.size; ++i) {
    const std::int32_t pair = mdp.find_pair(from.corner[i], action);
    if (pair < 0) continue;
    Point corner{};
    grid.state_of(from.corner[i], std::span(corner).first(d));
    const Point move = moves ? mean_move(grid, mdp, pair, corner) : Point{};
    for (std::size_t a = 0; a < d; ++a) around.mean[a] += from.weight[i] * move[a];
    around.reward += from.weight[i] * mdp.reward()[pair];
    around.pair.push_back(pair);
    around.weight.push_back(from.weight[i]);
    around.corner.push_back(corner);
    around.move.push_back(move);
  }
  return around;
}

}  // namespace

bool spread(const Grid& grid, const mdp::Mdp& mdp, const Seen& seen,
            std::vector<mdp::Observation>& observations) {
  base::check_range("spread", "action", seen.action, 0, mdp.actions() - 1);
  if (!std::isnan(seen.reward)) base::check_finite("spread", "reward", seen.reward);
  const auto d = static_cast<std::size_t>(grid.dimension());
  const bool ends = seen.terminated && mdp.states() > grid.corners();
  const bool moves = !seen.terminated && !seen.next_state.empty();
  Corners corners;
  bool outside = moves && grid.locate(seen.next_state).outside();
  outside = grid.spread(seen.state, corners).outside() || outside;
  const Around around = look_around(grid, mdp, corners, seen.action, moves);
  for (std::size_t i = 0; i < around.pair.size(); ++i) {
    mdp::Observation one{.unit = seen.unit, .step = seen.step, .pair = around.pair[i]};
    if (!std::isnan(seen.reward)) one.reward = mdp.reward()[one.pair] + (seen.reward - around.reward);
    if (!moves) {
      if (ends) one.next_state = grid.corners();
      one.weight = around.weight[i];
      if (ends || one.reward) observations.push_back(one);
      continue;
    }
    Point next{};
    for (std::size_t a = 0; a < d; ++a) {
      const double move = move_between(grid.axes()[a], seen.state[a], seen.next_state[a]);
      next[a] = around.corner[i][a] + around.move[i][a] + (move - around.mean[a]);
    }
    grid.spread(std::span(next).first(d), corners);
    for (std::size_t j = 0; j < corners.size; ++j) {
      one.next_state = corners.corner[j];
      one.weight = around.weight[i] * corners.weight[j];
      if (one.weight > 0) observations.push_back(one);
    }
  }
  return outside;
}

}  // namespace mindgap::program
