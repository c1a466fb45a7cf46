#pragma once

#include <array>
#include <random>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/policy.h"

// The small models whose numbers spec/tabular.md and golden_tabular.json list.
namespace mindgap::gap {

/// A model with every action in every state, from full rows [state * actions + action][next state].
inline mdp::Mdp dense_mdp(double discount, std::vector<double> start, std::int32_t actions,
                          const std::vector<double>& reward, const std::vector<std::vector<double>>& rows) {
  mdp::MdpArrays arrays;
  arrays.discount = discount;
  arrays.start = std::move(start);
  arrays.reward = reward;
  arrays.actions = actions;
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    arrays.pair_action.push_back(static_cast<std::int32_t>(k) % actions);
    for (std::size_t s = 0; s < rows[k].size(); ++s) {
      if (rows[k][s] == 0) continue;
      arrays.next_state.push_back(static_cast<std::int32_t>(s));
      arrays.probability.push_back(rows[k][s]);
    }
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
    if (arrays.pair_action.back() == actions - 1) {
      arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
    }
  }
  return mdp::Mdp(std::move(arrays));
}

/// golden_tabular.json "M3".
inline mdp::Mdp m3() {
  return dense_mdp(.9, {1, 0, 0}, 2, {.2, .5, .8, .1, .4, .6},
                   {{.7, .2, .1}, {.1, .6, .3}, {.3, .3, .4}, {.5, .25, .25}, {.2, .2, .6}, {.05, .15, .8}});
}
inline mdp::Policy m3_target(const mdp::Mdp& mdp) {
  return mdp::Policy::stochastic(mdp, {.6, .4, .3, .7, .5, .5});
}

/// Hidden treasure (spec/tabular.md 3): 4 x 6 grid, s = 6 row + column, actions up, down, left, right; the
/// only opening of the wall between columns 2 and 3 is in row 2; .85 as intended + .15 uniform over all four.
inline mdp::Mdp treasure(const std::vector<double>& reward_of_state, double discount = .95) {
  constexpr std::int32_t kRows = 4, kColumns = 6;
  constexpr std::array<std::array<std::int32_t, 2>, 4> kMoves{{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
  const auto moved = [&](std::int32_t s, std::size_t move) {
    const std::int32_t row = s / kColumns, column = s % kColumns;
    const std::int32_t to_row = row + kMoves[move][0], to_column = column + kMoves[move][1];
    const bool outside = to_row < 0 || to_row >= kRows || to_column < 0 || to_column >= kColumns;
    const bool wall = row != 2 && ((column == 2 && to_column == 3) || (column == 3 && to_column == 2));
    return outside || wall ? s : to_row * kColumns + to_column;
  };
  std::vector<double> reward;
  std::vector<std::vector<double>> rows;
  for (std::int32_t s = 0; s < kRows * kColumns; ++s) {
    for (std::size_t a = 0; a < 4; ++a) {
      std::vector<double> row(kRows * kColumns);
      row[moved(s, a)] += .85;
      for (std::size_t b = 0; b < 4; ++b) row[moved(s, b)] += .15 / 4;
      rows.push_back(row);
      reward.push_back(reward_of_state[s]);
    }
  }
  std::vector<double> start(kRows * kColumns);
  start[0] = 1;
  return dense_mdp(discount, start, 4, reward, rows);
}
inline mdp::Mdp treasure_truth() {
  return treasure(
      {.3, .3, .3, .1, .1, .1, .3, .3, .3, .1, .1, .1, .3, .3, .3, .1, .7, .7, .3, .3, .3, .1, .7, 1.});
}
inline mdp::Mdp treasure_simulator() {
  return treasure(
      {.3, .3, .3, .1, .1, .1, .3, .3, .3, .1, .1, .1, .3, .3, .3, .1, .1, .1, .3, .3, .3, .1, .1, .1});
}

/// Combination lock (spec/tabular.md 2 and 5): states 0..T-1 with actions 0 (on) and 1 (to the trap), state T
/// pays 1 once and then the unit is absorbed in T+1, the trap is T+2; discount 1 - 1/T. The simulator swaps
/// the actions of state `wrong` (-1: none).
inline mdp::Mdp lock(std::int32_t length, std::int32_t wrong = -1) {
  const std::int32_t states = length + 3;
  std::vector<double> reward(2 * states);
  std::vector<std::vector<double>> rows;
  for (std::int32_t s = 0; s < states; ++s) {
    for (std::int32_t a = 0; a < 2; ++a) {
      std::vector<double> row(states);
      const bool right = (a == 0) == (s != wrong);
      row[s < length ? (right ? s + 1 : length + 2) : (s == length ? length + 1 : s)] = 1;
      rows.push_back(row);
    }
  }
  reward[2 * length] = reward[2 * length + 1] = 1;
  std::vector<double> start(states);
  start[0] = 1;
  return dense_mdp(1 - 1.0 / length, start, 2, reward, rows);
}

/// Two regions of `side` states with random moves inside each; the last action of every state of the first
/// leads to the second, whose states all lead back as well. A policy that never takes it cannot be there, but
/// a linear solve leaves rounding there. Rewards uniform on [0, 1).
inline mdp::Mdp two_regions(std::uint64_t seed, std::int32_t side, std::int32_t actions, double discount) {
  std::mt19937_64 bits(seed);
  const auto uniform = [&] { return (static_cast<double>(bits() >> 11) + .5) * 0x1p-53; };
  std::vector<double> reward, start(2 * side, 0.0);
  std::vector<std::vector<double>> rows;
  start[0] = 1;
  for (std::int32_t s = 0; s < 2 * side; ++s) {
    for (std::int32_t a = 0; a < actions; ++a) {
      const bool crosses = s >= side || a + 1 == actions;
      std::vector<double> row(2 * side, 0.0);
      double sum = 0;
      for (std::int32_t next = 0; next < (crosses ? 2 * side : side); ++next) sum += row[next] = uniform();
      for (double& p : row) p /= sum;
      rows.push_back(row);
      reward.push_back(uniform());
    }
  }
  return dense_mdp(discount, start, actions, reward, rows);
}

}  // namespace mindgap::gap
