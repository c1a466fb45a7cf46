#include "mindgap/mdp/lump.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "mdp/random_models.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::mdp {
namespace lump_test {

using Classes = std::vector<std::int32_t>;

// The same partition with blocks numbered in the order of their first states.
Classes in_order(const Classes& classes) {
  std::map<std::int32_t, std::int32_t> number;
  Classes ordered;
  for (const std::int32_t c : classes)
    ordered.push_back(number.emplace(c, static_cast<std::int32_t>(number.size())).first->second);
  return ordered;
}

// By the definition, with sums of numbers that are exact in binary.
bool is_bisimulation(const Mdp& mdp, const Classes& classes) {
  const auto offers = [&](std::int32_t s) {
    std::map<std::int32_t, std::pair<double, std::map<std::int32_t, double>>> by_action;
    for (const std::int32_t k : mdp.pairs_of(s)) {
      auto& [reward, next] = by_action[mdp.pair_action()[k]];
      reward = mdp.reward()[k];
      for (const std::int64_t i : mdp.entries_of(k))
        next[classes[mdp.next_state()[i]]] += mdp.probability()[i];
    }
    return by_action;
  };
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (std::int32_t t = 0; t < s; ++t) {
      if (classes[s] == classes[t] && offers(s) != offers(t)) return false;
    }
  }
  return true;
}

// Tries every partition there is (restricted growth strings) and keeps the bisimulation with the fewest
// classes.
Classes coarsest_by_brute_force(const Mdp& mdp) {
  Classes now(mdp.states(), 0), best;
  std::int32_t fewest = mdp.states() + 1;
  const auto grow = [&](const auto& self, std::int32_t s, std::int32_t used) -> void {
    if (used >= fewest) return;
    if (s == mdp.states()) {
      if (is_bisimulation(mdp, now)) {
        fewest = used;
        best = now;
      }
      return;
    }
    for (now[s] = 0; now[s] <= used; ++now[s]) self(self, s + 1, std::max(used, now[s] + 1));
    now[s] = 0;
  };
  grow(grow, 0, 0);
  return best;
}

// Every state of `small` becomes up to `most` states; a row's probability of going to one is spread over
// them in sixteenths, each time differently. States are shuffled. `class_of` says which came from which.
Mdp inflated(const Mdp& small, std::int32_t most, std::uint64_t seed, Classes& class_of) {
  std::mt19937_64 bits(seed);
  class_of.clear();
  for (std::int32_t c = 0; c < small.states(); ++c) {
    for (std::uint64_t i = 0; i <= bits() % most; ++i) class_of.push_back(c);
  }
  for (std::size_t i = class_of.size(); i-- > 1;) std::swap(class_of[i], class_of[bits() % (i + 1)]);
  std::vector<Classes> states_of(small.states());
  for (std::size_t s = 0; s < class_of.size(); ++s)
    states_of[class_of[s]].push_back(static_cast<std::int32_t>(s));
  MdpArrays arrays;
  arrays.discount = small.discount();
  arrays.actions = small.actions();
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  for (const std::int32_t c : class_of) {
    for (const std::int32_t k : small.pairs_of(c)) {
      for (const std::int64_t i : small.entries_of(k)) {
        const Classes& to = states_of[small.next_state()[i]];
        std::uint64_t left = 16;
        for (std::size_t j = 0; j < to.size(); ++j) {
          const std::uint64_t part = j + 1 == to.size() ? left : bits() % (left + 1);
          arrays.next_state.push_back(to[j]);
          arrays.probability.push_back(small.probability()[i] * static_cast<double>(part) / 16);
          left -= part;
        }
      }
      arrays.pair_action.push_back(small.pair_action()[k]);
      arrays.reward.push_back(small.reward()[k]);
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
    }
    arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
  }
  return Mdp(std::move(arrays));
}

Mdp with_few_rewards(const Mdp& mdp, std::uint64_t kinds) {
  std::vector<double> reward(mdp.reward().begin(), mdp.reward().end());
  for (double& r : reward) r = std::floor(r * static_cast<double>(kinds));
  return mdp.with_reward(reward);
}

