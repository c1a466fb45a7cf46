#include "mindgap/gap/error_chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/world/projection.h"
#include "world/example_e.h"
#include "world/random_worlds.h"

namespace mindgap::gap {
namespace error_chain_test {

namespace example_e = world::example_e;

void expect_near(const std::vector<double>& values, const std::vector<double>& wanted) {
  ASSERT_EQ(values.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(values[i], wanted[i], 1e-7) << i;
}

// spec/tabular.md 5.
TEST(ErrorChain, ExampleE) {
  const ErrorChain chain = error_chain(example_e::simulator(), example_e::model());
  EXPECT_NEAR(chain.total.largest.reward, .1133333333, 1e-9);
  EXPECT_NEAR(chain.shift_error.largest.reward, .1333333333, 1e-9);
  EXPECT_NEAR(chain.residual_error.largest.reward, .05, 1e-9);
  EXPECT_NEAR(chain.total.largest.transition, .098, 1e-9);
  EXPECT_NEAR(chain.shift_error.largest.transition, .1333333333, 1e-9);
  EXPECT_NEAR(chain.residual_error.largest.transition, .0353333333, 1e-9);
  expect_near(chain.confounding.reward, {.0533333, .08, .04, .0184615, .0166667, .04});
  expect_near(chain.drift.reward, {.08, .08, .04, .02, .02, .08});
  // They cancel at the second and third pair: no shift although history is confounded there.
  EXPECT_NEAR(chain.shift_error.reward[1], 0, 1e-12);
  EXPECT_NEAR(chain.shift_error.reward[2], 0, 1e-12);
  EXPECT_NEAR(chain.history_error.reward.value, 0, 1e-15);
  EXPECT_NEAR(chain.history_error.transition.value, 0, 1e-15);
}

TEST(ErrorChain, OrderOfTheWorldDoesNotMatter) {
  const ErrorChain wanted = error_chain(example_e::simulator(), example_e::model());
  const ErrorChain found =
      error_chain(example_e::simulator(), world::HiddenModel(example_e::arrays({2, 0, 1}, {1, 0})));
  EXPECT_EQ(found.total.reward, wanted.total.reward);
  EXPECT_EQ(found.total.transition, wanted.total.transition);
  EXPECT_EQ(found.confounding.transition, wanted.confounding.transition);
}

// Rows (1/2, 1/2, 0) and (0, 1/4, 3/4): 1/2 + 1/4 + 3/4.
TEST(ErrorChain, RowsOfDifferentSupport) {
  const auto model = [](std::vector<std::int32_t> next, std::vector<double> p, double reward) {
    mdp::MdpArrays arrays;
    arrays.discount = .5;
    arrays.pair_begin = {0, 1, 2, 3};
    arrays.pair_action = {0, 0, 0};
    const auto size = static_cast<std::int64_t>(next.size());
    arrays.row_begin = {0, size, size + 1, size + 2};
    next.insert(next.end(), {0, 0});
    p.insert(p.end(), {1, 1});
    arrays.next_state = next;
    arrays.probability = p;
    arrays.reward = {reward, 0, 0};
    return mdp::Mdp(arrays);
  };
  const mdp::Mdp a = model({0, 1}, {.5, .5}, 1), b = model({1, 2}, {.25, .75}, -2);
  EXPECT_EQ(pair_errors(a, b).transition, (std::vector<double>{1.5, 0, 0}));
  EXPECT_EQ(pair_errors(b, a).transition, (std::vector<double>{1.5, 0, 0}));
  EXPECT_EQ(pair_errors(a, b).reward, (std::vector<double>{3, 0, 0}));
  EXPECT_EQ(pair_errors(a, b).largest.transition, 1.5);
  EXPECT_EQ(pair_errors(a, model({2}, {1}, 0)).transition[0], 2);
}

// Half the model, half a step to anywhere and a reward of 1.
mdp::Mdp blurred(const mdp::Mdp& model) {
  mdp::MdpArrays arrays;
  arrays.discount = model.discount();
  arrays.labels = model.labels();
  arrays.pair_begin.assign(model.pair_begin().begin(), model.pair_begin().end());
  arrays.pair_action.assign(model.pair_action().begin(), model.pair_action().end());
  arrays.row_begin = {0};
  for (std::int32_t k = 0; k < model.pairs(); ++k) {
    arrays.reward.push_back(.5 * model.reward()[k] + .5);
    for (std::int64_t i = model.row_begin()[k]; i < model.row_begin()[k + 1]; ++i) {
      arrays.next_state.push_back(model.next_state()[i]);
      arrays.probability.push_back(.5 * model.probability()[i]);
    }
    for (std::int32_t s = 0; s < model.states(); ++s) {
      arrays.next_state.push_back(s);
      arrays.probability.push_back(.5 / model.states());
    }
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
  }
  return mdp::Mdp(std::move(arrays));
}

TEST(ErrorChain, TriangleInequalities) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const world::HiddenModel world(world::random_world(seed, {.zeros = 0}));
    const mdp::Mdp simulator = blurred(world::calibration_kernel(world));
    const ErrorChain chain = error_chain(simulator, world);
    for (std::size_t k = 0; k < chain.total.reward.size(); ++k) {
      for (const auto part : {&PairErrors::reward, &PairErrors::transition}) {
        const auto at = [&](const PairErrors& errors) { return (errors.*part)[k]; };
        EXPECT_LE(at(chain.total), at(chain.shift_error) + at(chain.residual_error) + 1e-12);
        EXPECT_LE(at(chain.shift_error), at(chain.confounding) + at(chain.drift) + 1e-12);
      }
      EXPECT_LE(chain.total.transition[k], 2 + 1e-12);
    }
    for (const PairErrors* errors :
         {&chain.total, &chain.shift_error, &chain.confounding, &chain.drift, &chain.residual_error}) {
      EXPECT_EQ(errors->largest.reward, *std::max_element(errors->reward.begin(), errors->reward.end()));
      EXPECT_EQ(errors->largest.transition,
                *std::max_element(errors->transition.begin(), errors->transition.end()));
      EXPECT_GT(errors->largest.reward, 0);
      EXPECT_GT(errors->largest.transition, 0);
    }
  }
}

TEST(ErrorChain, NoConfoundingWithoutHiddenStateInTheBehaviour) {
  world::HiddenArrays arrays = example_e::arrays();
  arrays.behaviour.assign(12, .5);
  arrays.deployment = arrays.calibration;
  const ErrorChain chain = error_chain(example_e::simulator(), world::HiddenModel(arrays));
  EXPECT_NEAR(chain.confounding.largest.reward, 0, 1e-15);
  EXPECT_NEAR(chain.confounding.largest.transition, 0, 1e-15);
  EXPECT_EQ(chain.drift.largest.reward, 0);
  EXPECT_EQ(chain.drift.largest.transition, 0);
}

TEST(ErrorChain, WhatDoesNotMatchIsRefused) {
  world::HiddenArrays arrays = example_e::arrays();
  arrays.labels.states = mdp::NameTable({"s0", "s1", "other"});
  EXPECT_THROW(error_chain(example_e::simulator(), world::HiddenModel(arrays)), InvalidModel);
  const mdp::Mdp small = mdp::random_mdp(1, {.states = 2, .actions = 2});
  EXPECT_THROW(pair_errors(example_e::simulator(), small), InvalidArgument);
  const mdp::Mdp one = mdp::random_mdp(1, {.states = 5, .actions = 3});
  const mdp::Mdp other = mdp::random_mdp(2, {.states = 5, .actions = 3, .all_actions = true});
  EXPECT_THROW(pair_errors(one, other), InvalidArgument);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// spec/tabular.md 5: .4505881 <= 5.5433333 (ours) <= 19.9066667 (the paper's).
TEST(SimulationLemmaOfModels, ExampleE) {
  const mdp::Mdp simulator = example_e::simulator();
  const mdp::Mdp truth = world::deployment_projection(example_e::model());
  const mdp::Policy policy = mdp::solve(simulator).policy;
  const double difference =
      largest_difference(mdp::evaluate(simulator, policy).value, mdp::evaluate(truth, policy).value);
  const ModelError error = pair_errors(simulator, truth).largest;
  const double ours = simulation_lemma_bound(error, 1, .9);
  const double paper = simulation_lemma_bound_paper(error, 1, .9);
  EXPECT_NEAR(difference, .4505881, 1e-7);
  EXPECT_NEAR(ours, 5.5433333, 1e-7);
  EXPECT_NEAR(paper, 19.9066667, 1e-7);
  EXPECT_LE(difference, ours);
  EXPECT_LE(ours, paper);
}

// Any two models with the same pairs, any policy: the bound holds for either sign of rewards.
TEST(SimulationLemmaOfModels, HoldsForRandomModels) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const bool any_sign = seed % 2 == 0;
    const double g = seed % 3 == 0 ? .5 : .95;
    const auto model = [&](std::uint64_t of) {
      return mdp::random_mdp(
          of, {.discount = g, .reward_low = any_sign ? -1.0 : 0.0, .reward_high = 1, .all_actions = true});
    };
    const mdp::Mdp a = model(seed), b = model(seed + 1000);
    std::mt19937_64 bits(seed);
    // A simulator near the truth in every second case: the truth's rewards moved by up to .02.
    std::vector<double> near(a.reward().begin(), a.reward().end());
    for (double& r : near)
      r = std::clamp(r + .02 * static_cast<double>(bits() % 3) - .02, any_sign ? -1. : 0., 1.);
    const mdp::Mdp simulator = seed % 4 < 2 ? b : a.with_reward(near);
    const double bound = simulation_lemma_bound(pair_errors(simulator, a).largest, 1, g,
                                                any_sign ? RewardSign::any : RewardSign::nonnegative);
    for (const mdp::Policy& policy :
         {mdp::solve(simulator).policy, mdp::solve(a).policy, mdp::Policy::uniform(a)}) {
      const double difference =
          largest_difference(mdp::evaluate(simulator, policy).value, mdp::evaluate(a, policy).value);
      EXPECT_LE(difference, bound + 1e-9) << seed;
    }
  }
}

}  // namespace error_chain_test
}  // namespace mindgap::gap
