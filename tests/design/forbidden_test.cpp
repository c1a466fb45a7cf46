#include "mindgap/design/forbidden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "design/tiny_models.h"
#include "gap/golden_models.h"
#include "mindgap/base/error.h"
#include "mindgap/design/column_generation.h"

namespace mindgap::design {
namespace forbidden_test {

using mdp::Mdp;

// 0 -> {0 | 1}, 1 -> {1 | 2}, 2 -> {2 | 3 with probability 1/2}, 3 -> {3 | 3}: action 1 leads on.
Mdp corridor() {
  return gap::dense_mdp(.9, {1, 0, 0, 0}, 2, {0, 1, 2, 3, 4, 5, 6, 7},
                        {{1, 0, 0, 0},
                         {0, 1, 0, 0},
                         {0, 1, 0, 0},
                         {0, 0, 1, 0},
                         {0, 0, 1, 0},
                         {0, 0, .5, .5},
                         {0, 0, 0, 1},
                         {0, 0, 0, 1}});
}

// Without both pairs of 3, pair 5 (from 2, which may end in 3) goes too; without pair 4 as well, so does 2
// and with it pair 3 (from 1).
TEST(Forbidden, SpreadsBackwards) {
  const Mdp mdp = corridor();
  const std::vector<std::int32_t> occupied{0};
  const RestrictedMdp last = without_pairs(mdp, std::vector<std::int32_t>{6, 7}, occupied);
  EXPECT_EQ(last.unenterable, (std::vector<std::uint8_t>{0, 0, 0, 1}));
  EXPECT_EQ(last.new_of_old, (std::vector<std::int32_t>{0, 1, 2, 3, 4, -1, -1, -1}));
  EXPECT_EQ(last.old_of_new, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 6}));
  EXPECT_EQ(last.mdp.pairs(), 6);
  EXPECT_EQ(last.mdp.reward()[3], 3);
  const RestrictedMdp two = without_pairs(mdp, std::vector<std::int32_t>{4, 6, 7}, occupied);
  EXPECT_EQ(two.unenterable, (std::vector<std::uint8_t>{0, 0, 1, 1}));
  EXPECT_EQ(two.new_of_old, (std::vector<std::int32_t>{0, 1, 2, -1, -1, -1, -1, -1}));
  const RestrictedMdp none = without_pairs(mdp, {}, occupied);
  EXPECT_EQ(none.mdp, mdp);
}

TEST(Forbidden, AllPairsForbiddenNamesTheState) {
  const Mdp mdp = corridor();
  const auto message = [&](std::vector<std::int32_t> forbidden, std::vector<std::int32_t> occupied) {
    try {
      without_pairs(mdp, forbidden, occupied);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_EQ(
      message({0, 1}, {0}),
      "all pairs forbidden: state '0', where units begin, has no action left that avoids them for good");
  EXPECT_EQ(
      message({2, 4, 6, 7}, {0, 1}),
      "all pairs forbidden: state '1', where units begin, has no action left that avoids them for good");
  EXPECT_EQ(message({2, 4, 6, 7}, {0}), "nothing thrown");
  EXPECT_THROW(without_pairs(mdp, std::vector<std::int32_t>{8}, {}), InvalidArgument);
  EXPECT_THROW(finite_occupancies_without(mdp, {1, 0}, 3, {}), InvalidArgument);
  EXPECT_THROW(finite_occupancies_without(mdp, {1, 0, 0, 1}, 3, std::vector<std::int32_t>{6, 7}),
               InvalidArgument);
}

// A high price on a forbidden pair must not tempt anybody, and nothing else changes: the best corner is the
// best of all policies that keep away from it.
TEST(Forbidden, OccupanciesKeepTheNumbersOfTheFullModel) {
  const Mdp mdp = corridor();
  const std::vector<std::int32_t> forbidden{6, 7};
  const auto pilot = finite_occupancies_without(mdp, {2, 0, 0, 0}, 3, forbidden);
  EXPECT_EQ(pilot->mdp().pairs(), 8);
  const std::vector<double> price{0, 1, 2, 3, 4, 50, 50, 50};
  const Corner corner = pilot->best(price);
  EXPECT_EQ(corner.counts, (std::vector<double>{0, 2, 0, 2, 2, 0, 0, 0}));
  EXPECT_EQ(corner.worth, 16);
  EXPECT_EQ(pilot->best_at_steps(price, std::vector<double>(12, 0.0)).counts, corner.counts);
  EXPECT_EQ(pilot->step_visits(corner.pair), (std::vector<double>{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0}));
  const std::vector<double> once{0, 1, 0, 1, 1, 0, 1, 0};
  std::vector<double> pi;
  for (int t = 0; t < 3; ++t) pi.insert(pi.end(), once.begin(), once.end());
  EXPECT_EQ(pilot->counts(pi), corner.counts);
  pi[4] = 0;
  pi[5] = 1;
  EXPECT_THROW(pilot->counts(pi), InvalidArgument);
  std::vector<std::int32_t> taken = corner.pair;
  taken[2] = 5;
  EXPECT_THROW(pilot->step_visits(taken), InvalidArgument);
  const auto discounted = discounted_occupancies_without(mdp, {1, 0, 0, 0}, 10, forbidden);
  EXPECT_NEAR(discounted->best(price).worth, 10 * .1 * (1 + .9 * 3 + .81 * 4 * 10), 1e-8);
}

// The best design is the best mixture of those policies that never take the pair.
TEST(Forbidden, AgreesWithMixturesOfThePoliciesLeft) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Small small(seed);
    const std::vector<std::int32_t> forbidden{static_cast<std::int32_t>(seed % 4)};
    const std::vector<double> positions(small.pilot->positions().begin(), small.pilot->positions().end());
    const auto pilot = finite_occupancies_without(*small.mdp, positions, small.steps, forbidden);
    const auto without = minimise_by_columns(*small.objective, *pilot, {}, {.relative_gap = 1e-9});
    EXPECT_EQ(without.counts[forbidden[0]], 0);
    const Enumerated all = enumerate_policies(*small.pilot);
    Enumerated allowed;
    for (const auto& counts : all.counts) {
      if (counts[forbidden[0]] == 0) allowed.counts.push_back(counts);
    }
    const double oracle = Oracle(*small.objective, allowed, {}, {}).solve().value;
    EXPECT_NEAR(without.value, oracle, 1e-6 * oracle) << seed;
  }
}

// The first pair of all stays allowed, and a policy may take it.
TEST(Forbidden, TheFirstPairIsLikeTheOthers) {
  const mdp::Mdp mdp = gap::dense_mdp(.9, {1}, 2, {0, 0}, {{1}, {1}});
  const auto pilot = finite_occupancies_without(mdp, {2}, 3, std::vector<std::int32_t>{1});
  EXPECT_EQ(pilot->counts(std::vector<double>{1, 0, 1, 0, 1, 0}), (std::vector<double>{6, 0}));
}

}  // namespace forbidden_test
}  // namespace mindgap::design
