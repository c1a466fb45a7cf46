#include "mindgap/mdp/rolling_solution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::mdp {
namespace rolling_solution_test {

// A square of cells with four moves, .85 as intended: values have far to go.
Mdp square(std::int32_t side, double discount, std::uint64_t seed) {
  constexpr std::int32_t kMoves[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  std::mt19937_64 bits(seed);
  MdpArrays arrays;
  arrays.discount = discount;
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  for (std::int32_t s = 0; s < side * side; ++s) {
    const double pays = static_cast<double>(bits() >> 11) * 0x1p-53;
    for (std::int32_t a = 0; a < 4; ++a) {
      arrays.pair_action.push_back(a);
      arrays.reward.push_back(pays);
      for (std::int32_t m = 0; m < 4; ++m) {
        const std::int32_t row = s / side + kMoves[m][0], column = s % side + kMoves[m][1];
        const bool inside = row >= 0 && row < side && column >= 0 && column < side;
        arrays.next_state.push_back(inside ? row * side + column : s);
        arrays.probability.push_back(m == a ? .85 : .05);
      }
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
    }
    arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
  }
  return Mdp(arrays);
}

// The same model where these pairs pay and lead otherwise.
Mdp changed(const Mdp& mdp, std::span<const std::int32_t> pairs, std::mt19937_64& bits) {
  const auto uniform = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  std::vector<double> reward(mdp.reward().begin(), mdp.reward().end());
  std::vector<double> probability(mdp.probability().begin(), mdp.probability().end());
  for (const std::int32_t k : pairs) {
    reward[k] += .6 * (uniform() - .5);
    double sum = 0;
    for (const std::int64_t j : mdp.entries_of(k)) sum += probability[j] += .3 * uniform();
    for (const std::int64_t j : mdp.entries_of(k)) probability[j] /= sum;
  }
  return mdp.with_probability(std::move(probability)).with_reward(std::move(reward));
}

// The same with `count` pairs, any.
Mdp changed(const Mdp& mdp, std::int32_t count, std::mt19937_64& bits) {
  std::vector<std::int32_t> pairs(static_cast<std::size_t>(count));
  for (std::int32_t& k : pairs)
    k = static_cast<std::int32_t>(bits() % static_cast<std::uint64_t>(mdp.pairs()));
  return changed(mdp, pairs, bits);
}

// What the policy loses against the optimum at worst, and what the bound says.
void expect_within_bound(const Mdp& mdp, const RollingSolution& rolling, const std::string& where) {
  const Solution exact = solve(mdp, {.tolerance = 1e-13});
  const auto pairs = rolling.pair_of_state();
  const Policy policy = Policy::deterministic(mdp, {pairs.begin(), pairs.end()});
  const std::vector<double> value = evaluate(mdp, policy).value;
  const double slack = rolling.is_direct() ? 0 : rolling.loss_bound();
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    ASSERT_LE(exact.value[s] - value[s], slack + 1e-9) << where << ", state " << s;
    ASSERT_NEAR(rolling.value()[s], exact.value[s], slack / 2 + 1e-9) << where << ", state " << s;
  }
}

void roll(Mdp mdp, const RollingOptions& options, std::int32_t changes, std::uint64_t seed,
          const std::string& name) {
  std::mt19937_64 bits(seed);
  RollingSolution rolling(mdp, std::vector<double>(static_cast<std::size_t>(mdp.states())), options);
  for (int look = 0; look < 12; ++look) {
    rolling.set(mdp);
    if (!rolling.update()) {  // too slow for it
      rolling.restart(solve(mdp, {.tolerance = 1e-13}).value);
      ASSERT_TRUE(rolling.update()) << name;
    }
    expect_within_bound(mdp, rolling, name + ", look " + std::to_string(look));
    mdp = changed(mdp, changes, bits);
  }
}

TEST(RollingSolution, IsWithinItsBoundOfTheOptimumLookAfterLook) {
  for (const double threshold : {1e-2, 1e-4, 1e-9}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      roll(square(9, .95, seed), {threshold, 0}, 5, seed, "square");
      roll(square(5, .999, seed), {threshold, 0}, 2, seed, "patient square");
      roll(random_mdp(seed, {.states = 40, .discount = .97}), {threshold, 0}, 3, seed, "random");
      roll(random_mdp(seed, {.states = 30, .successors = 1, .discount = .9}), {threshold, 0}, 3, seed,
           "deterministic");
    }
  }
}

