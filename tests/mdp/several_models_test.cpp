#include "mindgap/mdp/several_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mdp/exact_oracle.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/mean_model.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::mdp {
namespace several_models_test {

// Models with the same pairs and nothing else in common.
std::vector<Mdp> rivals(std::uint64_t seed, std::size_t size, std::int32_t states, std::int32_t actions = 3) {
  std::vector<Mdp> models;
  for (std::size_t i = 0; i < size; ++i) {
    models.push_back(
        random_mdp(1000 * seed + i, {.states = states, .actions = actions, .all_actions = true}));
  }
  return models;
}

// Calls visit(value per model) for every deterministic policy; values by an independent solver.
template <typename Visit>
void for_every_policy(const std::vector<Mdp>& models, Visit visit) {
  const Mdp& first = models.front();
  std::vector<std::int32_t> pair(first.pair_begin().begin(), first.pair_begin().end() - 1);
  for (;;) {
    std::vector<double> value;
    for (const Mdp& model : models) {
      const std::vector<double> of_state = oracle::policy_value<double>(model, pair);
      double at_start = 0;
      for (std::size_t s = 0; s < of_state.size(); ++s) at_start += model.start()[s] * of_state[s];
      value.push_back(at_start);
    }
    visit(value);
    std::int32_t s = 0;
    while (s < first.states() && ++pair[s] == first.pair_begin()[s + 1]) {
      pair[s] = first.pair_begin()[s];
      ++s;
    }
    if (s == first.states()) return;
  }
}

double mean_of(const std::vector<double>& weights, const std::vector<double>& value) {
  double sum = 0;
  for (std::size_t i = 0; i < value.size(); ++i) sum += weights[i] * value[i];
  return sum;
}

// Whether every search found the best of all deterministic policies is counted; it is not promised.
TEST(AveragePolicy, AgainstAllPolicies) {
  const std::vector<double> weights = {.5, .2, .3};
  int found_best = 0;
  constexpr int kCases = 60;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const std::vector<Mdp> models = rivals(seed, 3, 4);
    double best = -HUGE_VAL;
    for_every_policy(models, [&](const auto& value) { best = std::max(best, mean_of(weights, value)); });
    const SeveralModelsPolicy found = average_policy(models, weights);
    EXPECT_LE(found.value, best + 1e-9);
    EXPECT_GE(found.upper_bound, best - 1e-9);
    EXPECT_GE(found.upper_bound, found.value);
    EXPECT_NEAR(found.value, mean_of(weights, found.model_value), 1e-12);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(found.model_value[i], evaluate(models[i], found.policy).value_at_start, 1e-10);
    found_best += found.value > best - 1e-7;
  }
  EXPECT_GE(found_best, kCases * 9 / 10);
}

TEST(RobustPolicy, AgainstAllPolicies) {
  int found_best = 0;
  constexpr int kCases = 60;
  for (std::uint64_t seed = 100; seed < 100 + kCases; ++seed) {
    const std::vector<Mdp> models = rivals(seed, 3, 4);
    double best = -HUGE_VAL;
    for_every_policy(models, [&](const auto& value) { best = std::max(best, std::ranges::min(value)); });
    const SeveralModelsPolicy found = robust_policy(models);
    EXPECT_LE(found.value, best + 1e-9);
    EXPECT_GE(found.upper_bound, best - 1e-9);
    EXPECT_GE(found.upper_bound, found.value);
    EXPECT_EQ(found.value, std::ranges::min(found.model_value));
    EXPECT_NEAR(mean_of(found.weights, {1, 1, 1}), 1, 1e-12);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(found.model_value[i], evaluate(models[i], found.policy).value_at_start, 1e-10);
    found_best += found.value > best - 1e-7;
  }
  EXPECT_GE(found_best, kCases * 8 / 10);
}

// One state, three actions of rewards (10, 0), (0, 10) and (6, 6) in two models, discount 1/2: values are
// twice the rewards. The third is best on average with equal weights and in the worst case; no model has it
// as its optimum. In the mean model it is best, too; the bounds are 20.
TEST(SeveralModels, ByHand) {
  std::vector<Mdp> models;
  for (const std::vector<double>& reward : {std::vector<double>{10, 0, 6}, {0, 10, 6}}) {
    MdpArrays arrays;
    arrays.discount = .5;
    arrays.pair_begin = {0, 3};
    arrays.pair_action = {0, 1, 2};
    arrays.row_begin = {0, 1, 2, 3};
    arrays.next_state = {0, 0, 0};
    arrays.probability = {1, 1, 1};
    arrays.reward = reward;
    models.emplace_back(std::move(arrays));
  }
  const SeveralModelsPolicy average = average_policy(models, std::vector<double>{.5, .5});
  EXPECT_EQ(average.policy.pair_of_state()[0], 2);
  EXPECT_NEAR(average.value, 12, 1e-10);
  EXPECT_NEAR(average.upper_bound, 20, 1e-6);
  const SeveralModelsPolicy first = average_policy(models, std::vector<double>{.9, .1});
  EXPECT_EQ(first.policy.pair_of_state()[0], 0);
  EXPECT_NEAR(first.value, 18, 1e-10);
  const SeveralModelsPolicy robust = robust_policy(models);
  EXPECT_EQ(robust.policy.pair_of_state()[0], 2);
  EXPECT_NEAR(robust.value, 12, 1e-10);
  EXPECT_NEAR(robust.upper_bound, 20, 1e-6);
}

