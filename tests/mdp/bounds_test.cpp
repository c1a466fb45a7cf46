// The certificate: bounds contain the truth, whatever the method, the tolerance and the row sums.
#include <gtest/gtest.h>

#include <array>

#include "mdp/exact_oracle.h"
#include "mdp/random_models.h"
#include "mindgap/mdp/bellman.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::mdp {
namespace bounds_test {

using oracle::Digits50;
using oracle::Rational;

// Exact comparisons: the doubles of a Solution are numbers like any other.
template <typename Number>
void expect_certified(const Mdp& mdp, const Solution& solution) {
  const std::vector<Number> truth = oracle::optimal_value<Number>(mdp);
  const auto picked = solution.policy.pair_of_state();
  const std::vector<Number> reached =
      oracle::policy_value<Number>(mdp, std::vector<std::int32_t>(picked.begin(), picked.end()));
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const Number value(solution.value[s]), width(solution.half_width);
    ASSERT_LE(value - width, truth[s]) << "state " << s;
    ASSERT_GE(value + width, truth[s]) << "state " << s;
    ASSERT_LE(truth[s] - reached[s], Number(solution.policy_loss_bound)) << "state " << s;
  }
}

void certify_random_models(std::uint64_t first_seed, int models) {
  for (int i = 0; i < models; ++i) {
    RandomModel shape;
    shape.states = 2 + i % 9;
    shape.actions = 1 + i % 4;
    shape.successors = 1 + i % 5;
    shape.discount = std::array{0.0, 0.5, 0.9, 0.99, 0.9999}[i % 5];
    shape.reward_low = i % 3 == 0 ? 0 : -1;
    shape.row_sum_error = i % 2 == 0 ? 0 : 4e-10;
    const Mdp mdp = random_mdp(first_seed + i, shape);
    SolveOptions options;
    options.method = std::array{Method::automatic, Method::value_iteration, Method::modified_policy_iteration,
                                Method::gauss_seidel, Method::policy_iteration}[i % 5];
    // Early stops must be as honest as late ones.
    options.tolerance = std::array{1e-1, 1e-3, 1e-6, 1e-10}[i % 4];
    if (i % 7 == 0) options.max_iterations = 1 + i % 3;
    const Solution solution = solve(mdp, options);
    if (i % 7 != 0 && shape.discount < 0.999) {
      ASSERT_EQ(solution.status, SolveStatus::converged) << "model " << i;
    }
    expect_certified<Digits50>(mdp, solution);
    if (testing::Test::HasFatalFailure()) FAIL() << "model " << i;
  }
}

TEST(Bounds, ContainTheTruthOnAThousandRandomModels) {
  certify_random_models(1, 1000);
}

// A lead of r1 - r2 lasts as long as discounted values have moved against each other by less, and no longer.
TEST(Leads, LastAsLongAsValuesMoveByLess) {
  const base::Threads one(1);
  constexpr double kDiscount = .5;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Mdp mdp =
        random_mdp(seed, {.states = 50, .actions = 2, .discount = kDiscount, .all_actions = true});
    const std::vector<double> in(50, 0.0);
    std::vector<double> out(50);
    std::vector<std::int32_t> pick(50);
    for (const double share : {.999, 1.001}) {
      for (std::int32_t s = 0; s < 50; ++s) {
        Leads leads(mdp);
        Bellman(mdp, one).improve(in, out, pick, {.leads = &leads});
        const double lead = std::abs(mdp.reward()[2 * s] - mdp.reward()[2 * s + 1]);
        leads.moved({-1, -1 + share * lead / kDiscount, 1});
        leads.age(one);
        EXPECT_EQ(leads.kept(s), share < 1) << "state " << s;
      }
    }
  }
}