TEST(RollingSolution, SmallModelsAreSolvedDirectly) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Mdp mdp = random_mdp(seed, {.states = 12, .discount = .99});
    EXPECT_TRUE(RollingSolution(mdp, std::vector<double>(12), {}).is_direct());
    roll(mdp, {1e-2, 20'000}, 3, seed, "direct");
  }
}

// A guess far off, or none at all, costs time only.
TEST(RollingSolution, AnyGuessWillDo) {
  const Mdp mdp = square(8, .95, 7);
  for (const double guess : {-1e3, 0.0, 1e3}) {
    RollingSolution rolling(mdp, std::vector<double>(64, guess), {1e-6, 0});
    ASSERT_TRUE(rolling.update());
    expect_within_bound(mdp, rolling, "guess");
  }
}

// Nothing changed: nothing is done. Little changed: less is done than for all states once.
TEST(RollingSolution, WorkIsInProportionToWhatChanged) {
  std::mt19937_64 bits(1);
  Mdp mdp = square(30, .9, 3);
  RollingSolution rolling(mdp, solve(mdp).value, {1e-4, 0});
  ASSERT_TRUE(rolling.update());
  const std::int64_t first = rolling.backups();
  rolling.set(mdp);
  ASSERT_TRUE(rolling.update());
  EXPECT_EQ(rolling.backups(), first);
  std::vector<double> reward(mdp.reward().begin(), mdp.reward().end());
  reward[100] -= .01;
  mdp = mdp.with_reward(std::move(reward));
  rolling.set(mdp);
  ASSERT_TRUE(rolling.update());
  EXPECT_LT(rolling.backups() - first, 900);
}

// Who says which rows changed gets the same bits as who shows all of them.
TEST(RollingSolution, OnlyChangedRowsNeedBeNamed) {
  for (const double direct_work : {0.0, 1e6}) {
    for (const bool all_rewards : {false, true}) {
      std::mt19937_64 bits(3);
      Mdp mdp = square(7, .95, 2);
      RollingSolution shown(mdp, std::vector<double>(49), {1e-4, direct_work}), named = shown;
      for (int look = 0; look < 10; ++look) {
        const Mdp before = mdp;
        mdp = changed(mdp, 4, bits);
        if (all_rewards) {
          std::vector<double> reward(mdp.reward().begin(), mdp.reward().end());
          for (double& r : reward) r += .01 * look;
          mdp = mdp.with_reward(std::move(reward));
        }
        std::vector<std::int32_t> rows;
        for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
          if (mdp.reward()[k] != before.reward()[k] ||
              !std::ranges::equal(mdp.row(k).probability, before.row(k).probability))
            rows.push_back(k);
        }
        rows.push_back(rows.front());
        shown.set(mdp);
        named.set(mdp, rows, all_rewards);
        ASSERT_TRUE(shown.update());
        ASSERT_TRUE(named.update());
        ASSERT_TRUE(std::ranges::equal(shown.value(), named.value())) << look;
        ASSERT_TRUE(std::ranges::equal(shown.pair_of_state(), named.pair_of_state())) << look;
      }
    }
  }
}

