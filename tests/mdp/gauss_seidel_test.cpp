// Solving deep models outwards from their goal, block by block.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::mdp {
namespace gauss_seidel_test {

// A square of cells with a goal in the last corner; a move succeeds with .8 and slips to either side with .1.
// Every fifth row is a wall with a gap in every seventh cell.
Mdp maze(std::int32_t side, double discount) {
  constexpr std::array<std::array<int, 2>, 4> kMoves{{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}};
  MdpBuilder builder(discount, side * side, 4);
  const auto wall = [](std::int32_t row, std::int32_t column) {
    return row % 5 == 2 && column % 7 != row % 7;
  };
  const auto step = [&](std::int32_t s, int move) {
    const std::int32_t row = s / side + kMoves[move][0], column = s % side + kMoves[move][1];
    const bool inside = row >= 0 && row < side && column >= 0 && column < side && !wall(row, column);
    return inside ? row * side + column : s;
  };
  const std::int32_t goal = side * side - 1;
  for (std::int32_t s = 0; s <= goal; ++s) {
    for (int a = 0; a < 4; ++a) {
      builder.set_reward(s, a, s == goal ? 0 : -1);
      for (const auto& [turn, p] : {std::pair(0, .8), std::pair(1, .1), std::pair(3, .1)})
        builder.add_transition(s, a, s == goal ? s : step(s, (a + turn) % 4), p);
    }
  }
  return builder.build();
}

// Gymnasium's MountainCar (Moore 1990) on a grid of places and speeds, each next state shared among the four
// grid points around it; the flag is absorbing. A car has to drive away from the flag first.
Mdp mountain_car(std::int32_t n, double discount) {
  const std::int32_t flag = n * n;
  MdpBuilder builder(discount, n * n + 1, 3);
  for (std::int32_t a = 0; a < 3; ++a) {
    builder.set_reward(flag, a, 0);
    builder.add_transition(flag, a, flag, 1);
  }
  for (std::int32_t s = 0; s < flag; ++s) {
    const std::int32_t row = s / n, column = s % n;
    const double place = -1.2 + 1.8 * row / (n - 1), speed = -.07 + .14 * column / (n - 1);
    for (std::int32_t a = 0; a < 3; ++a) {
      builder.set_reward(s, a, place >= .5 ? 0 : -1);
      if (place >= .5) {
        builder.add_transition(s, a, flag, 1);
        continue;
      }
      double v = std::clamp(speed + .001 * (a - 1) - .0025 * std::cos(3 * place), -.07, .07);
      const double x = std::clamp(place + v, -1.2, .6);
      if (x <= -1.2) v = std::max(v, 0.0);
      const double i = (x + 1.2) / 1.8 * (n - 1), j = (v + .07) / .14 * (n - 1);
      const auto i0 = std::min(static_cast<std::int32_t>(i), n - 2),
                 j0 = std::min(static_cast<std::int32_t>(j), n - 2);
      for (std::int32_t di = 0; di < 2; ++di) {
        for (std::int32_t dj = 0; dj < 2; ++dj) {
          const double p =
              std::max(0.0, (di == 1 ? i - i0 : 1 - (i - i0)) * (dj == 1 ? j - j0 : 1 - (j - j0)));
          if (p > 0) builder.add_transition(s, a, (i0 + di) * n + j0 + dj, p);
        }
      }
    }
  }
  return builder.build();
}

// Both have certified bounds on the same values.
void expect_same(const Solution& one, const Solution& other) {
  ASSERT_EQ(one.value.size(), other.value.size());
  double apart = 0;
  for (std::size_t s = 0; s < one.value.size(); ++s)
    apart = std::max(apart, std::abs(one.value[s] - other.value[s]));
  EXPECT_LE(apart, one.half_width + other.half_width);
}

// 40,000 states in three blocks and 400 levels.
TEST(GaussSeidel, CrossesAMazeInFewPasses) {
  const Mdp mdp = maze(200, .999);
  const Solution outwards = solve(mdp), plain = solve(mdp, {.method = Method::modified_policy_iteration});
  EXPECT_EQ(outwards.method, Method::gauss_seidel);
  EXPECT_EQ(outwards.status, SolveStatus::converged);
  expect_same(outwards, plain);
  EXPECT_LT(outwards.policy_sweeps, plain.policy_sweeps / 5);
  EXPECT_LE(outwards.iterations, 12);
}

TEST(GaussSeidel, OneBlockMayTakeSeveralPasses) {
  const Mdp mdp = maze(40, .999);
  SolveOptions options{.method = Method::gauss_seidel};
  options.initial_value.assign(mdp.states(), 0.0);  // without the guess: all has to be carried outwards
  const Solution outwards = solve(mdp, options);
  EXPECT_EQ(outwards.method, Method::gauss_seidel);
  EXPECT_EQ(outwards.status, SolveStatus::converged);
  expect_same(outwards, solve(mdp, {.method = Method::value_iteration}));
}

// 200 cells in a row: to stay earns nothing, to go on costs 1, and the last cell pays .05 for ever, 50 in
// all. At first staying leads by 1 nearly everywhere and values hardly move; after one pass outwards going on
// is better.
TEST(GaussSeidel, ValuesThatArriveTurnActionsThatLed) {
  constexpr std::int32_t kCells = 200;
  constexpr double kDiscount = .999;
  MdpBuilder builder(kDiscount, kCells, 2);
  for (std::int32_t s = 0; s < kCells; ++s) {
    const bool last = s + 1 == kCells;
    builder.set_reward(s, 0, last ? .05 : 0);
    builder.add_transition(s, 0, s, 1);
    if (last) continue;
    builder.set_reward(s, 1, -1);
    builder.add_transition(s, 1, s + 1, 1);
  }
  const Mdp mdp = builder.build();
  SolveOptions options{.method = Method::gauss_seidel, .tolerance = 1e-9};
  options.initial_value.assign(kCells, 0.0);
  const Solution solution = solve(mdp, options);
  EXPECT_EQ(solution.status, SolveStatus::converged);
  EXPECT_EQ(solution.method,
            Method::gauss_seidel);  // which is left where full sweeps undo what a pass gained
  EXPECT_LE(solution.iterations, 4);
  for (std::int32_t s = 0; s < kCells; ++s) {
    const int steps = kCells - 1 - s;
    const double way = -(1 - std::pow(kDiscount, steps)) / (1 - kDiscount) + std::pow(kDiscount, steps) * 50;
    EXPECT_NEAR(solution.value[s], std::max(way, 0.0), solution.half_width + 1e-9) << "cell " << s;
  }
}

// In single precision these discounts are 1, or nearly: a goal that pays nothing, .3 or 1 for ever, and a
// step towards it at a time that costs 1 and succeeds with .9. From d steps away V = a^d V(goal) - (1 - a^d)
// / (1 - g) with a = .9 g / (1 - .1 g).
TEST(GaussSeidel, DiscountsThatSinglePrecisionTakesForOne) {
  constexpr std::int32_t kCells = 200;
  for (const double discount : {1 - 1e-6, 1 - 3e-7, 1 - 1e-7, 1 - 1e-8, 1 - 1e-9}) {
    for (const double pay : {0.0, .3, 1.0}) {
      MdpBuilder builder(discount, kCells, 2);
      for (std::int32_t s = 0; s < kCells; ++s) {
        for (const std::int32_t a : {0, 1}) {
          builder.set_reward(s, a, s == 0 ? pay : -1);
          const std::int32_t next = std::clamp(s + (a == 0 ? -1 : 1), 0, kCells - 1);
          builder.add_transition(s, a, s, s == 0 ? 1 : .1);
          if (s > 0) builder.add_transition(s, a, next, .9);
        }
      }
      const Mdp mdp = builder.build();
      SolveOptions zeros{.method = Method::gauss_seidel};
      zeros.initial_value.assign(kCells, 0.0);
      for (const SolveOptions& options : {SolveOptions{}, zeros}) {
        const Solution solution = solve(mdp, options);
        EXPECT_TRUE(solution.status == SolveStatus::converged ||
                    solution.status == SolveStatus::precision_limit)
            << to_string(solution.status);
        EXPECT_LT(solution.iterations, 200);
        const double forever = pay / (1 - discount), step = .9 * discount / (1 - .1 * discount);
        for (std::int32_t s = 0; s < kCells; ++s) {
          const double arrives = std::pow(step, s);
          const double value = arrives * forever - (1 - arrives) / (1 - discount);
          ASSERT_NEAR(solution.value[s], value, solution.half_width + 1e-12 / (1 - discount))
              << "discount 1 - " << 1 - discount << ", pays " << pay << ", cell " << s;
        }
      }
    }
  }
}

// Where what leads nearer to the goal is no good, the guess is of no use and left at once, with its values.
TEST(GaussSeidel, IsLeftWhereTheWayToTheGoalLeadsAwayFromIt) {
  for (const double discount : {.99, .999}) {
    const Mdp mdp = mountain_car(60, discount);
    const Solution automatic = solve(mdp), plain = solve(mdp, {.method = Method::modified_policy_iteration});
    EXPECT_EQ(automatic.method, Method::modified_policy_iteration);
    EXPECT_EQ(automatic.status, SolveStatus::converged);
    expect_same(automatic, plain);
    EXPECT_EQ(automatic.policy_sweeps, plain.policy_sweeps);
    expect_same(solve(mdp, {.method = Method::gauss_seidel}), plain);
  }
}

}  // namespace gauss_seidel_test
}  // namespace mindgap::mdp
