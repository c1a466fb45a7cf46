#include "mindgap/mdp/elimination.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/evaluate.h"

namespace mindgap::mdp {
namespace elimination_test {

constexpr double kAnyWork = 1e9;

Elimination elimination_of(const Mdp& mdp) {
  return Elimination(plan_elimination(mdp, kAnyWork));
}

// Two states, discount .5: 0 goes to 1 for certain and earns 1, 1 goes to 0 or stays evenly and earns 2.
// V0 = 1 + V1/2, V1 = 2 + V0/4 + V1/4, so 5/8 V1 = 9/4: V1 = 3.6, V0 = 2.8.
TEST(Elimination, HandValue) {
  MdpArrays arrays;
  arrays.discount = .5;
  arrays.pair_begin = {0, 1, 2};
  arrays.pair_action = {0, 0};
  arrays.row_begin = {0, 1, 3};
  arrays.next_state = {1, 0, 1};
  arrays.probability = {1, .5, .5};
  arrays.reward = {1, 2};
  const Mdp mdp(arrays);
  std::vector<double> value(2);
  elimination_of(mdp).evaluate(mdp, std::vector<std::int32_t>{0, 1}, value);
  EXPECT_NEAR(value[0], 2.8, 1e-15);
  EXPECT_NEAR(value[1], 3.6, 1e-15);
}

TEST(Elimination, AgreesWithTheResolventForPolicyAfterPolicy) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Mdp mdp = random_mdp(seed, {.states = 17, .discount = seed % 2 == 0 ? .9 : .999});
    Elimination elimination = elimination_of(mdp);
    std::mt19937_64 bits(seed);
    for (int i = 0; i < 4; ++i) {
      std::vector<std::int32_t> pick;
      for (std::int32_t s = 0; s < mdp.states(); ++s) {
        const auto actions = static_cast<std::uint64_t>(mdp.pair_begin()[s + 1] - mdp.pair_begin()[s]);
        pick.push_back(mdp.pair_begin()[s] + static_cast<std::int32_t>(bits() % actions));
      }
      std::vector<double> value(17);
      elimination.evaluate(mdp, pick, value);
      const Evaluation wanted = evaluate(mdp, Policy::deterministic(mdp, pick));
      for (std::size_t s = 0; s < 17; ++s) EXPECT_NEAR(value[s], wanted.value[s], 1e-9 + wanted.error_bound);
    }
  }
}

// On a chain every state but the last leads to one that is left, so that a row is subtracted from one other:
// a factor and an entry, 2 multiplications; and there are 2 nonzeros a state.
TEST(Elimination, ChainsAreCheap) {
  constexpr std::int32_t kStates = 100;
  MdpArrays arrays;
  arrays.discount = .9;
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  for (std::int32_t s = 0; s < kStates; ++s) {
    arrays.pair_begin.push_back(s + 1);
    arrays.pair_action.push_back(0);
    arrays.reward.push_back(1);
    arrays.next_state.insert(arrays.next_state.end(), {std::max(s - 1, 0), std::min(s + 1, kStates - 1)});
    arrays.probability.insert(arrays.probability.end(), {.5, .5});
    arrays.row_begin.push_back(2 * s + 2);
  }
  const Mdp mdp(arrays);
  Elimination elimination = elimination_of(mdp);
  EXPECT_EQ(elimination.plan()->work, 2 * (kStates - 1) + 2 * kStates);
  EXPECT_EQ(plan_elimination(mdp, 2 * (kStates - 1) + 2 * kStates - 1), nullptr);
  EXPECT_EQ(plan_elimination(mdp, 1), nullptr);
  std::vector<double> value(kStates);
  std::vector<std::int32_t> pick(kStates);
  for (std::int32_t s = 0; s < kStates; ++s) pick[static_cast<std::size_t>(s)] = s;
  elimination.evaluate(mdp, pick, value);
  for (const double v : value) EXPECT_NEAR(v, 10, 1e-12);
}

// On a grid of side n, taken row by row, n^2 rows have n entries after the diagonal, each of which meets n
// rows: n^4 = 923,521 multiplications for 31. A good order needs a quarter.
TEST(Elimination, GridsHaveFewNonzerosInAGoodOrder) {
  constexpr std::int32_t kSide = 31, kStates = kSide * kSide;
  MdpBuilder builder(.95, kStates, 4);
  const auto inside = [](std::int32_t at) { return std::clamp(at, 0, kSide - 1); };
  for (std::int32_t s = 0; s < kStates; ++s) {
    const std::int32_t x = s % kSide, y = s / kSide;
    const std::int32_t next[] = {y * kSide + inside(x - 1), y * kSide + inside(x + 1),
                                 inside(y - 1) * kSide + x, inside(y + 1) * kSide + x};
    for (std::int32_t action = 0; action < 4; ++action) {
      builder.set_reward(s, action, s % 7);
      builder.add_transition(s, action, next[action], 1);
    }
  }
  const Mdp mdp = builder.build();
  Elimination elimination = elimination_of(mdp);
  EXPECT_LT(elimination.plan()->work, 250'000);
  std::vector<std::int32_t> pick;
  pick.reserve(kStates);
  for (std::int32_t s = 0; s < kStates; ++s) pick.push_back(mdp.pair_begin()[s] + (s * s) % 4);
  std::vector<double> value(kStates);
  elimination.evaluate(mdp, pick, value);
  const Evaluation wanted = evaluate(mdp, Policy::deterministic(mdp, pick));
  for (std::size_t s = 0; s < value.size(); ++s)
    EXPECT_NEAR(value[s], wanted.value[s], 1e-9 + wanted.error_bound);
}

TEST(Elimination, BadArgumentsThrow) {
  const Mdp mdp = random_mdp(1);
  EXPECT_THROW(elimination_of(mdp.with_discount(1)), InvalidArgument);
  Elimination elimination = elimination_of(mdp);
  std::vector<double> value(5), less(4);
  const std::vector<std::int32_t> pick(5), fewer(4);
  EXPECT_THROW(elimination.evaluate(mdp, fewer, value), InvalidArgument);
  EXPECT_THROW(elimination.evaluate(mdp, pick, less), InvalidArgument);
}

}  // namespace elimination_test
}  // namespace mindgap::mdp
