#include "mindgap/mdp/evaluate.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mdp/exact_oracle.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/mdp/one_product.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::mdp {
namespace evaluate_test {

Policy random_policy(const Mdp& mdp, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::vector<double> probability(mdp.pairs());
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    double sum = 0;
    for (auto k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      sum += probability[k] = static_cast<double>(bits() >> 40);
    }
    for (auto k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) probability[k] /= sum;
  }
  return Policy::stochastic(mdp, probability);
}

// A model with one action per state that does what the policy does: the oracle for stochastic policies.
Mdp induced(const Mdp& mdp, const Policy& policy) {
  const std::vector<double> probability = policy.probability_of_pair(mdp);
  MdpArrays arrays;
  arrays.discount = mdp.discount();
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    arrays.pair_begin.push_back(s + 1);
    arrays.pair_action.push_back(0);
    double reward = 0;
    for (auto k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      reward += probability[k] * mdp.reward()[k];
      for (auto i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
        arrays.next_state.push_back(mdp.next_state()[i]);
        arrays.probability.push_back(probability[k] * mdp.probability()[i]);
      }
    }
    arrays.reward.push_back(reward);
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
  }
  return Mdp(arrays);
}

class EveryLinearMethod : public testing::TestWithParam<LinearMethod> {};
INSTANTIATE_TEST_SUITE_P(Resolvent, EveryLinearMethod,
                         testing::Values(LinearMethod::automatic, LinearMethod::dense,
                                         LinearMethod::sparse_lu, LinearMethod::krylov),
                         [](const auto& param_info) {
                           std::string name(to_string(param_info.param));
                           return name == "sparse-lu" ? "sparse_lu" : name;
                         });

TEST_P(EveryLinearMethod, EvaluatesStochasticPolicies) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Mdp mdp = random_mdp(seed, {.states = 30, .actions = 4, .successors = 4, .discount = 0.97});
    const Policy policy = random_policy(mdp, seed);
    const Evaluation evaluation = evaluate(mdp, policy, {.method = GetParam()});
    std::vector<std::int32_t> only(30);
    std::iota(only.begin(), only.end(), 0);
    const auto truth = oracle::policy_value<oracle::Digits50>(induced(mdp, policy), only);
    for (std::size_t s = 0; s < truth.size(); ++s) {
      // The induced model itself is rounded once, which 1e-13 covers.
      EXPECT_LE(abs(oracle::Digits50(evaluation.value[s]) - truth[s]), evaluation.error_bound + 1e-13 / 0.03);
    }
    EXPECT_LT(evaluation.error_bound, 1e-9);
  }
}

TEST_P(EveryLinearMethod, TransposeIsTheTranspose) {
  const Mdp mdp = random_mdp(9, {.states = 25, .actions = 3, .successors = 4, .discount = 0.9});
  Resolvent resolvent(mdp, random_policy(mdp, 1), {.method = GetParam()});
  const std::vector<double> full = resolvent.dense();
  std::vector<double> b(25), x(25, 0.0), y(25, 0.0);
  for (std::size_t i = 0; i < 25; ++i) b[i] = std::sin(static_cast<double>(i));
  resolvent.apply(b, x);
  resolvent.apply_transpose(b, y);
  for (std::size_t i = 0; i < 25; ++i) {
    double row = 0, column = 0;
    for (std::size_t j = 0; j < 25; ++j) {
      row += full[i * 25 + j] * b[j];
      column += full[j * 25 + i] * b[j];
    }
    EXPECT_NEAR(x[i], row, 1e-11);
    EXPECT_NEAR(y[i], column, 1e-11);
  }
}

// A chain of 6,000 states, in which all but the last go on: worth 1 + g + g^2 + ...
TEST(Resolvent, OneProductIsFoundWithoutFactorsInLargeModels) {
  constexpr std::int32_t kStates = 6'000;
  MdpBuilder builder(.95, kStates, 1);
  for (std::int32_t s = 0; s < kStates; ++s) {
    builder.set_reward(s, 0, s + 1 < kStates ? 1 : 0);
    builder.add_transition(s, 0, std::min(s + 1, kStates - 1), 1);
  }
  const Mdp mdp = builder.build();
  EXPECT_EQ(method_for_one_product(mdp, LinearMethod::automatic), LinearMethod::krylov);
  EXPECT_EQ(method_for_one_product(mdp, LinearMethod::sparse_lu), LinearMethod::sparse_lu);
  EXPECT_EQ(method_for_one_product(mdp.with_discount(.999), LinearMethod::automatic),
            LinearMethod::automatic);
  EXPECT_EQ(method_for_one_product(random_mdp(1), LinearMethod::automatic), LinearMethod::automatic);
  const Evaluation found = evaluate(mdp, Policy::uniform(mdp));
  EXPECT_NEAR(found.value[0], 20, 1e-9 + found.error_bound);
  EXPECT_NEAR(found.value[kStates - 3], 1.95, 1e-9 + found.error_bound);
  EXPECT_LT(found.error_bound, 1e-8);
}

