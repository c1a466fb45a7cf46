// What is swept between two full sweeps: corrections in single precision that make values exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "mdp/exact_oracle.h"
#include "mdp/random_models.h"
#include "mindgap/mdp/bellman.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/policy_rows.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::mdp {
namespace policy_rows_test {

using oracle::Digits50;

// Rows of one length, of nearly one, of very different ones, and rows too long for the compiler to know.
std::vector<Mdp> models_of_all_shapes() {
  std::vector<Mdp> models;
  for (const std::int32_t successors : {1, 3, 4, 12, 40}) {
    models.push_back(random_mdp(successors, {.states = 60, .successors = successors}));
  }
  MdpArrays arrays = random_arrays(7, {.states = 60, .successors = 9});
  MdpArrays uneven;  // only every third row keeps all of its transitions
  uneven.discount = arrays.discount;
  uneven.actions = arrays.actions;
  uneven.pair_begin = arrays.pair_begin;
  uneven.pair_action = arrays.pair_action;
  uneven.reward = arrays.reward;
  uneven.row_begin = {0};
  for (std::size_t k = 0; k < arrays.reward.size(); ++k) {
    const auto first = arrays.row_begin[k], last = k % 3 == 0 ? arrays.row_begin[k + 1] : first + 1;
    for (auto i = first; i < last; ++i) {
      uneven.next_state.push_back(arrays.next_state[i]);
      uneven.probability.push_back(last - first == 1 ? 1 : arrays.probability[i]);
    }
    uneven.row_begin.push_back(static_cast<std::int64_t>(uneven.next_state.size()));
  }
  models.emplace_back(uneven);
  return models;
}

std::vector<std::int32_t> some_policy(const Mdp& mdp) {
  std::vector<std::int32_t> pair(mdp.states());
  for (std::int32_t s = 0; s < mdp.states(); ++s) pair[s] = mdp.pair_begin()[s + 1] - 1;
  return pair;
}

// y = d + g P y has the solution V_pi - V where d = T_pi V - V: sweeps from a V far off come to V_pi within
// what single precision leaves of the way.
TEST(PolicyRows, CorrectionsAddUpToTheValueOfThePolicy) {
  for (const Mdp& mdp : models_of_all_shapes()) {
    const std::vector<std::int32_t> pair = some_policy(mdp);
    const std::vector<Digits50> truth = oracle::policy_value<Digits50>(mdp, pair);
    PolicyRows rows(mdp);
    std::vector<double> value(mdp.states());
    std::vector<float> change(mdp.states()), y(mdp.states()), next(mdp.states());
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      rows.set(s, pair[s]);
      value[s] = std::sin(s);
    }
    for (std::int32_t s = 0; s < mdp.states(); ++s)
      y[s] = change[s] = static_cast<float>(rows.backup(s, value.data()) - value[s]);
    std::vector<float> with_threads(mdp.states());
    for (int sweep = 0; sweep < 300; ++sweep) {
      rows.sweep(base::Threads(1), change, y, next);
      rows.sweep(base::Threads(3), change, y, with_threads);
      ASSERT_EQ(next, with_threads);
      y.swap(next);
    }
    for (std::int32_t s = 0; s < mdp.states(); ++s)
      ASSERT_NEAR(value[s] + static_cast<double>(y[s]), static_cast<double>(truth[s]), 2e-5) << "state " << s;
  }
}

