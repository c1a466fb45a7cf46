#include "mindgap/belief/surprise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/goodness_of_fit.h"
#include "belief/ensembles.h"
#include "mindgap/base/error.h"
#include "mindgap/base/log_pmf.h"

namespace mindgap::belief {
namespace surprise_test {

using mdp::Mdp;

// Six members of eight states that disagree on what is possible, with a small discrepancy.
Ensemble small_ensemble() {
  const Members members(differing_models(21, 6, 8), {.3, .3, .1, .1, .1, .1});
  return {members, {per_pair(members, .2), per_pair(members, 20)}, per_pair(members, .5)};
}

// The share for the n-th data set drawn from the ensemble itself.
double share_of_a_member(std::uint64_t n, std::int64_t draws) {
  Ensemble ensemble = small_ensemble();
  base::Stream stream({n, base::Purpose::test});
  observe_world(ensemble, ensemble.sample(stream.next(), 0), 3, stream);
  return surprise(ensemble, {.draws = draws, .worst = 0, .run = {.seed = stream.next()}}).share;
}

// The first member with rewards 1.5 higher in half the pairs, all at once.
Mdp other_rewards(const Ensemble& ensemble) {
  const Mdp first = ensemble.members().model(0);
  std::vector<double> reward(first.reward().begin(), first.reward().end());
  for (std::size_t k = 0; k < reward.size(); k += 2) reward[k] += 1.5;
  return first.with_reward(std::move(reward));
}

// The first member with the probabilities of each row turned round.
Mdp other_rows(const Ensemble& ensemble) {
  const Mdp first = ensemble.members().model(0);
  std::vector<double> p(first.probability().begin(), first.probability().end());
  for (std::int32_t k = 0; k < first.pairs(); ++k)
    std::ranges::reverse(base::part_of(std::span(p), first.entries_of(k)));
  return first.with_probability(std::move(p));
}

template <typename World>
int flagged(int worlds, int times, World world_of_nobody) {
  int found = 0;
  for (int n = 0; n < worlds; ++n) {
    Ensemble ensemble = small_ensemble();
    base::Stream stream({static_cast<std::uint64_t>(n), base::Purpose::test, 1});
    observe_world(ensemble, world_of_nobody(ensemble), times, stream);
    found += surprise(ensemble, {.worst = 0, .run = {.seed = stream.next()}}).share < kSurprising;
  }
  return found;
}

// By hand: one member, one row of probabilities (.5, .5) known almost for certain, 4 moves, all to state 0.
// The numbers of moves to state 0 are binomial: 0 and 4 have 1/16 each and are the least probable, so the
// share is 1/8 within four standard errors.
TEST(Surprise, ByHandOfOneRow) {
  const Members members({two_by_two({0, 0, 0, 0}, {.5, .5, .5, .5})});
  Ensemble ensemble(members, {per_pair(members, 0), per_pair(members, 1e9)}, per_pair(members, 1));
  for (int i = 0; i < 4; ++i) ensemble.observe({.pair = 0, .next_state = 0});
  const Surprise found = surprise(ensemble, {.draws = 20000});
  EXPECT_NEAR(found.standard_error, std::sqrt(.125 * .875 / 20000), 1e-4);
  EXPECT_NEAR(found.share, .125, 4 * found.standard_error);
  EXPECT_EQ(found.pairs, 1);
  ASSERT_EQ(found.worst.size(), 1u);
  double expected = 0;  // E log C(4, X), which is log probability but for a constant
  for (std::int64_t x = 0; x <= 4; ++x)
    expected +=
        std::exp(base::binomial_log_pmf(x, 4, .5)) * (base::binomial_log_pmf(x, 4, .5) + std::log(16));
  EXPECT_NEAR(found.worst[0].shortfall, expected, .02);
  EXPECT_NEAR(found.worst[0].share, .125, .01);
}

// By hand: one reward z standard deviations off has the share P(|Z| >= z).
TEST(Surprise, ByHandOfOneReward) {
  const Members members({two_by_two({0, 0, 0, 0}, {.5, .5, .5, .5})});
  Ensemble ensemble(members, {per_pair(members, .6), per_pair(members, 1)}, per_pair(members, .64));
  ensemble.observe({.pair = 2, .reward = 1.3});
  const Surprise found = surprise(ensemble, {.draws = 20000});
  EXPECT_NEAR(found.share, std::erfc(1.3 / std::sqrt(2.0)), 4 * found.standard_error);
  EXPECT_NEAR(found.worst.at(0).shortfall, .5 * (1.3 * 1.3 - 1), .03);
}

TEST(Surprise, NothingSeenIsNoSurprise) {
  const Surprise found = surprise(small_ensemble());
  EXPECT_EQ(found.share, 1);
  EXPECT_EQ(found.pairs, 0);
  EXPECT_TRUE(found.worst.empty());
}

TEST(Surprise, DoesNotDependOnThreads) {
  Ensemble ensemble = small_ensemble();
  base::Stream stream({9, base::Purpose::test});
  observe_world(ensemble, other_rewards(ensemble), 2, stream);
  const Surprise one = surprise(ensemble, {.run = {.threads = 1}}),
                 two = surprise(ensemble, {.run = {.threads = 2}});
  EXPECT_EQ(one.share, two.share);
  ASSERT_EQ(one.worst.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(one.worst[i].pair, two.worst[i].pair);
    EXPECT_EQ(one.worst[i].shortfall, two.worst[i].shortfall);
  }
}

// Only one pair is off, and by a lot: it is the one that is named.
TEST(Surprise, NamesTheWorstPair) {
  Ensemble ensemble = small_ensemble();
  const Mdp world = ensemble.members().model(1);
  std::vector<double> reward(world.reward().begin(), world.reward().end());
  reward[5] += 6;
  base::Stream stream({10, base::Purpose::test});
  observe_world(ensemble, world.with_reward(reward), 4, stream);
  const Surprise found = surprise(ensemble);
  EXPECT_LT(found.share, kSurprising);
  EXPECT_EQ(found.worst.at(0).pair, 5);
  EXPECT_EQ(found.worst.at(0).share, 0);
  EXPECT_GT(found.worst.at(0).shortfall, 10);
}

// Rewards of a pair with a bound take no part, its moves do; and parts of impossible moves take none.
TEST(Surprise, LeavesOutWhatHasNoLaw) {
  const Members members({two_by_two({0, 0, 0, 0}, {1, .5, .5, .5})});
  Ensemble ensemble(members, {per_pair(members, .1), per_pair(members, 5)}, per_pair(members, .1));
  ensemble.observe({.pair = 1, .reward = 50, .next_state = 0});
  ensemble.observe({.pair = 1, .reward = 50, .censored = mdp::Censoring::at_least, .next_state = 1});
  ensemble.observe({.pair = 0, .next_state = 1, .weight = .5});
  const Surprise found = surprise(ensemble);
  EXPECT_EQ(found.pairs, 1);
  EXPECT_GT(found.share, .5);  // one move each way is the most probable
}

TEST(Surprise, AMoveThatNoMemberHasIsExplainedByNone) {
  const Members members({two_by_two({0, 0, 0, 0}, {1, .5, .5, .5})});
  Ensemble ensemble(members, {per_pair(members, .1), per_pair(members, 5)}, per_pair(members, .1));
  ensemble.observe({.pair = 0, .next_state = 1});
  const Surprise found = surprise(ensemble);
  EXPECT_EQ(found.share, 0);
  ASSERT_EQ(found.worst.size(), 1U);
  EXPECT_EQ(found.worst[0].pair, 0);
}

// If the ensemble is right, the share is uniform up to the draws' coarseness.
void expect_uniform(int sets) {
  constexpr int kBins = 10;
  constexpr std::int64_t kDraws = 99;  // ranks 0 .. 99
  std::vector<double> counts(kBins);
  for (int n = 0; n < sets; ++n) {
    const double rank = share_of_a_member(1000 + static_cast<std::uint64_t>(n), kDraws) * kDraws;
    ++counts[static_cast<std::size_t>(std::lround(rank)) / kBins];
  }
  EXPECT_GT(base::chi_square_p_value(counts, std::vector<double>(kBins, sets / double{kBins})), 1e-4);
}

TEST(Surprise, SharesOfDataFromTheEnsembleAreUniform) {
  expect_uniform(200);
}

TEST(Surprise, FlagsWorldsThatNoMemberHas) {
  EXPECT_GE(flagged(4, 3, other_rewards), 3);
  EXPECT_GE(flagged(4, 20, other_rows), 3);
}

TEST(SurpriseLong, SharesOfDataFromTheEnsembleAreUniform) {
  expect_uniform(4000);
}

TEST(SurpriseLong, FlagsOneInAHundredOfTheEnsemblesOwnWorlds) {
  int found = 0;
  for (std::uint64_t n = 0; n < 200; ++n) found += share_of_a_member(n, 500) < kSurprising;
  EXPECT_LE(found, 4);
}

TEST(SurpriseLong, FlagsWorldsThatNoMemberHas) {
  EXPECT_GE(flagged(20, 3, other_rewards), 18);
  EXPECT_GE(flagged(20, 20, other_rows), 18);
}

TEST(Surprise, BadArguments) {
  const Ensemble ensemble = small_ensemble();
  EXPECT_THROW(static_cast<void>(surprise(ensemble, {.draws = 0})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(surprise(ensemble, {.worst = -1})), InvalidArgument);
}

}  // namespace surprise_test
}  // namespace mindgap::belief