// Row sums of 1 and 1 - 1e-9: a shift of all values by the same moves actions against each other.
TEST(Leads, CountShiftsOfAllValuesWhereRowSumsDiffer) {
  const base::Threads one(1);
  MdpArrays arrays;
  arrays.discount = .5;
  arrays.pair_begin = {0, 2};
  arrays.pair_action = {0, 1};
  arrays.row_begin = {0, 1, 2};
  arrays.next_state = {0, 0};
  arrays.probability = {1, 1 - 1e-9};
  arrays.reward = {0, 1e-6};
  const Mdp mdp(arrays);
  const auto kept_after_a_shift = [&](double shift) {
    Leads leads(mdp);
    const std::vector<double> in(1, 0.0);
    std::vector<double> out(1);
    std::vector<std::int32_t> pick(1);
    Bellman(mdp, one).improve(in, out, pick, {.leads = &leads});
    leads.moved({shift, shift, shift});
    leads.age(one);
    return leads.kept(0);
  };
  EXPECT_TRUE(kept_after_a_shift(1000));   // .5 * 1e-9 * 1,000 = 5e-7
  EXPECT_FALSE(kept_after_a_shift(3000));  // 1.5e-6: action 0 is the better one then
}

// Sweeps that keep states give the same values and actions, to the bit, as sweeps that compare all actions.
TEST(Leads, SweepsThatKeepStatesGiveTheSame) {
  const base::Threads threads(2);
  std::int64_t kept = 0;
  // Lengths that the compiler knows, odd and even, and one that it does not.
  constexpr std::array<std::int32_t, 7> kSuccessors{1, 2, 3, 4, 5, 12, 40};
  for (std::uint64_t seed = 1; seed <= kSuccessors.size(); ++seed) {
    RandomModel shape{.states = 5000, .actions = 4, .successors = kSuccessors[seed - 1]};
    shape.all_actions = seed % 2 == 0;
    const Mdp mdp = random_mdp(seed, shape);
    const Bellman bellman(mdp, threads);
    Leads leads(mdp);
    PolicyRows rows(mdp), rows_of_all(mdp);
    std::vector<double> value(mdp.states(), 0.0), next(mdp.states()), all(mdp.states());
    std::vector<std::int32_t> pick(mdp.states()), pick_of_all(mdp.states());
    for (int sweep = 0; sweep < 60; ++sweep) {
      leads.age(threads);
      for (std::int32_t s = 0; s < mdp.states() && leads.worthwhile(); ++s) kept += leads.kept(s);
      const Residual change = bellman.improve(value, next, pick, {.leads = &leads});
      leads.moved(change);
      const Residual of_all = bellman.improve(value, all, pick_of_all, {.rows = &rows_of_all});
      ASSERT_EQ(next, all) << "sweep " << sweep;
      ASSERT_EQ(pick, pick_of_all) << "sweep " << sweep;
      ASSERT_EQ(change.min, of_all.min);
      ASSERT_EQ(change.max, of_all.max);
      ASSERT_EQ(change.turned, of_all.turned);
      // With the rows of the policy at hand sums are added in another order.
      Leads same = leads;
      std::vector<std::int32_t> pick_of_rows = pick;
      bellman.improve(value, all, pick_of_rows, {.rows = &rows});
      same.age(threads);
      bellman.improve(value, all, pick_of_rows, {.rows = &rows, .leads = &same});
      ASSERT_EQ(pick_of_rows, pick);
      for (std::int32_t s = 0; s < mdp.states(); ++s) ASSERT_NEAR(all[s], next[s], 1e-13);
      value.swap(next);
    }
  }
  EXPECT_GT(kept, 100'000);
}

TEST(BoundsLong, ContainTheTruthOnTwentyThousandRandomModels) {
  certify_random_models(100000, 20000);
}

TEST(Bounds, ContainTheExactRationalTruth) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Mdp mdp = random_mdp(seed, {.states = 4, .discount = 0.875, .dyadic = true});
    expect_certified<Rational>(mdp, solve(mdp));
  }
}

// d = TV - V at V = 0 is r; with one state and one action V* = r/(1-g), and the bounds meet at it:
// TV + g/(1-g) d = r + 9 r = 10 r for g = .9.
TEST(Bounds, AreTightForOneState) {
  MdpArrays arrays;
  arrays.discount = 0.9;
  arrays.pair_begin = {0, 1};
  arrays.pair_action = {0};
  arrays.row_begin = {0, 1};
  arrays.next_state = {0};
  arrays.probability = {1};
  arrays.reward = {3};
  const Mdp mdp(arrays);
  const Solution solution = solve(mdp);
  EXPECT_EQ(solution.iterations, 1);
  EXPECT_NEAR(solution.value[0], 30, 1e-12);
  EXPECT_LT(solution.half_width, 1e-12);
}