// Two models that lead one way or the other: the optimum of the mean model takes the risky action, whose mean
// row is not what any model does. From state 0, "risk" leads in model i to state i + 1, and there one action
// pays in that model alone; "safe" pays .6 for ever. The mean model sees half of the pay in either state
// after either action; both are the same there, but not for one policy in both models, which can take "risk"
// and then always the paying action: state i + 1 tells which model it is.
TEST(AveragePolicy, KnowsThatAModelStaysTheSame) {
  std::vector<Mdp> models;
  for (const int which : {0, 1}) {
    MdpArrays arrays;
    arrays.discount = .9;
    arrays.pair_begin = {0, 2, 4, 6};
    arrays.pair_action = {0, 1, 0, 1, 0, 1};
    arrays.row_begin = {0, 1, 2, 3, 4, 5, 6};
    arrays.next_state = {0, which + 1, 1, 1, 2, 2};
    arrays.probability = {1, 1, 1, 1, 1, 1};
    arrays.reward = {.6, 0, 0, 0, 0, 0};
    const std::int32_t in_state_1 = 2 + which, in_state_2 = 5 - which;
    arrays.reward[static_cast<std::size_t>(in_state_1)] = 1;  // action 0 in model 0, action 1 in model 1
    arrays.reward[static_cast<std::size_t>(in_state_2)] = 1;  // action 1 in model 0, action 0 in model 1
    arrays.start = {1, 0, 0};
    models.emplace_back(std::move(arrays));
  }
  const std::vector<double> weights = {.5, .5};
  const Policy of_mean = solve(mean_model(models, weights)).policy;
  EXPECT_NEAR(evaluate(models[0], of_mean).value_at_start, 6, 1e-9);  // safe
  const SeveralModelsPolicy found = average_policy(models, weights);
  EXPECT_NEAR(found.value, 9, 1e-9);
  EXPECT_NEAR(found.upper_bound, 9, 1e-6);  // and it is certain to be optimal
  EXPECT_NEAR(robust_policy(models).value, 9, 1e-9);
}

TEST(SeveralModels, OfOneModelIsItsOptimum) {
  const Mdp model = random_mdp(7, {.states = 30});
  const Solution solution = solve(model);
  for (const SeveralModelsPolicy& found :
       {average_policy({&model, 1}, std::vector<double>{1}), robust_policy({&model, 1})}) {
    EXPECT_NEAR(found.value, solution.value_at_start, 1e-8);
    EXPECT_NEAR(found.upper_bound, found.value, 1e-8);
  }
}

// Where all models are the same none is worse than another, and each keeps its weight.
TEST(SeveralModels, OfEqualModelsIsTheirOptimum) {
  const std::vector<Mdp> models(3, random_mdp(7, {.states = 30}));
  const SeveralModelsPolicy found = robust_policy(models);
  EXPECT_NEAR(found.value, solve(models[0]).value_at_start, 1e-8);
  EXPECT_NEAR(found.upper_bound, found.value, 1e-8);
  for (const double w : found.weights) EXPECT_NEAR(w, 1. / 3, 1e-12);
}

// At least as good as the policies that anybody would try first; and where states are many, too.
TEST(SeveralModels, NotWorseThanTheObviousPolicies) {
  for (const std::int32_t states : {20, 100}) {
    const std::vector<Mdp> models = rivals(5, 4, states, 4);
    const std::vector<double> weights = {.4, .3, .2, .1};
    const SeveralModelsPolicy average = average_policy(models, weights), robust = robust_policy(models);
    std::vector<Policy> obvious = {solve(mean_model(models, weights)).policy};
    for (const Mdp& model : models) obvious.push_back(solve(model).policy);
    for (const Policy& policy : obvious) {
      std::vector<double> value;
      value.reserve(models.size());
      for (const Mdp& model : models) value.push_back(evaluate(model, policy).value_at_start);
      EXPECT_GE(average.value, mean_of(weights, value) - 1e-9);
    }
    for (const Mdp& model : models) {
      std::vector<double> value;
      value.reserve(models.size());
      for (const Mdp& other : models) value.push_back(evaluate(other, solve(model).policy).value_at_start);
      EXPECT_GE(robust.value, std::ranges::min(value) - 1e-9);
    }
    EXPECT_LE(average.value, average.upper_bound);
    EXPECT_LE(robust.value, robust.upper_bound);
    EXPECT_LE(average.error_bound, 1e-8);
  }
}