// V >= TV - (2 g + 1/2) h everywhere, and what the policy loses in the states `from` is at most what the
// header says, computed from V - T_pi V of all states.
void expect_right_from(const Mdp& mdp, const RollingSolution& rolling, double threshold,
                       std::span<const std::int32_t> from, const std::string& where) {
  const double g = mdp.discount(), off = (2 * g + .5) * threshold;
  const auto pairs = rolling.pair_of_state();
  const auto action_value = [&](std::int32_t k) {
    double sum = 0;
    for (const std::int64_t j : mdp.entries_of(k))
      sum += mdp.probability()[j] * rolling.value()[mdp.next_state()[j]];
    return mdp.reward()[k] + g * sum;
  };
  std::vector<double> excess(static_cast<std::size_t>(mdp.pairs()));
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (const std::int32_t k : mdp.pairs_of(s))
      ASSERT_LE(action_value(k), rolling.value()[s] + off + 1e-9) << where << ", state " << s;
    excess[pairs[s]] = std::max(0.0, rolling.value()[s] - action_value(pairs[s]));
  }
  const Policy policy = Policy::deterministic(mdp, {pairs.begin(), pairs.end()});
  const std::vector<double> value = evaluate(mdp, policy).value,
                            exact = solve(mdp, {.tolerance = 1e-13}).value,
                            visited = evaluate(mdp.with_reward(std::move(excess)), policy).value;
  for (const std::int32_t s : from) {
    ASSERT_LE(exact[s] - value[s], off / (1 - g) + visited[s] + 1e-9) << where;
  }
}

// Units follow the policy, and rows change: any, or those that they take.
void roll_from(Mdp mdp, double threshold, std::int32_t units, bool any, std::uint64_t seed,
               const std::string& name) {
  std::mt19937_64 bits(seed);
  RollingSolution rolling(mdp, solve(mdp).value, {threshold, 0});
  ASSERT_TRUE(rolling.update());
  std::vector<std::int32_t> from(static_cast<std::size_t>(units));
  for (std::int32_t& s : from) s = static_cast<std::int32_t>(bits() % static_cast<unsigned>(mdp.states()));
  for (int look = 0; look < 15; ++look) {
    std::vector<std::int32_t> taken;
    taken.reserve(from.size());
    for (const std::int32_t s : from) taken.push_back(rolling.pair_of_state()[s]);
    mdp = any ? changed(mdp, 4, bits) : changed(mdp, taken, bits);
    for (std::int32_t& s : from) {
      const auto entries = mdp.entries_of(rolling.pair_of_state()[s]);
      s = mdp.next_state()[entries.first() + static_cast<std::int64_t>(bits() % entries.size())];
    }
    rolling.set(mdp);
    ASSERT_TRUE(rolling.update(from)) << name;
    expect_right_from(mdp, rolling, threshold, from, name + ", look " + std::to_string(look));
    if (look % 5 == 4) {  // who asks for all states gets them, however old some were
      RollingSolution all = rolling;
      ASSERT_TRUE(all.update());
      expect_within_bound(mdp, all, name + ", all states");
    }
  }
}

TEST(RollingSolution, FromSomeStatesItIsRightWhereTheyLead) {
  for (const double threshold : {1e-3, 1e-5}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      for (const bool any : {false, true}) {
        roll_from(square(9, .95, seed), threshold, 3, any, seed, "square");
        roll_from(random_mdp(seed, {.states = 60, .discount = .9}), threshold, 3, any, seed, "random");
        roll_from(random_mdp(seed, {.states = 30, .successors = 1, .discount = .95}), threshold, 3, any, seed,
                  "deterministic");
      }
    }
  }
}

// A first guess may be anything there, too.
TEST(RollingSolution, AnyGuessWillDoFromSomeStates) {
  const Mdp mdp = square(8, .95, 7);
  const std::vector<std::int32_t> from = {0, 27, 27};
  for (const double guess : {-1e3, 0.0, 1e3}) {
    RollingSolution rolling(mdp, std::vector<double>(64, guess), {1e-6, 0});
    ASSERT_TRUE(rolling.update(from));
    expect_right_from(mdp, rolling, 1e-6, from, "guess");
  }
}

