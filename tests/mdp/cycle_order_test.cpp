#include "mindgap/mdp/cycle_order.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mdp/random_models.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::mdp {
namespace {

// One action; from state s to to[s] with probability .8, to other[s] with .2.
Mdp walk(const std::vector<std::int32_t>& to, const std::vector<std::int32_t>& other) {
  MdpBuilder builder(.5, static_cast<std::int32_t>(to.size()), 1);
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(to.size()); ++s) {
    builder.set_reward(s, 0, 1);
    builder.add_transition(s, 0, to[s], .8);
    builder.add_transition(s, 0, other[s], .2);
  }
  return builder.build();
}

std::vector<std::int32_t> numbers_below(std::int32_t end) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(end));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// 4 -> 3 -> 1 <-> 2, and 0 stays; on the side 1 may go to 3, 3 to 4, 4 to 0.
TEST(CycleOrder, CyclesFirstThenByDistance) {
  const Mdp mdp = walk({0, 2, 1, 1, 3}, {1, 3, 2, 4, 0});
  const std::vector<std::int32_t> all = numbers_below(5);
  CycleOrder order;
  order.find(all, mdp, all);
  EXPECT_EQ(std::vector(order.states().begin(), order.states().end()),
            (std::vector<std::int32_t>{0, 1, 2, 3, 4}));
  ASSERT_EQ(order.cycles(), 2U);
  EXPECT_EQ(order.cycle(0).size(), 1U);
  EXPECT_EQ(order.cycle(1).size(), 2U);
  EXPECT_EQ(order.basins(), 2U);
  EXPECT_EQ(order.basin(0), 0);
  for (const std::size_t place : {1, 2, 3, 4}) EXPECT_EQ(order.basin(place), 1) << place;
  // 3 goes to the cycle with .8 and to 4, which follows it, with .2: x = .5 (.8 + .2 x). 4 goes to 3 with .8,
  // and otherwise leaves the basin.
  EXPECT_DOUBLE_EQ(order.gain(1), 1);
  EXPECT_DOUBLE_EQ(order.gain(3), .4 / .9);
  EXPECT_DOUBLE_EQ(order.gain(4), 0);  // two steps away
  EXPECT_DOUBLE_EQ(order.later(3, mdp, 3), .2);
  EXPECT_DOUBLE_EQ(order.later(4, mdp, 4), 0);
  EXPECT_TRUE(order.on_cycle(2));
  EXPECT_FALSE(order.on_cycle(3));
}

// Of 4 -> 3 -> 1 <-> 2 only 4, 3 and 2: 3 and 2 lead out.
TEST(CycleOrder, SomeStates) {
  const Mdp mdp = walk({0, 2, 1, 1, 3}, {1, 3, 2, 4, 0});
  const std::vector<std::int32_t> all = numbers_below(5), some = {4, 3, 2};
  CycleOrder order;
  order.find(all, mdp, all);
  order.find(some, mdp, all);
  EXPECT_EQ(std::vector(order.states().begin(), order.states().end()), (std::vector<std::int32_t>{3, 2, 4}));
  EXPECT_EQ(order.cycles(), 0U);
  EXPECT_EQ(order.basins(), 2U);
  EXPECT_EQ(order.basin(2), order.basin(0));
  EXPECT_EQ(order.place(0), -1);
  EXPECT_EQ(order.place(1), -1);
  EXPECT_EQ(order.place(4), 2);
}

// Whatever the model: each state once, cycles are cycles of likeliest successors, and everybody else comes
// after their own.
TEST(CycleOrder, EveryStateComesAfterTheOneItLeadsTo) {
  CycleOrder order;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Mdp mdp = random_mdp(seed, {.states = 40});
    std::vector<std::int32_t> pick, some;
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      pick.push_back(mdp.pairs_of(s).first());
      if ((s * 7 + static_cast<std::int32_t>(seed)) % 3 != 0) some.push_back(s);
    }
    order.find(some, mdp, pick);
    ASSERT_EQ(order.size(), some.size());
    const auto next = [&](std::int32_t s) {
      const Row row = mdp.row(pick[s]);
      const auto most = std::max_element(row.probability.begin(), row.probability.end());
      return row.next_state[static_cast<std::size_t>(most - row.probability.begin())];
    };
    for (const std::int32_t s : some) ASSERT_EQ(order.states()[order.place(s)], s);
    for (std::size_t c = 0; c < order.cycles(); ++c) {
      const auto cycle = order.cycle(c);
      for (std::size_t i = 0; i < cycle.size(); ++i)
        ASSERT_EQ(next(cycle[i]), cycle[(i + 1) % cycle.size()]) << seed;
    }
    const std::size_t on_cycles = order.cycles() == 0 ? 0 : order.cycle_end(order.cycles() - 1);
    for (std::size_t i = on_cycles; i < order.size(); ++i) {
      const std::int32_t to = order.place(next(order.states()[i]));
      ASSERT_LT(to, static_cast<std::int32_t>(i)) << seed;
      if (to < 0) continue;
      ASSERT_EQ(order.basin(static_cast<std::size_t>(to)), order.basin(i)) << seed;
    }
  }
}

}  // namespace
}  // namespace mindgap::mdp
