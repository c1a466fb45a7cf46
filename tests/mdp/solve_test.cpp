#include "mindgap/mdp/solve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "mdp/exact_oracle.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/finite_horizon.h"

namespace mindgap::mdp {
namespace solve_test {

constexpr std::array kEveryMethod{Method::automatic, Method::value_iteration,
                                  Method::modified_policy_iteration, Method::gauss_seidel,
                                  Method::policy_iteration};

// A corridor of n cells: "stay" earns 0, "right" costs 1; the last cell is absorbing and earns 0... staying
// is then optimal everywhere, so the last cell pays `prize` each step instead. The value of walking from
// distance k is
// -(1 + g + ... + g^(k-1)) + g^k prize/(1-g).
Mdp corridor(std::int32_t cells, double discount, double prize) {
  MdpArrays arrays;
  arrays.discount = discount;
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  for (std::int32_t s = 0; s < cells; ++s) {
    const bool last = s + 1 == cells;
    for (std::int32_t a = 0; a < (last ? 1 : 2); ++a) {
      arrays.pair_action.push_back(a);
      arrays.reward.push_back(last ? prize : -a);
      arrays.next_state.push_back(s + a);
      arrays.probability.push_back(1);
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
    }
    arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
  }
  return Mdp(arrays);
}

class EveryMethod : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Solve, EveryMethod, testing::ValuesIn(kEveryMethod), [](const auto& param_info) {
  std::string name(to_string(param_info.param));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(EveryMethod, WalksTheCorridor) {
  const double g = 0.97, prize = 5;
  const Mdp mdp = corridor(60, g, prize);
  const Solution solution = solve(mdp, {.method = GetParam()});
  EXPECT_EQ(solution.status, SolveStatus::converged);
  for (int s = 0; s < 60; ++s) {
    const int k = 59 - s;
    const double walk = -(1 - std::pow(g, k)) / (1 - g) + std::pow(g, k) * prize / (1 - g);
    EXPECT_NEAR(solution.value[s], std::max(0.0, walk), 1e-8) << "state " << s;
  }
  EXPECT_LE(solution.bounds[0], solution.value_at_start);
  EXPECT_GE(solution.bounds[1], solution.value_at_start);
}

// A walk home from 80 steps away where every tenth state leads almost anywhere: deep, with rows of very
// different lengths.
TEST_P(EveryMethod, SolvesDeepModelsWithRowsOfAnyLength) {
  const std::int32_t n = 81;
  MdpArrays arrays;
  arrays.discount = 0.99;
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  const auto row = [&](std::int32_t action, double reward,
                       const std::vector<std::pair<std::int32_t, double>>& next) {
    arrays.pair_action.push_back(action);
    arrays.reward.push_back(reward);
    for (const auto& [state, p] : next) {
      arrays.next_state.push_back(state);
      arrays.probability.push_back(p);
    }
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
  };
  row(0, 0, {{0, 1}});
  arrays.pair_begin.push_back(1);
  for (std::int32_t s = 1; s < n; ++s) {
    row(0, -1, {{s - 1, 0.75}, {std::min(s + 1, n - 1), 0.25}});
    if (s % 10 == 0) {
      std::vector<std::pair<std::int32_t, double>> anywhere{{s - 1, 0.5}};
      for (std::int32_t k = 0; k < 32; ++k) anywhere.emplace_back((s + k) % (n - 1) + 1, 0.5 / 32);
      row(1, -0.5, anywhere);
    }
    arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
  }
  const Mdp mdp(arrays);
  const Solution solution = solve(mdp, {.method = GetParam()});
  const auto truth = oracle::optimal_value<double>(mdp);
  for (std::int32_t s = 0; s < n; ++s) EXPECT_NEAR(solution.value[s], truth[s], 1e-8) << "state " << s;
}

TEST_P(EveryMethod, AgreesWithTheDenseOracle) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Mdp mdp = random_mdp(seed, {.states = 60, .actions = 4, .successors = 5, .discount = 0.98});
    const Solution solution = solve(mdp, {.method = GetParam()});
    const auto truth = oracle::optimal_value<double>(mdp);
    for (std::size_t s = 0; s < truth.size(); ++s) EXPECT_NEAR(solution.value[s], truth[s], 1e-8);
  }
}

TEST_P(EveryMethod, GivesTheSameBitsForAnyNumberOfThreads) {
  const Mdp mdp = random_mdp(11, {.states = 9000, .actions = 3, .successors = 4, .discount = 0.9});
  SolveOptions options{.method = GetParam(), .tolerance = 1e-8, .threads = 1};
  const Solution one = solve(mdp, options);
  for (const int threads : {2, 7}) {
    options.threads = threads;
    const Solution many = solve(mdp, options);
    EXPECT_EQ(many.value, one.value);
    EXPECT_EQ(many.policy, one.policy);
    EXPECT_EQ(many.half_width, one.half_width);
    EXPECT_EQ(many.iterations, one.iterations);
  }
}

TEST_P(EveryMethod, RenamingStatesChangesNothing) {
  const MdpArrays arrays =
      random_arrays(5, {.states = 30, .actions = 2, .discount = 0.95, .all_actions = true});
  MdpArrays reversed = arrays;  // state s becomes 29 - s
  const std::int32_t n = 30;
  reversed.next_state.clear();
  reversed.probability.clear();
  reversed.reward.clear();
  for (std::int32_t s = n - 1; s >= 0; --s) {
    for (std::int32_t k = arrays.pair_begin[s]; k < arrays.pair_begin[s + 1]; ++k) {
      reversed.reward.push_back(arrays.reward[k]);
      for (auto i = arrays.row_begin[k]; i < arrays.row_begin[k + 1]; ++i) {
        reversed.next_state.push_back(n - 1 - arrays.next_state[i]);
        reversed.probability.push_back(arrays.probability[i]);
      }
    }
  }
  const Solution a = solve(Mdp(arrays), {.method = GetParam()});
  const Solution b = solve(Mdp(reversed), {.method = GetParam()});
  for (std::int32_t s = 0; s < n; ++s) EXPECT_NEAR(a.value[s], b.value[n - 1 - s], 1e-8);
}

TEST_P(EveryMethod, AcceptsAnyFirstGuess) {
  const Mdp mdp = random_mdp(2, {.states = 50, .discount = 0.95});
  const Solution cold = solve(mdp, {.method = GetParam()});
  std::vector<double> guess(50);
  for (std::size_t s = 0; s < guess.size(); ++s) guess[s] = s % 2 == 0 ? 1e4 : -1e3;
  const Solution odd = solve(mdp, {.method = GetParam(), .initial_value = guess});
  const Solution warm = solve(mdp, {.method = GetParam(), .initial_value = cold.value});
  for (std::size_t s = 0; s < guess.size(); ++s) EXPECT_NEAR(odd.value[s], cold.value[s], 1e-8);
  EXPECT_LE(warm.iterations, cold.iterations);
}

TEST(Solve, PolicyReachesItsPromise) {
  const Mdp mdp = random_mdp(21, {.states = 200, .actions = 4, .successors = 6, .discount = 0.99});
  const Solution solution = solve(mdp, {.tolerance = 1e-4});
  const Evaluation evaluation = evaluate(mdp, solution.policy);
  for (std::size_t s = 0; s < evaluation.value.size(); ++s) {
    EXPECT_GE(evaluation.value[s] + evaluation.error_bound,
              solution.value[s] - solution.half_width - solution.policy_loss_bound);
    EXPECT_LE(evaluation.value[s] - evaluation.error_bound, solution.value[s] + solution.half_width);
  }
}

TEST(Solve, ChoosesTheOrderOfADeepModel) {
  EXPECT_EQ(solve(corridor(200, 0.99, 3)).method, Method::gauss_seidel);
  EXPECT_EQ(solve(corridor(10, 0.99, 3)).method, Method::modified_policy_iteration);
  EXPECT_EQ(solve(random_mdp(1)).method, Method::modified_policy_iteration);
}

// The guess outwards from the absorbing states. Where every move leads nearer to them it is the value. Where
// one move in ten leads back and hardly anything is discounted, values grow by the same from cell to cell but
// for the last few, and it saves nearly all sweeps.
TEST(Solve, TheGuessOutwardsSavesSweeps) {
  const Solution deep = solve(corridor(200, .99, 3), {.method = Method::gauss_seidel});
  EXPECT_EQ(deep.iterations, 1);
  EXPECT_EQ(deep.policy_sweeps, 0);

  constexpr std::int32_t kCells = 1000;
  MdpBuilder builder(1 - 1e-7, kCells + 1, 1);
  builder.set_reward(0, 0, 0);
  builder.add_transition(0, 0, 0, 1);
  for (std::int32_t s = 1; s <= kCells; ++s) {
    builder.set_reward(s, 0, -1);
    builder.add_transition(s, 0, s - 1, .9);
    builder.add_transition(s, 0, std::min(s + 1, kCells), .1);
  }
  const Mdp mdp = builder.build();
  SolveOptions options{.method = Method::gauss_seidel, .tolerance = 1e-4};
  EXPECT_LE(solve(mdp, options).policy_sweeps, 10);  // 3
  options.initial_value.assign(kCells + 1, 0.0);
  EXPECT_GE(solve(mdp, options).policy_sweeps, 50);  // 94
}

// A ring of 400 states that drifts slowly, with a discount near 1: sweeps mix too slowly, linear solves do
// not care.
TEST(Solve, TurnsToLinearSolvesWhereSweepsMixTooSlowly) {
  MdpArrays arrays;
  arrays.discount = 0.99999;
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  const std::int32_t n = 400;
  for (std::int32_t s = 0; s < n; ++s) {
    for (std::int32_t a = 0; a < 2; ++a) {  // drift either way; the other action costs a little
      arrays.pair_action.push_back(a);
      arrays.reward.push_back(s == 0 ? 1.0 : -0.001 * a);
      arrays.next_state.insert(arrays.next_state.end(), {(s + n - 1) % n, s, (s + 1) % n});
      arrays.probability.insert(arrays.probability.end(), {a == 0 ? 0.25 : 0.26, 0.5, a == 0 ? 0.25 : 0.24});
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
    }
    arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
  }
  const Mdp mdp(arrays);
  const Solution solution = solve(mdp, {.tolerance = 1e-8, .time_limit = 20});
  EXPECT_EQ(solution.status, SolveStatus::converged);
  EXPECT_EQ(solution.method, Method::policy_iteration);
  EXPECT_LT(solution.policy_sweeps, 2500);  // 2,000, then until the policy settles
  const auto truth = oracle::optimal_value<double>(mdp);
  for (std::int32_t s = 0; s < n; ++s) EXPECT_NEAR(solution.value[s], truth[s], solution.half_width + 1e-4);
}

// State 0 takes 2 and stops, or goes to a state that earns 1 for ever (value 9 at discount .9): greed is
// wrong at first sight, whatever the scale of rewards.
TEST_P(EveryMethod, WorksAtEveryScale) {
  for (const double scale : {1e-300, 1e-45, 1e-38, 1e-10, 1.0, 1e10, 1e39, 1e290}) {
    MdpArrays arrays;
    arrays.discount = 0.9;
    arrays.pair_begin = {0, 2, 3, 4};
    arrays.pair_action = {0, 1, 0, 0};
    arrays.row_begin = {0, 1, 2, 3, 4};
    arrays.next_state = {2, 1, 1, 2};
    arrays.probability = {1, 1, 1, 1};
    arrays.reward = {2 * scale, 0, scale, 0};
    const Solution solution = solve(Mdp(arrays), {.method = GetParam()});
    EXPECT_EQ(solution.status, SolveStatus::converged) << scale;
    EXPECT_NEAR(solution.value[0] / scale, 9, 1e-8) << scale;
  }
}

TEST_P(EveryMethod, SurvivesWildGuesses) {
  const Mdp mdp = random_mdp(6, {.states = 20, .discount = 0.9});
  const Solution cold = solve(mdp, {.method = GetParam()});
  for (const double wild : {1e12, -1e300, 1.7e308}) {
    std::vector<double> guess(20, wild);
    guess[3] = -wild;
    const Solution solution = solve(mdp, {.method = GetParam(), .initial_value = guess});
    EXPECT_EQ(solution.status, SolveStatus::converged);
    for (std::size_t s = 0; s < 20; ++s) EXPECT_NEAR(solution.value[s], cold.value[s], 1e-8);
  }
}

// Rewards in another unit are another scale and nothing else: by a power of two to the last bit, and with the
// same work.
TEST_P(EveryMethod, TheUnitOfRewardsMakesNoDifference) {
  for (const Mdp& mdp : {random_mdp(3, {.states = 40, .discount = .95}), corridor(200, .99, 3)}) {
    const Solution one = solve(mdp, {.method = GetParam()});
    for (const double unit : {0x1p-30, 0x1p30}) {
      std::vector<double> reward(mdp.reward().begin(), mdp.reward().end());
      for (double& r : reward) r *= unit;
      const Solution other = solve(mdp.with_reward(reward), {.method = GetParam()});
      EXPECT_EQ(other.method, one.method);
      EXPECT_EQ(other.iterations, one.iterations);
      EXPECT_EQ(other.policy_sweeps, one.policy_sweeps);
      for (std::size_t s = 0; s < one.value.size(); ++s) EXPECT_EQ(other.value[s], unit * one.value[s]);
    }
  }
}

TEST(Solve, RefusesValuesBeyondDoubles) {
  MdpArrays arrays = random_arrays(1, {.discount = 0.95});
  for (double& r : arrays.reward) r = 1e308;
  EXPECT_THROW(solve(Mdp(arrays)), NumericalError);
  EXPECT_THROW(solve_finite_horizon(Mdp(arrays), 50), NumericalError);
  MdpArrays heavy = random_arrays(1, {.discount = 1 - 1e-10, .row_sum_error = 0});
  for (double& p : heavy.probability) p *= 1 + 5e-10;
  EXPECT_THROW(solve(Mdp(heavy)), NumericalError);
  EXPECT_THROW(solve_finite_horizon(random_mdp(1), 2'000'000'000), InvalidArgument);
}

// Four moves of a quarter each: what their sum is rounded by, 4 u, takes a discount of 1 - 4 u to 1.
TEST(Solve, RefusesDiscountsThatRoundingBringsToOne) {
  MdpBuilder builder(1 - 0x1p-51, 4, 1);
  for (std::int32_t s = 0; s < 4; ++s) {
    builder.set_reward(s, 0, s);
    for (std::int32_t next = 0; next < 4; ++next) builder.add_transition(s, 0, next, .25);
  }
  for (const Method method : {Method::automatic, Method::value_iteration, Method::modified_policy_iteration,
                              Method::gauss_seidel}) {
    try {
      solve(builder.build(), {.method = method});
      ADD_FAILURE() << to_string(method);
    } catch (const NumericalError& error) {
      EXPECT_NE(std::string(error.what()).find("does not shrink"), std::string::npos) << error.what();
    }
  }
}

// A cycle that pays 1 and takes 1: in single precision the discount is 1, and 30 sweeps carry what was paid
// and taken out of every sum. Values then do not change, but are far from settled.
TEST(Solve, CorrectionsThatComeToNothingAreNotTheLimitOfPrecision) {
  constexpr std::int32_t kLength = 31;
  MdpBuilder builder(1 - 1e-8, kLength, 1);
  for (std::int32_t s = 0; s < kLength; ++s) {
    builder.set_reward(s, 0, s == 0 ? 1 : s == 1 ? -1 : 0);
    builder.add_transition(s, 0, (s + 1) % kLength, 1);
  }
  SolveOptions options;
  options.max_iterations = 2000;
  options.initial_value.assign(kLength, 0.0);
  EXPECT_EQ(solve(builder.build(), options).status, SolveStatus::converged);
  options.method = Method::modified_policy_iteration;
  const Solution solution = solve(builder.build(), options);
  EXPECT_EQ(solution.status, SolveStatus::iteration_limit);
  EXPECT_EQ(solution.iterations, 2000);
}

// A million states that each earn .1 for ever: the mean over them must not lose digits to the number of
// states.
TEST(Solve, BoundsAtTheStartHoldForManyStates) {
  const std::int32_t n = 1'000'000;
  MdpArrays arrays;
  arrays.discount = 0.9;
  arrays.pair_action.assign(n, 0);
  arrays.probability.assign(n, 1.0);
  arrays.reward.assign(n, 0.1);
  for (std::int32_t s = 0; s <= n; ++s) {
    arrays.pair_begin.push_back(s);
    arrays.row_begin.push_back(s);
    if (s < n) arrays.next_state.push_back(s);
  }
  const Mdp mdp(arrays);
  const Solution solution = solve(mdp);
  // The double nearest 1/n, n times, is 1 - 4.5e-17 or so; .1 / (1 - .9) in doubles is 1 + 2.2e-16.
  EXPECT_LE(solution.bounds[0], 1 + 3e-16);
  EXPECT_GE(solution.bounds[1], 1 - 1e-16);
  EXPECT_LT(solution.bounds[1] - solution.bounds[0], 1e-12);
  const FiniteHorizonSolution finite = solve_finite_horizon(mdp, 1);
  EXPECT_LE(finite.bounds[0], 0.1 + 2e-17);
  EXPECT_GE(finite.bounds[1], 0.1 - 2e-17);
}

TEST(Solve, CountsTies) {
  const Mdp mdp = corridor(3, 0.9, 0);  // staying is best everywhere but at the end, which has one action
  EXPECT_EQ(tied_states(mdp, solve(mdp)), 0);
  MdpArrays arrays;
  arrays.discount = 0.5;
  arrays.pair_begin = {0, 2};
  arrays.pair_action = {0, 1};
  arrays.row_begin = {0, 1, 2};
  arrays.next_state = {0, 0};
  arrays.probability = {1, 1};
  arrays.reward = {1, 1};
  EXPECT_EQ(tied_states(Mdp(arrays), solve(Mdp(arrays))), 1);
}

TEST(Solve, SaysWhyItStopped) {
  const Mdp mdp = random_mdp(4, {.states = 300, .successors = 2, .discount = 0.999});
  EXPECT_EQ(solve(mdp, {.max_iterations = 2}).status, SolveStatus::iteration_limit);
  EXPECT_EQ(solve(mdp, {.method = Method::value_iteration, .time_limit = 1e-9}).status,
            SolveStatus::time_limit);
  EXPECT_EQ(solve(mdp).status, SolveStatus::converged);
}

TEST(Solve, RefusesBadOptions) {
  const Mdp mdp = random_mdp(1);
  EXPECT_THROW(solve(mdp, {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW(solve(mdp, {.tolerance = std::nan("")}), InvalidArgument);
  EXPECT_THROW(solve(mdp, {.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW(solve(mdp, {.time_limit = 0}), InvalidArgument);
  EXPECT_THROW(solve(mdp, {.threads = -1}), InvalidArgument);
  EXPECT_THROW(solve(mdp, {.initial_value = {1, 2}}), InvalidArgument);
  EXPECT_THROW(solve(mdp.with_discount(1)), InvalidArgument);
  EXPECT_THROW(method_from_string("simplex"), InvalidArgument);
}

TEST(Solve, MethodNamesRoundTrip) {
  for (const Method method : kEveryMethod) EXPECT_EQ(method_from_string(to_string(method)), method);
  EXPECT_EQ(method_from_string("mpi"), Method::modified_policy_iteration);
}

TEST(Solve, ZeroRewardsAreSolvedAtOnce) {
  MdpArrays arrays = random_arrays(3, {});
  std::fill(arrays.reward.begin(), arrays.reward.end(), 0.0);
  const Solution solution = solve(Mdp(arrays));
  EXPECT_EQ(solution.status, SolveStatus::converged);
  EXPECT_EQ(solution.half_width, 0);
}

}  // namespace solve_test
}  // namespace mindgap::mdp