// Rows in two halves of single precision are as good as they say, down to probabilities that single precision
// cannot hold.
TEST(PolicyRows, BackupsAreOffByNoMoreThanTheySay) {
  const auto expect_close = [&](const Mdp& mdp) {
    PolicyRows rows(mdp);
    std::vector<double> value(mdp.states());
    for (std::int32_t s = 0; s < mdp.states(); ++s) value[s] = 1e6 * std::cos(s);
    const std::vector<Digits50> exact_value(value.begin(), value.end());
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      const auto s =
          static_cast<std::int32_t>(std::upper_bound(mdp.pair_begin().begin(), mdp.pair_begin().end(), k) -
                                    mdp.pair_begin().begin() - 1);
      rows.set(s, k);
      const Digits50 exact = oracle::action_value(mdp, k, exact_value);
      const double off = std::abs(static_cast<double>(rows.backup(s, value.data()) - exact));
      const double rounding = (mdp.row_length_max() + 6) * 0x1p-53 * (mdp.reward_magnitude() + 1e6);
      ASSERT_LE(off, mdp.discount() * PackedRows::kOff * 1e6 + rounding);
    }
  };
  for (const Mdp& mdp : models_of_all_shapes()) expect_close(mdp);
  for (const double p : {1e-12, 1e-37, 1e-40, 1e-45, 1e-300, 5e-324}) {
    MdpArrays arrays;
    arrays.discount = .999;
    arrays.pair_begin = {0, 1, 2};
    arrays.pair_action = {0, 0};
    arrays.row_begin = {0, 2, 3};
    arrays.next_state = {0, 1, 1};
    arrays.probability = {1, p, 1};
    arrays.reward = {1, 0};
    expect_close(Mdp(arrays));
  }
}

// Single candidates, no anticipation: sweeps in place come to the value of the only policy.
TEST(CandidateRows, SweepsInPlaceComeToTheValue) {
  for (const Mdp& mdp : models_of_all_shapes()) {
    const std::vector<std::int32_t> pair = some_policy(mdp);
    const std::vector<Digits50> truth = oracle::policy_value<Digits50>(mdp, pair);
    std::vector<std::int32_t> order(mdp.states());  // 7 and 60 have no common factor
    for (std::int32_t i = 0; i < mdp.states(); ++i) order[i] = 7 * i % mdp.states();
    CandidateRows rows(mdp, order, 0);
    const double scale = scale_of_changes(mdp);
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      const double reward = mdp.reward()[pair[s]];  // T_pi 0
      rows.set(s, pair[s], pair[s], reward, reward);
    }
    std::vector<float> y(mdp.states());
    rows.start(y);
    rows.prepare(0, mdp.states());
    for (int sweep = 0; sweep < 200; ++sweep) rows.sweep_in_place(y, 0, mdp.states());
    for (std::int32_t i = 0; i < mdp.states(); ++i) {
      ASSERT_NEAR(scale * static_cast<double>(y[i]), static_cast<double>(truth[order[i]]), 2e-5);
    }
  }
}

// A candidate that becomes the other one keeps its own change.
TEST(CandidateRows, ChangesStayWithTheirCandidates) {
  const Mdp mdp = random_mdp(3, {.states = 40, .actions = 3, .all_actions = true});
  std::vector<std::int32_t> order(40);
  std::iota(order.begin(), order.end(), 0);
  const base::Threads one(1);
  std::vector<double> value(40), next(40);
  std::vector<std::int32_t> pick(40);
  CandidateRows rows(mdp, order, 0);
  for (int sweep = 0; sweep < 30; ++sweep) {
    for (std::int32_t s = 0; s < 40; ++s) value[s] = 3 * std::sin(s * (sweep + 1));
    Bellman(mdp, one).improve(value, next, pick, {.candidates = &rows});
    CandidateRows same(mdp, order, 0);
    Bellman(mdp, one).improve(value, next, pick, {.candidates = &same});
    std::vector<float> y(40), other(40);
    rows.start(y);
    same.start(other);
    ASSERT_EQ(y, other);
    rows.prepare(0, 40);
    same.prepare(0, 40);
    for (int i = 0; i < 3; ++i) {
      rows.sweep_in_place(y, 0, 40);
      same.sweep_in_place(other, 0, 40);
    }
    ASSERT_EQ(y, other) << "sweep " << sweep;
  }
}