// Rows that sum to 1 + e make the value larger: V = r / (1 - g (1 + e)). The plain formula g/(1-g) would miss
// it.
TEST(Bounds, AllowForRowSumsOffOne) {
  MdpArrays arrays;
  arrays.discount = 0.999;
  arrays.pair_begin = {0, 1};
  arrays.pair_action = {0};
  arrays.row_begin = {0, 1};
  arrays.next_state = {0};
  arrays.probability = {1 + 9e-10};
  arrays.reward = {1};
  const Solution solution = solve(Mdp(arrays));
  expect_certified<Digits50>(Mdp(arrays), solution);
  EXPECT_GT(solution.value[0], 1000 + 8e-4);
}

TEST(Bounds, GetNarrowerWithEverySweep) {
  const Mdp mdp = random_mdp(7, {.states = 40, .discount = 0.95});
  const base::Threads threads(1);
  const Bellman bellman(mdp, threads);
  std::vector<double> value(40, 0.0), next(40);
  std::vector<std::int32_t> pick(40);
  double last = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep < 50; ++sweep) {
    const Bounds bounds = bounds_from(mdp, bellman.improve(value, next, pick));
    EXPECT_LE(bounds.width(), last * (1 + 1e-12));
    last = bounds.width();
    std::swap(value, next);
  }
  EXPECT_LT(last, 0.1);
}

TEST(Bounds, StopsHonestlyWherePrecisionEnds) {
  const Mdp mdp = random_mdp(3, {.states = 8, .discount = 0.9999999});
  const Solution solution = solve(mdp, {.tolerance = 1e-14, .max_iterations = 100000});
  EXPECT_EQ(solution.status, SolveStatus::precision_limit);
  expect_certified<Digits50>(mdp, solution);
}

// Below the normal numbers rounding is not relative: what is certified contains the truth there too, and says
// so where it cannot be narrow.
TEST(Bounds, ContainTheTruthOfSubnormalValues) {
  for (int i = 0; i < 300; ++i) {
    const double scale = std::array{1e-308, 1e-311, 1e-316, 1e-320, 2e-323, 5e-324}[i % 6];
    MdpArrays arrays =
        random_arrays(static_cast<std::uint64_t>(i), {.states = 2 + i % 4,
                                                      .actions = 1 + i % 3,
                                                      .discount = std::array{0.5, 0.9, 0.99}[i % 3],
                                                      .dyadic = true});
    for (double& reward : arrays.reward) reward *= scale;
    const Mdp mdp(arrays);
    SolveOptions options;
    options.method = std::array{Method::automatic, Method::value_iteration, Method::modified_policy_iteration,
                                Method::gauss_seidel, Method::policy_iteration}[i % 5];
    const Solution solution = solve(mdp, options);
    expect_certified<Rational>(mdp, solution);
    ASSERT_TRUE(solution.status == SolveStatus::converged || solution.status == SolveStatus::precision_limit);
    const auto picked = solution.policy.pair_of_state();
    const std::vector<Rational> best = oracle::optimal_value<Rational>(mdp),
                                reached = oracle::policy_value<Rational>(mdp, {picked.begin(), picked.end()});
    Rational at_start = 0;
    for (std::int32_t s = 0; s < mdp.states(); ++s) at_start += Rational(mdp.start()[s]) * best[s];
    ASSERT_LE(Rational(solution.bounds[0]), at_start) << "model " << i;
    ASSERT_GE(Rational(solution.bounds[1]), at_start) << "model " << i;
    const Evaluation value = evaluate(mdp, solution.policy);
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      const Rational off = abs(Rational(value.value[s]) - reached[s]);
      ASSERT_LE(off, Rational(value.error_bound)) << "model " << i << " state " << s;
    }
    if (HasFatalFailure()) FAIL() << "model " << i;
  }
}

TEST(Bounds, OfNothingAreExact) {
  MdpArrays arrays = random_arrays(1, {.states = 5});
  for (double& reward : arrays.reward) reward = 0;
  const Solution solution = solve(Mdp(arrays));
  EXPECT_EQ(solution.status, SolveStatus::converged);
  EXPECT_EQ(solution.half_width, 0);
}

}  // namespace bounds_test
}  // namespace mindgap::mdp