TEST(SeveralModels, DoNotDependOnThreads) {
  const std::vector<Mdp> models = rivals(6, 3, 15);
  const std::vector<double> weights = {.4, .3, .3};
  const SeveralModelsPolicy one = average_policy(models, weights, {.threads = 1}),
                            two = average_policy(models, weights, {.threads = 2});
  EXPECT_EQ(one.policy, two.policy);
  EXPECT_EQ(one.model_value, two.model_value);
  EXPECT_EQ(robust_policy(models, {.search = {.threads = 1}}).model_value,
            robust_policy(models, {.search = {.threads = 2}}).model_value);
}

// A model of weight 0 counts neither in the value nor in the bound.
TEST(AveragePolicy, WeightZeroIsNoModel) {
  const std::vector<Mdp> models = rivals(7, 2, 10);
  const SeveralModelsPolicy found = average_policy(models, std::vector<double>{1, 0});
  EXPECT_NEAR(found.value, solve(models[0]).value_at_start, 1e-8);
  EXPECT_NEAR(found.upper_bound, found.value, 1e-8);
}

TEST(SeveralModels, EvaluatesNoMoreThanItMay) {
  const std::vector<Mdp> models = rivals(9, 3, 10);
  const std::vector<double> weights = {.5, .2, .3};
  for (const std::int64_t most : {1, 5}) {
    const SeveralModelsPolicy found =
        average_policy(models, weights, {.first_policies = 0, .max_evaluations = most});
    EXPECT_LE(found.evaluations, most);
  }
  EXPECT_GT(average_policy(models, weights, {.first_policies = 0}).evaluations, 5);
}

// What is gained by less than the tolerance, a share of max|r| / (1 - g), is left.
TEST(AveragePolicy, SmallGainsAreLeft) {
  const std::vector<double> weights = {.5, .2, .3};
  int gained = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<Mdp> models = rivals(seed, 3, 6);
    const Policy first = solve(mean_model(models, weights)).policy;
    double before = 0, largest = 0;
    for (std::size_t i = 0; i < models.size(); ++i) {
      before += weights[i] * evaluate(models[i], first).value_at_start;
      largest = std::max(largest, models[i].reward_magnitude());
    }
    SeveralModelsOptions options{.first_policies = 0};
    const double gain = average_policy(models, weights, options).value - before;
    if (gain < 1e-6) continue;
    ++gained;
    options.tolerance = 1.01 * gain * (1 - models[0].discount()) / largest;
    EXPECT_NEAR(average_policy(models, weights, options).value, before, 1e-9) << seed;
  }
  EXPECT_GT(gained, 5);
}

// "Up to" so many states includes as many.
TEST(AveragePolicy, SingleChangesUpToTheNumberOfStates) {
  const std::vector<double> weights = {.5, .2, .3};
  int differ = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<Mdp> models = rivals(seed, 3, 6);
    const auto evaluations = [&](std::int32_t up_to) {
      return average_policy(models, weights, {.first_policies = 0, .single_changes_up_to = up_to})
          .evaluations;
    };
    EXPECT_EQ(evaluations(6), evaluations(7)) << seed;
    differ += evaluations(5) != evaluations(6);
  }
  EXPECT_GT(differ, 0);
}

TEST(SeveralModels, BadArguments) {
  const std::vector<Mdp> models = rivals(8, 2, 3);
  const std::vector<double> weights = {.5, .5};
  for (const std::vector<double>& bad : {std::vector<double>{1}, {.5, .4}, {1.5, -.5}, {std::nan(""), 1}})
    EXPECT_THROW(static_cast<void>(average_policy(models, bad)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(average_policy({}, {})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(robust_policy({})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(average_policy(models, weights, {.first_policies = -1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(average_policy(models, weights, {.max_evaluations = 0})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(average_policy(models, weights, {.single_changes_up_to = -1})),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(average_policy(models, weights, {.tolerance = 0})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(robust_policy(models, {.rounds = 0})), InvalidArgument);
  const std::vector<Mdp> undiscounted = {models[0].with_discount(1), models[1].with_discount(1)};
  EXPECT_THROW(static_cast<void>(average_policy(undiscounted, weights)), InvalidArgument);
  const std::vector<Mdp> other = {models[0], random_mdp(1, {.states = 4})};
  EXPECT_THROW(static_cast<void>(average_policy(other, weights)), InvalidModel);
  EXPECT_THROW(static_cast<void>(robust_policy(other)), InvalidModel);
}

}  // namespace several_models_test
}  // namespace mindgap::mdp