// Two rooms that mirror each other, entered from a hall: {hall}, {left, right}, {end}.
TEST(Lump, MirrorImagesAreOneClass) {
  MdpBuilder builder(.9);
  for (const char* name : {"hall", "left", "right", "end"}) builder.add_state(name);
  builder.add_action("go");
  builder.add_transition(0, 0, 1, .3);
  builder.add_transition(0, 0, 2, .7);
  for (const std::int32_t s : {1, 2, 3}) builder.add_transition(s, 0, 3, 1);
  for (const std::int32_t s : {0, 3}) builder.set_reward(s, 0, 0);
  builder.set_reward(1, 0, 5);
  builder.set_reward(2, 0, 5);
  const Mdp mdp = builder.build();
  const Lumping lumping = lump(mdp);
  EXPECT_EQ(lumping.class_of_state, (Classes{0, 1, 1, 2}));
  EXPECT_EQ(lumping.first_state, (Classes{0, 1, 3}));
  EXPECT_EQ(lumping.mdp.state_name(1), "left");
  EXPECT_EQ(lumping.mdp.action_name(0), "go");
  EXPECT_EQ(lumping.mdp.row(0).size(), 1U);
  EXPECT_DOUBLE_EQ(lumping.mdp.start()[1], .5);
  EXPECT_EQ(lumping.reward_error, 0);
  EXPECT_EQ(lumping.probability_error, 0);
}

TEST(Lump, IsTheCoarsestThatBruteForceFinds) {
  std::set<std::int32_t> sizes;
  int shrunk = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto states = static_cast<std::int32_t>(2 + seed % 3);
    const auto actions = static_cast<std::int32_t>(1 + seed % 2);
    const Mdp small = with_few_rewards(
        random_mdp(seed, {.states = states, .actions = actions, .successors = 2, .dyadic = true}), 1);
    Classes hidden;
    const Mdp mdp = inflated(small, 3, seed, hidden);
    if (mdp.states() > 8) continue;
    const Lumping lumping = lump(mdp);
    EXPECT_EQ(lumping.class_of_state, in_order(coarsest_by_brute_force(mdp))) << seed;
    EXPECT_TRUE(is_bisimulation(mdp, lumping.class_of_state));
    EXPECT_EQ(lumping.probability_error, 0);
    sizes.insert(lumping.classes());
    shrunk += lumping.classes() < mdp.states();
  }
  EXPECT_GE(sizes.size(), 3U);
  EXPECT_GE(shrunk, 20);
}

// Beyond what brute force can do: as coarse as the model that was inflated, or coarser.
TEST(Lump, FindsTheModelBehindALargerOne) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Mdp small = random_mdp(seed, {.states = 30, .actions = 3, .successors = 3, .dyadic = true});
    Classes hidden;
    const Mdp mdp = inflated(small, 20, seed, hidden);
    const Lumping lumping = lump(mdp);
    EXPECT_EQ(lumping.class_of_state, in_order(hidden)) << seed;  // rewards differ between all states
  }
}

// A chain with a reward at its end: every state is n steps from it, so no two are alike, and each step of
// refinement finds one more. Quadratic methods do not come back from this.
TEST(Lump, LongChainsTakeNoQuadraticTime) {
  constexpr std::int32_t kLength = 200'000;
  MdpArrays arrays{.discount = .9, .pair_begin = {0}, .row_begin = {0}};
  for (std::int32_t s = 0; s < 2 * kLength; ++s) {  // two chains, side by side
    arrays.pair_begin.push_back(s + 1);
    arrays.pair_action.push_back(0);
    arrays.row_begin.push_back(s + 1);
    arrays.next_state.push_back(std::min(s + 2, 2 * kLength - 2 + s % 2));
    arrays.probability.push_back(1);
    arrays.reward.push_back(s >= 2 * kLength - 2 ? 1 : 0);
  }
  const Lumping lumping = lump(Mdp(std::move(arrays)));
  EXPECT_EQ(lumping.classes(), kLength);
  EXPECT_EQ(lumping.class_of_state[0], lumping.class_of_state[1]);
}