// Rewards times a power of two give values times that power, to the bit: single precision neither overflows
// nor loses digits on the way.
TEST(PolicyRows, TheScaleOfRewardsDoesNotMatter) {
  for (const Method method : {Method::modified_policy_iteration, Method::gauss_seidel}) {
    MdpArrays arrays = random_arrays(11, {.states = 80, .discount = .99});
    const Solution plain = solve(Mdp(arrays), {.method = method});
    EXPECT_EQ(plain.status, SolveStatus::converged);
    for (const int exponent : {-700, -200, 200, 900}) {
      MdpArrays scaled = arrays;
      for (double& reward : scaled.reward) reward = std::ldexp(reward, exponent);
      const Solution solution = solve(Mdp(scaled), {.method = method});
      EXPECT_EQ(solution.status, SolveStatus::converged);
      EXPECT_EQ(solution.iterations, plain.iterations);
      for (std::size_t s = 0; s < plain.value.size(); ++s)
        ASSERT_EQ(solution.value[s], std::ldexp(plain.value[s], exponent)) << "2^" << exponent;
    }
  }
}

// What the weights of a sweep lacked is in the bounds that follow from it: off g max|V| / (1 - g), twice.
TEST(PolicyRows, BoundsKnowOfWeightsThatAreOff) {
  const Mdp mdp = random_mdp(5, {.states = 20, .discount = .9});
  Residual residual{-1e-3, 2e-3, 50};
  const Bounds exact = bounds_from(mdp, residual);
  residual.weights_off = 1e-6;
  const Bounds off = bounds_from(mdp, residual);
  EXPECT_GE(off.width() - exact.width(), 2 * .9 * 1e-6 * 50 / (1 - .9));
  EXPECT_GE(off.floor, 2 * .9 * 1e-6 * 50 / (1 - .9));
}

// Sweeps that use rows in halves say so, and others do not.
TEST(PolicyRows, SweepsSayWhenTheyUseThem) {
  const Mdp mdp = random_mdp(5, {.states = 200, .discount = .9});
  const base::Threads one(1);
  const Bellman bellman(mdp, one);
  PolicyRows rows(mdp);
  Leads leads(mdp);
  const std::vector<double> value(200, 0.0);
  std::vector<double> next(200);
  std::vector<std::int32_t> pick(200);
  EXPECT_EQ(bellman.improve(value, next, pick, {.rows = &rows, .leads = &leads}).weights_off, 0);
  leads.age(one);
  ASSERT_TRUE(leads.worthwhile());
  EXPECT_EQ(bellman.improve(value, next, pick, {.rows = &rows, .leads = &leads}).weights_off,
            PackedRows::kOff);
  EXPECT_EQ(bellman.improve(value, next, pick, {.leads = &leads}).weights_off, 0);
}

// Where sums of rows differ, values that are all off by the same do matter.
TEST(PolicyRows, WhatAllStatesChangeByIsAddedInTheEnd) {
  const Mdp mdp = random_mdp(2, {.states = 500,
                                 .successors = 4,
                                 .discount = .9999,
                                 .reward_low = 100,
                                 .reward_high = 101,
                                 .row_sum_error = 9e-10});
  const Solution solution = solve(mdp, {.method = Method::modified_policy_iteration, .tolerance = 1e-9});
  EXPECT_EQ(solution.status, SolveStatus::converged);
  EXPECT_LE(solution.iterations, 20);
}

// 60 x 60 cells, where half of the moves do not succeed. The cell in the middle pays 1 and leads back to a
// corner. Two actions of most states are as good as each other, exactly.
Mdp square(double discount) {
  constexpr std::int32_t kSide = 60;
  constexpr std::array<std::array<int, 2>, 4> kMoves{{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}};
  MdpBuilder builder(discount, kSide * kSide, 4);
  for (std::int32_t s = 0; s < kSide * kSide; ++s) {
    const bool goal = s == kSide * kSide / 2 + kSide / 2;
    for (std::int32_t a = 0; a < 4; ++a) {
      builder.set_reward(s, a, goal ? 1 : 0);
      const std::int32_t i = std::clamp(s / kSide + kMoves[a][0], 0, kSide - 1);
      const std::int32_t j = std::clamp(s % kSide + kMoves[a][1], 0, kSide - 1);
      builder.add_transition(s, a, goal ? 0 : s, .5);
      builder.add_transition(s, a, goal ? 0 : i * kSide + j, .5);
    }
  }
  return builder.build();
}

