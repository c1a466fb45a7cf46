#include "mindgap/mdp/direct_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::mdp {
namespace direct_lanes_test {

constexpr std::size_t kLanes = DirectLanes::kLanes;

// One model that changes, and the pairs that did last.
struct Changing {
  std::vector<double> reward, probability;
  std::vector<std::int32_t> changed;

  explicit Changing(const Mdp& mdp)
      : reward(mdp.reward().begin(), mdp.reward().end()),
        probability(mdp.probability().begin(), mdp.probability().end()) {}

  void change(const Mdp& shape, std::int32_t count, std::mt19937_64& bits) {
    const auto uniform = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
    changed.clear();
    for (std::int32_t i = 0; i < count; ++i) {
      const auto k = static_cast<std::int32_t>(bits() % static_cast<std::uint64_t>(shape.pairs()));
      reward[k] += uniform() - .5;
      double sum = 0;
      for (const std::int64_t j : shape.entries_of(k)) sum += probability[j] += .5 * uniform();
      for (const std::int64_t j : shape.entries_of(k)) probability[j] /= sum;
      changed.push_back(k);
    }
  }
  Numbers numbers(const Mdp& shape) const { return {shape, reward, probability}; }
};

RollingSolution solved(const Mdp& mdp) {
  RollingSolution rolling(mdp, std::vector<double>(static_cast<std::size_t>(mdp.states())), {1e-4, 1e9});
  EXPECT_TRUE(rolling.update());
  return rolling;
}

// Every action of a cell leads to its neighbours, one of them more likely than the others.
Mdp grid(std::int32_t side) {
  MdpBuilder builder(.95, side * side, 4);
  const auto inside = [&](std::int32_t at) { return std::clamp(at, 0, side - 1); };
  for (std::int32_t cell = 0; cell < side * side; ++cell) {
    const std::int32_t x = cell % side, y = cell / side;
    const std::int32_t next[] = {y * side + inside(x - 1), y * side + inside(x + 1), inside(y - 1) * side + x,
                                 inside(y + 1) * side + x};
    for (std::int32_t action = 0; action < 4; ++action) {
      builder.set_reward(cell, action, (cell * 7 + action) % 5);
      for (std::int32_t move = 0; move < 4; ++move)
        builder.add_transition(cell, action, next[move], move == action ? .7 : .1);
    }
  }
  return builder.build();
}

// Some of the lanes look, now these and now those; a lane that does not keeps its solution.
TEST(DirectLanes, EveryLaneIsARollingSolutionToTheBit) {
  for (std::uint64_t seed = 0; seed < 14; ++seed) {
    std::mt19937_64 bits(seed);
    const Mdp mdp = seed < 12 ? random_mdp(seed, {.states = 4 + static_cast<std::int32_t>(seed) * 3,
                                                  .actions = 4,
                                                  .successors = 1 + static_cast<std::int32_t>(seed % 6),
                                                  .discount = seed % 2 == 0 ? .95 : .999})
                              : grid(static_cast<std::int32_t>(seed) - 7);
    const RollingSolution begin = solved(mdp);
    DirectLanes lanes(begin, 1e-8);
    std::vector<RollingSolution> alone(kLanes, begin);
    std::vector<Changing> models(kLanes, Changing(mdp));
    for (int look = 0; look < 15; ++look) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (look > 0 && bits() % 3 == 0) continue;
        models[lane].change(mdp, static_cast<std::int32_t>(bits() % 4), bits);
        const Numbers numbers = models[lane].numbers(mdp);
        if (look % 5 == 4) {
          lanes.set(lane, numbers);
          alone[lane].set(numbers);
        } else {
          lanes.set(lane, numbers, models[lane].changed, look % 5 == 3);
          alone[lane].set(numbers, models[lane].changed, look % 5 == 3);
        }
        ASSERT_TRUE(alone[lane].update());
      }
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        ASSERT_TRUE(std::ranges::equal(lanes.pair_of_state(lane), alone[lane].pair_of_state()))
            << seed << ", look " << look << ", lane " << lane;
        ASSERT_TRUE(std::ranges::equal(lanes.value(lane), alone[lane].value()))
            << seed << ", look " << look << ", lane " << lane;
      }
    }
  }
}

// Actions that are alike but for what they pay: in one lane all pay the same.
TEST(DirectLanes, TiesGoToTheLowestAction) {
  MdpBuilder builder(.9, 4, 3);
  for (std::int32_t state = 0; state < 4; ++state) {
    for (std::int32_t action = 0; action < 3; ++action) {
      builder.set_reward(state, action, action);
      builder.add_transition(state, action, (state + 1) % 4, .75);
      builder.add_transition(state, action, state, .25);
    }
  }
  const Mdp mdp = builder.build();
  const RollingSolution begin = solved(mdp);
  DirectLanes lanes(begin, 1e-8);
  Changing even(mdp);
  std::fill(even.reward.begin(), even.reward.end(), 1);
  lanes.set(5, even.numbers(mdp));
  for (std::int32_t s = 0; s < 4; ++s) {
    EXPECT_NEAR(lanes.value(5)[s], 10, 1e-9);  // 1 / (1 - .9)
    EXPECT_EQ(lanes.pair_of_state(5)[s], mdp.pairs_of(s).first());
    EXPECT_NEAR(lanes.value(4)[s], 20, 1e-9);  // nobody else moved
    EXPECT_EQ(lanes.pair_of_state(4)[s], mdp.pairs_of(s).first() + 2);
  }
}

// Beyond what is safe a lane is solved by itself, and says so where that fails.
TEST(DirectLanes, NumbersNearTheEndOfDoublePrecisionAreSolvedApart) {
  const Mdp mdp = random_mdp(5, {.states = 6});
  DirectLanes lanes(solved(mdp), 1e-8);
  Changing large(mdp);
  for (double& reward : large.reward) reward *= 1e250;
  lanes.set(2, large.numbers(mdp));
  const Solution alone = solve(mdp.with_reward(std::vector(large.reward)), {.tolerance = 1e-8, .threads = 1});
  EXPECT_TRUE(std::ranges::equal(lanes.pair_of_state(2), alone.policy.pair_of_state()));
  Changing beyond(mdp);
  for (double& reward : beyond.reward) reward = 1e308;
  lanes.set(1, beyond.numbers(mdp));
  EXPECT_THROW(lanes.pair_of_state(1), NumericalError);
}

TEST(DirectLanes, OnlyModelsOfTheSameShapeThatAreSmallEnough) {
  const Mdp mdp = random_mdp(5, {.states = 6});
  const DirectLanes lanes(solved(mdp), 1e-8);
  EXPECT_TRUE(lanes.fits(mdp.with_reward(std::vector<double>(static_cast<std::size_t>(mdp.pairs()), 2))));
  EXPECT_FALSE(lanes.fits(mdp.with_discount(.5)));
  EXPECT_FALSE(lanes.fits(random_mdp(6, {.states = 6})));
  const RollingSolution large(mdp, std::vector<double>(6), {1e-4, 0});
  EXPECT_THROW(DirectLanes(large, 1e-8), InvalidArgument);
}

}  // namespace direct_lanes_test
}  // namespace mindgap::mdp