// .1 + .2 is not .3 in binary, but means it; 1e-6 apart is not the same.
TEST(Lump, SumsAreComparedUpToRounding) {
  const auto model = [](double off) {
    MdpBuilder builder(.9);
    for (const char* name : {"a", "b", "x", "y", "z"}) builder.add_state(name);
    builder.add_action("go");
    for (const std::int32_t s : {0, 1}) builder.set_reward(s, 0, 0);
    builder.add_transition(0, 0, 2, .1);
    builder.add_transition(0, 0, 3, .2);
    builder.add_transition(0, 0, 4, .7);
    builder.add_transition(1, 0, 2, .3 + off);
    builder.add_transition(1, 0, 4, .7 - off);
    builder.add_transition(2, 0, 2, 1);
    builder.add_transition(3, 0, 3, 1);
    builder.add_transition(4, 0, 4, 1);
    builder.set_reward(2, 0, .1 + .2);
    builder.set_reward(3, 0, .3);
    builder.set_reward(4, 0, 1);
    return builder.build();
  };
  const Lumping lumping = lump(model(0));
  EXPECT_EQ(lumping.class_of_state, (Classes{0, 0, 1, 1, 2}));
  EXPECT_GT(lumping.probability_error, 0);
  EXPECT_LT(lumping.probability_error, 1e-15);
  EXPECT_GT(lumping.reward_error, 0);
  EXPECT_LT(lumping.reward_error, 1e-15);
  EXPECT_EQ(lump(model(1e-6)).class_of_state, (Classes{0, 1, 2, 2, 3}));
  EXPECT_EQ(lump(model(1e-9)).classes(), 4);
}

TEST(Lump, ActionsThatAreNotAvailableTellStatesApart) {
  MdpBuilder builder(.9);
  for (const char* name : {"a", "b"}) builder.add_state(name);
  builder.add_action("one");
  builder.add_action("two");
  builder.set_reward(0, 0, 0);
  builder.set_reward(1, 1, 0);
  builder.add_transition(0, 0, 0, 1);
  builder.add_transition(1, 1, 1, 1);
  EXPECT_EQ(lump(builder.build()).classes(), 2);
}

TEST(SolveLumped, AgreesWithTheWholeModelWithinItsBounds) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Mdp small = random_mdp(
        seed, {.states = 12, .actions = 3, .successors = 3, .discount = .97, .dyadic = seed % 2 == 0});
    Classes hidden;
    const Mdp mdp = inflated(small, 15, seed, hidden);
    for (const Method method :
         {Method::automatic, Method::value_iteration, Method::gauss_seidel, Method::policy_iteration}) {
      const Solution whole = solve(mdp, {.method = method});
      const LumpedSolution lumped = solve_lumped(mdp, {.method = method});
      EXPECT_EQ(lumped.classes, small.states());
      EXPECT_EQ(lumped.solution.status, SolveStatus::converged);
      EXPECT_LE(lumped.solution.policy_loss_bound, 1e-10 * mdp.reward_max() / (1 - mdp.discount()));
      for (std::int32_t s = 0; s < mdp.states(); ++s) {
        EXPECT_LE(std::abs(lumped.solution.value[s] - whole.value[s]),
                  lumped.solution.half_width + whole.half_width);
      }
      EXPECT_EQ(lumped.solution.policy.states(), mdp.states());
      EXPECT_LE(lumped.solution.bounds[0], whole.bounds[1]);
      EXPECT_GE(lumped.solution.bounds[1], whole.bounds[0]);
    }
  }
}

// Numbers that are merged although they differ by a little: the bounds are those of the model itself.
TEST(SolveLumped, BoundsHoldWhereNumbersWereMergedThatDiffer) {
  MdpBuilder builder(.999);
  for (const char* name : {"a", "b"}) builder.add_state(name);
  builder.add_action("stay");
  builder.add_transition(0, 0, 0, 1);
  builder.add_transition(1, 0, 1, 1);
  builder.set_reward(0, 0, 1);
  builder.set_reward(1, 0, 1 - 3e-13);
  const Mdp mdp = builder.build();
  const LumpedSolution lumped = solve_lumped(mdp, {.tolerance = 1e-14});
  ASSERT_EQ(lumped.classes, 1);
  EXPECT_NEAR(lumped.reward_error, 3e-13, 1e-16);
  EXPECT_LE(std::abs(lumped.solution.value[0] - 1 / (1 - .999)), lumped.solution.half_width * (1 + 1e-9));
  EXPECT_LE(std::abs(lumped.solution.value[1] - (1 - 3e-13) / (1 - .999)),
            lumped.solution.half_width * (1 + 1e-9));
}

TEST(SolveLumped, WhatCannotBeLumpedIsSolvedAsItIs) {
  const Mdp mdp = random_mdp(3, {.states = 50});
  const LumpedSolution lumped = solve_lumped(mdp);
  const Solution whole = solve(mdp);
  EXPECT_EQ(lumped.classes, 50);
  EXPECT_EQ(lumped.solution.value, whole.value);
  EXPECT_EQ(lumped.solution.iterations, whole.iterations);
}

}  // namespace lump_test
}  // namespace mindgap::mdp