// Two states, g = 1/2; state 0 moves on, state 1 stays. R = [[1, 1], [0, 2]] by hand:
// (I - P/2) = [[1, -1/2], [0, 1/2]].
TEST(Resolvent, ByHand) {
  MdpArrays arrays;
  arrays.discount = 0.5;
  arrays.pair_begin = {0, 1, 2};
  arrays.pair_action = {0, 0};
  arrays.row_begin = {0, 1, 2};
  arrays.next_state = {1, 1};
  arrays.probability = {1, 1};
  arrays.reward = {3, 5};
  arrays.start = {1, 0};
  const Mdp mdp(arrays);
  const Policy policy = Policy::uniform(mdp);
  EXPECT_EQ(Resolvent(mdp, policy).dense(), (std::vector<double>{1, 1, 0, 2}));
  EXPECT_NEAR(evaluate(mdp, policy).value_at_start, 8, 1e-14);  // 3 + 5
  const Visitation visits = discounted_visitation(mdp, policy);
  EXPECT_NEAR(visits.share[0], 0.5, 1e-15);
  EXPECT_NEAR(visits.share[1], 0.5, 1e-15);
  EXPECT_EQ(finite_occupancy(mdp, policy, 4), (std::vector<double>{1, 3}));
}

TEST(Visitation, IsAFlow) {
  const Mdp mdp = random_mdp(13, {.states = 80, .actions = 3, .successors = 4, .discount = 0.99});
  const Policy policy = random_policy(mdp, 4);
  const std::vector<double> d = discounted_visitation(mdp, policy).share;
  EXPECT_NEAR(std::accumulate(d.begin(), d.end(), 0.0), 1, 1e-12);
  std::vector<double> next(d.size());
  step_distribution(mdp, policy.probability_of_pair(mdp), d, next);
  for (std::size_t s = 0; s < d.size(); ++s) {
    EXPECT_NEAR(d[s], (1 - 0.99) * mdp.start()[s] + 0.99 * next[s], 1e-14);
  }
  // <d, r> = (1-g) rho'V
  const std::vector<double> probability = policy.probability_of_pair(mdp);
  double earned = 0;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    earned += d[mdp.state_of_pair(k)] * probability[k] * mdp.reward()[k];
  }
  EXPECT_NEAR(earned, 0.01 * evaluate(mdp, policy).value_at_start, 1e-13);
}

TEST(FiniteHorizon, AgreesWithEnumerationOfAllPolicies) {
  // Every time-dependent policy of a 2-state, 2-action model over 3 steps: 4^3 of them.
  const Mdp mdp =
      random_mdp(17, {.states = 2, .actions = 2, .successors = 2, .all_actions = true}).with_discount(1);
  const FiniteHorizonSolution solution = solve_finite_horizon(mdp, 3);
  std::array<double, 2> best{-1e9, -1e9};
  for (int code = 0; code < 64; ++code) {
    std::array<double, 2> value{0, 0};
    for (int t = 2; t >= 0; --t) {
      std::array<double, 2> now{};
      for (int s = 0; s < 2; ++s) {
        const std::int32_t k = mdp.pair_begin()[s] + ((code >> (2 * t + s)) & 1);
        now[s] = mdp.reward()[k];
        for (auto i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
          now[s] += mdp.probability()[i] * value[mdp.next_state()[i]];
        }
      }
      value = now;
    }
    for (int s = 0; s < 2; ++s) best[s] = std::max(best[s], value[s]);
  }
  EXPECT_NEAR(solution.value[0], best[0], 1e-14);
  EXPECT_NEAR(solution.value[1], best[1], 1e-14);
  EXPECT_LT(solution.error_bound, 1e-13);
}

TEST(FiniteHorizon, ApproachesTheDiscountedValue) {
  const Mdp mdp = random_mdp(19, {.states = 20, .discount = 0.8});
  const FiniteHorizonSolution finite = solve_finite_horizon(mdp, 200);
  const Solution infinite = solve(mdp);
  for (std::size_t s = 0; s < 20; ++s) EXPECT_NEAR(finite.value[s], infinite.value[s], 1e-9);
}

TEST(FiniteHorizon, OccupancyFollowsTheTimePolicy) {
  const Mdp mdp = random_mdp(23, {.states = 6, .discount = 1});
  const FiniteHorizonSolution solution = solve_finite_horizon(mdp, 5);
  const std::vector<double> visits = finite_occupancy(mdp, solution.pair, 5);
  EXPECT_NEAR(std::accumulate(visits.begin(), visits.end(), 0.0), 5, 1e-12);
}