// One unit in a large square, which learns of the rows that it takes: most of the square is none of its
// business.
TEST(RollingSolution, FromSomeStatesThereIsLessToDo) {
  std::mt19937_64 bits(2);
  Mdp mdp = square(40, .95, 3);
  RollingSolution all(mdp, solve(mdp).value, {1e-5, 0});
  ASSERT_TRUE(all.update());
  RollingSolution one = all;
  const std::int64_t before = all.backups();
  std::int32_t at = 820;
  for (int look = 0; look < 30; ++look) {
    const std::vector<std::int32_t> taken = {one.pair_of_state()[at]}, from = {at};
    mdp = changed(mdp, taken, bits);
    for (RollingSolution* rolling : {&all, &one}) rolling->set(mdp);
    ASSERT_TRUE(all.update());
    ASSERT_TRUE(one.update(from));
    const auto pairs = one.pair_of_state();
    const double value = evaluate(mdp, Policy::deterministic(mdp, {pairs.begin(), pairs.end()})).value[at];
    ASSERT_GT(value, all.value()[at] - 5 * all.loss_bound()) << look;  // what unlikely paths add
    at = mdp.row(one.pair_of_state()[at]).next_state[0];
  }
  EXPECT_LT(one.backups() - before, (all.backups() - before) / 2);
}

TEST(RollingSolution, CopiesGoTheirOwnWay) {
  std::mt19937_64 bits(5);
  const Mdp mdp = square(8, .95, 1), other = changed(mdp, 10, bits);
  RollingSolution one(mdp, std::vector<double>(64), {1e-6, 0});
  ASSERT_TRUE(one.update());
  RollingSolution two = one;
  two.set(other);
  ASSERT_TRUE(two.update());
  expect_within_bound(mdp, one, "the original");
  expect_within_bound(other, two, "the copy");
}

// Rewards up to half a threshold away are not looked at, and the bound knows that.
TEST(RollingSolution, SmallChangesOfRewardsStayWithinTheBound) {
  Mdp mdp = square(8, .95, 2);
  RollingSolution rolling(mdp, std::vector<double>(64), {1e-2, 0});
  ASSERT_TRUE(rolling.update());
  const std::int64_t first = rolling.backups();
  std::vector<double> reward(mdp.reward().begin(), mdp.reward().end());
  for (std::size_t k = 0; k < reward.size(); ++k) reward[k] += k % 3 == 0 ? .0049 : -.004;
  mdp = mdp.with_reward(std::move(reward));
  rolling.set(mdp);
  ASSERT_TRUE(rolling.update());
  EXPECT_EQ(rolling.backups(), first);
  expect_within_bound(mdp, rolling, "small changes");
}

TEST(RollingSolution, GivesUpNearTheEndOfDoublePrecision) {
  const Mdp mdp = square(4, .95, 2);
  RollingSolution rolling(mdp, std::vector<double>(16), {1e-2, 0});
  std::vector<double> reward(mdp.reward().begin(), mdp.reward().end());
  reward[0] = 1e250;
  rolling.set(mdp.with_reward(std::move(reward)));
  EXPECT_FALSE(rolling.update());
}

TEST(RollingSolution, BadArguments) {
  const Mdp mdp = square(3, .95, 2);
  EXPECT_THROW(RollingSolution(mdp, std::vector<double>(8), {}), InvalidArgument);
  EXPECT_THROW(RollingSolution(mdp, std::vector<double>(9), {.threshold = 0}), InvalidArgument);
  EXPECT_THROW(RollingSolution(mdp.with_discount(1), std::vector<double>(9), {}), InvalidArgument);
  const RollingSolution rolling(mdp, std::vector<double>(9), {});
  EXPECT_TRUE(rolling.fits(mdp));
  EXPECT_FALSE(rolling.fits(mdp.with_discount(.9)));
  EXPECT_FALSE(rolling.fits(square(4, .95, 2)));
}

// Near the ends of double precision it leaves the model to others.
TEST(RollingSolution, LeavesWhatIsNearlySingularOrHuge) {
  const Mdp mdp = square(4, .9, 1);
  const std::vector<double> zero(16, 0.0);
  EXPECT_TRUE(RollingSolution(mdp, zero, {}).update());
  EXPECT_FALSE(RollingSolution(mdp.with_discount(1 - 1e-8), zero, {}).update());
  std::vector<double> huge(mdp.reward().begin(), mdp.reward().end());
  for (double& r : huge) r *= 1e250;
  EXPECT_FALSE(RollingSolution(mdp.with_reward(huge), zero, {}).update());
}

}  // namespace rolling_solution_test
}  // namespace mindgap::mdp