// What rounds in single precision is not taken for news: with rewards that only few states have yet, and
// actions that are as good as each other, it takes as many sweeps as in double precision (79 full ones and
// 2,005 of policies; 267 and 6,455 where rounding counted).
TEST(PolicyRows, RoundingIsNoNews) {
  for (const double discount : {.999, .99999}) {
    const Solution solution = solve(square(discount), {.tolerance = 1e-9});
    EXPECT_EQ(solution.status, SolveStatus::converged);
    EXPECT_LE(solution.iterations, 90);
    EXPECT_LE(solution.policy_sweeps, 2200);
  }
  // 230 where the middle of all changes is always left out, and states that should not change do.
  const SolveOptions only_sweeps{.method = Method::modified_policy_iteration, .tolerance = 1e-12};
  EXPECT_LE(solve(square(.999), only_sweeps).iterations, 190);
}

// What all states change by stays out of the values where the bounds do not need it: they would be larger,
// and so rounding. These widths are within what double precision allows by a little.
TEST(PolicyRows, ConstantsDoNotCostPrecision) {
  for (const std::int32_t successors : {2, 3, 5}) {
    const Mdp mdp = random_mdp(7, {.states = 2000,
                                   .actions = 4,
                                   .successors = successors,
                                   .discount = 1 - 2e-5,
                                   .reward_low = 0,
                                   .all_actions = true});
    EXPECT_EQ(solve(mdp).status, SolveStatus::converged) << successors;
  }
}

// Bounds that begin beyond double precision come back into it.
TEST(PolicyRows, AGuessNearTheLargestNumbers) {
  MdpArrays arrays = random_arrays(4, {.states = 30, .discount = 1 - 1e-9});
  for (double& reward : arrays.reward) reward *= 9e290;
  const Mdp mdp(arrays);
  const std::vector<Digits50> truth = oracle::optimal_value<Digits50>(mdp);
  for (const Method method : {Method::automatic, Method::modified_policy_iteration, Method::gauss_seidel}) {
    SolveOptions options{.method = method, .tolerance = 1e-3};
    for (std::int32_t s = 0; s < mdp.states(); ++s)
      options.initial_value.push_back(s % 2 == 0 ? 1e300 : -1e300);
    const Solution solution = solve(mdp, options);
    EXPECT_EQ(solution.status, SolveStatus::converged);
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      ASSERT_TRUE(std::isfinite(solution.value[s]));
      ASSERT_LE(abs(truth[s] - Digits50(solution.value[s])), Digits50(solution.half_width));
    }
  }
}

// Rows whose sums differ by more than a hundredth of what the discount shrinks: nothing is left out.
TEST(PolicyRows, SumsOfRowsThatDifferALot) {
  const Mdp mdp =
      random_mdp(3, {.states = 40, .successors = 4, .discount = 1 - 1e-7, .row_sum_error = 9e-10});
  const Solution solution = solve(mdp, {.tolerance = 1e-3});
  EXPECT_EQ(solution.status, SolveStatus::converged) << to_string(solution.status);
  const std::vector<Digits50> truth = oracle::optimal_value<Digits50>(mdp);
  for (std::int32_t s = 0; s < mdp.states(); ++s)
    ASSERT_LE(abs(truth[s] - Digits50(solution.value[s])), Digits50(solution.half_width));
}

// Leads that last are used with rows in halves, and what comes out is certified to the same width.
TEST(PolicyRows, SolutionsAreCertifiedToAnyTolerance) {
  const Mdp mdp =
      random_mdp(9, {.states = 3000, .actions = 4, .successors = 5, .discount = .99, .reward_low = .9});
  Solution last = solve(mdp, {.tolerance = 1e-4});
  for (const double tolerance : {1e-6, 1e-9, 1e-11, 1e-12, 6e-13}) {
    const Solution solution = solve(mdp, {.tolerance = tolerance});
    EXPECT_EQ(solution.status, SolveStatus::converged) << tolerance;
    EXPECT_LE(2 * solution.half_width, 1.001 * tolerance * mdp.reward_max() / .01);
    for (std::int32_t s = 0; s < mdp.states(); ++s)
      ASSERT_LE(std::abs(solution.value[s] - last.value[s]), solution.half_width + last.half_width);
    last = solution;
  }
}

}  // namespace policy_rows_test
}  // namespace mindgap::mdp