// One state that only stays, under a uniform policy over many actions: V = 1 / (1 - g) up to what sums of
// 10,000 rounded probabilities lose.
TEST_P(EveryLinearMethod, BoundsHoldForManyActions) {
  for (const std::int32_t actions : {1, 100, 10000}) {
    MdpArrays arrays;
    arrays.discount = 0.999;
    arrays.pair_begin = {0, actions};
    arrays.row_begin = {0};
    for (std::int32_t a = 0; a < actions; ++a) {
      arrays.pair_action.push_back(a);
      arrays.next_state.push_back(0);
      arrays.probability.push_back(1);
      arrays.reward.push_back(1);
      arrays.row_begin.push_back(a + 1);
    }
    const Mdp mdp(arrays);
    const Evaluation evaluation = evaluate(mdp, Policy::uniform(mdp), {.method = GetParam()});
    // The policy as it is stored: `actions` times the double nearest 1 / actions.
    const oracle::Digits50 mass = oracle::Digits50(1.0 / actions) * actions;
    const oracle::Digits50 truth = mass / (1 - oracle::Digits50(0.999) * mass);
    EXPECT_LE(abs(oracle::Digits50(evaluation.value[0]) - truth), evaluation.error_bound) << actions;
  }
}

// Krylov cannot get below rounding at a discount this near 1, and must not try for ever.
// The mean reward of a state with n actions may be off by g_n = n u / (1 - n u) times the largest reward,
// with u = 2^-53 (Higham 2002, section 3.1); in a value that becomes 1/(1 - g) times as much.
TEST(Resolvent, CountsTheRoundingOfMeanRewards) {
  for (const std::int32_t actions : {3, 5, 8}) {
    const Mdp mdp = random_mdp(9, {.states = 6, .actions = actions, .discount = .5, .all_actions = true});
    const double u = 0x1p-53, own = actions * u / (1 - actions * u);
    EXPECT_GE(Resolvent(mdp, Policy::uniform(mdp)).reward_error(), own * mdp.reward_magnitude() / .5);
  }
}

TEST(Resolvent, StopsWhereRoundingEnds) {
  const Mdp mdp = random_mdp(31, {.states = 20000, .actions = 1, .successors = 5, .discount = 0.99999});
  const Visitation visits = discounted_visitation(mdp, Policy::uniform(mdp));
  EXPECT_NEAR(std::accumulate(visits.share.begin(), visits.share.end(), 0.0), 1, visits.error_bound + 1e-12);
  EXPECT_LT(visits.error_bound, 1e-6);
  const Evaluation evaluation = evaluate(mdp, Policy::uniform(mdp));
  EXPECT_LT(evaluation.error_bound, 1e-3);
}

TEST(Evaluate, RefusesPoliciesOfOtherModels) {
  const Mdp wide = random_mdp(2, {.states = 2, .actions = 3, .all_actions = true});
  const Mdp narrow = random_mdp(2, {.states = 2, .actions = 1, .all_actions = true});
  const Policy policy = Policy::deterministic(wide, {2, 5});
  EXPECT_THROW(evaluate(narrow, policy), InvalidArgument);
  const std::vector<std::int32_t> pairs{2, 5};
  EXPECT_THROW(finite_occupancy(narrow, pairs, 1), InvalidArgument);
  EXPECT_THROW(finite_occupancy(narrow, pairs, 0), InvalidArgument);
}

TEST(Evaluate, RefusesBadArguments) {
  const Mdp mdp = random_mdp(1);
  const Policy other = Policy::uniform(random_mdp(1, {.states = 7}));
  EXPECT_THROW(evaluate(mdp, other), InvalidArgument);
  EXPECT_THROW(evaluate(mdp.with_discount(1), Policy::uniform(mdp)), InvalidArgument);
  EXPECT_THROW(Resolvent(mdp, Policy::uniform(mdp)).dense(4), InvalidArgument);
  EXPECT_THROW(solve_finite_horizon(mdp, 0), InvalidArgument);
  EXPECT_THROW(Policy::deterministic(mdp, {0, 0, 0, 0, 0}), InvalidArgument);
  std::vector<std::int32_t> of_next(mdp.pair_begin().begin() + 1, mdp.pair_begin().end());
  EXPECT_THROW(Policy::deterministic(mdp, of_next), InvalidArgument);  // the first pairs of the next states
  EXPECT_THROW(Policy::stochastic(mdp, std::vector<double>(mdp.pairs(), 0.3)), InvalidArgument);
}

}  // namespace evaluate_test
}  // namespace mindgap::mdp
