#include "mindgap/gap/residuals.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "mdp/random_models.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/tails.h"

namespace mindgap::gap {
namespace residuals_test {

using mdp::Mdp;

// Two states; pair 0 (state 0, action 0) moves evenly, pair 1 (state 0, action 1) stays, pair 2 stays.
Mdp three_pairs(double first_reward = 1) {
  mdp::MdpArrays arrays;
  arrays.discount = .9;
  arrays.pair_begin = {0, 2, 3};
  arrays.pair_action = {0, 1, 0};
  arrays.row_begin = {0, 2, 3, 4};
  arrays.next_state = {0, 1, 0, 1};
  arrays.probability = {.5, .5, 1, 1};
  arrays.reward = {first_reward, 2, 0};
  return Mdp(arrays);
}

// Pair 0: 4 times, rewards with mean 2, all moves to state 1. Pair 2: twice, mean 0.
PilotStatistics small_pilot() {
  return {{4, 0, 2}, {2, 0, 0}, {6, 0, 2}, {0, 4, 0, 2}, {0, 0, 0}};
}

// Variance 4 at n = 4: standard error 1, z = 1. All 4 moves to one of two even states: the smaller tail is
// 1/16, two-sided 1/8, times 2 successors 1/4; distance |.5 - 0| + |.5 - 1| = 1.
TEST(Residuals, StatedVarianceByHand) {
  const std::vector<double> variance{4, 4, 4};
  const Residuals result = pilot_residuals(three_pairs(), small_pilot(), variance);
  EXPECT_EQ(result.p_method, RewardTest::normal);
  EXPECT_EQ(to_string(result.p_method), "normal");
  EXPECT_EQ(result.tests, 4);
  ASSERT_EQ(result.pairs.size(), 2);
  const PairResidual& first = result.pairs[0];
  EXPECT_EQ(first.pair, 0);
  EXPECT_EQ(first.count, 4);
  EXPECT_DOUBLE_EQ(first.reward, 1);
  EXPECT_DOUBLE_EQ(first.reward_standard_error, 1);
  EXPECT_DOUBLE_EQ(first.reward_z, 1);
  EXPECT_NEAR(first.reward_test.p_value, 0.31731050786291410, 1e-15);  // 2 Phi(-1)
  EXPECT_DOUBLE_EQ(first.transition, 1);
  EXPECT_NEAR(first.transition_test.p_value, .25, 1e-14);
  EXPECT_EQ(first.transition_test.bonferroni, 1);
  EXPECT_NEAR(first.reward_test.benjamini_hochberg, 2 * 0.31731050786291410, 1e-14);
  EXPECT_EQ(result.pairs[1].pair, 2);
  EXPECT_EQ(result.pairs[1].reward, 0);
  EXPECT_EQ(result.pairs[1].reward_test.p_value, 1);
  EXPECT_EQ(result.pairs[1].transition, 0);
  EXPECT_EQ(result.pairs[1].transition_test.p_value, 1);
  ASSERT_TRUE(result.largest);
  EXPECT_DOUBLE_EQ(result.largest->reward, 1);
  EXPECT_DOUBLE_EQ(result.largest->transition, 1);
}

// Pooled variance (6 + 2) / (6 - 2) = 2 with 4 degrees of freedom: t = 1 / sqrt(2/4) = sqrt 2. For 4 degrees
// P(|T| >= t) = 1 - sin a (1 + cos^2 a / 2) with tan a = t/2 = 1/sqrt 2: sin a = 1/sqrt 3, cos^2 a = 2/3.
TEST(Residuals, PooledVarianceByHand) {
  const Residuals result = pilot_residuals(three_pairs(), small_pilot());
  EXPECT_EQ(result.p_method, RewardTest::student);
  EXPECT_DOUBLE_EQ(result.pooled_variance, 2);
  EXPECT_EQ(result.degrees_of_freedom, 4);
  EXPECT_NEAR(result.pairs[0].reward_z, std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(result.pairs[0].reward_test.p_value, 1 - 4 / (3 * std::sqrt(3.0)), 1e-14);
}

TEST(Residuals, NoTestWithoutSpread) {
  PilotStatistics once{{1, 1, 1}, {5, 5, 5}, {0, 0, 0}, {1, 0, 1, 1}, {0, 0, 0}};
  Residuals result = pilot_residuals(three_pairs(), once);
  EXPECT_EQ(to_string(result.p_method), "none");
  for (const PairResidual& pair : result.pairs) EXPECT_EQ(pair.reward_test.p_value, 1);
  EXPECT_EQ(result.largest->reward, 5);
  once.count[1] = once.next_count[2] = 9;  // nine equal rewards still say nothing of a spread
  result = pilot_residuals(three_pairs(), once);
  EXPECT_EQ(result.p_method, RewardTest::none);
}

// A stated variance of 0 leaves nothing to chance, but rounding is not a difference.
TEST(Residuals, DeterministicRewards) {
  PilotStatistics pilot = small_pilot();
  pilot.mean_reward = {1 + 1e-15, 0, .001};
  const Residuals result = pilot_residuals(three_pairs(), pilot, std::vector<double>{0, 0, 0});
  EXPECT_EQ(result.pairs[0].reward, 0);
  EXPECT_EQ(result.pairs[0].reward_test.p_value, 1);
  EXPECT_EQ(result.pairs[1].reward_z, std::numeric_limits<double>::infinity());
  EXPECT_EQ(result.pairs[1].reward_test.p_value, 0);
  EXPECT_TRUE(result.pairs[1].reward_test.flagged);
}

// Up to 1e-12 of the larger one, and no further: 1e-12 * 1e12 is exactly 1.
TEST(Residuals, RoundingEndsWhereItIsSaidTo) {
  PilotStatistics pilot = small_pilot();
  pilot.mean_reward[0] = 1e12 - 1;
  EXPECT_EQ(pilot_residuals(three_pairs(1e12), pilot).pairs[0].reward, 0);
  pilot.mean_reward[0] = 1e12 - 2;
  EXPECT_EQ(pilot_residuals(three_pairs(1e12), pilot).pairs[0].reward, 2);
}

// One move of 1000 that the simulator calls impossible is proof; its distance is 2/1000.
TEST(Residuals, ImpossibleMoveIsProof) {
  PilotStatistics pilot{{0, 1000, 0}, {0, 2, 0}, {0, 1, 0}, {0, 0, 999, 0}, {0, 1, 0}};
  const Residuals result = pilot_residuals(three_pairs(), pilot);
  ASSERT_EQ(result.pairs.size(), 1);
  EXPECT_EQ(result.pairs[0].transition_test.p_value, 0);
  EXPECT_TRUE(result.pairs[0].transition_test.flagged);
  EXPECT_TRUE(result.pairs[0].transition_test.discovered);
  EXPECT_NEAR(result.pairs[0].transition, .002, 1e-15);
}

TEST(Residuals, NothingCovered) {
  const PilotStatistics pilot{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}};
  const Residuals result = pilot_residuals(three_pairs(), pilot);
  EXPECT_FALSE(result.largest);
  EXPECT_TRUE(result.pairs.empty());
  EXPECT_EQ(result.tests, 0);
}

// Where rewards or next states are missing each test is of what was seen, and what was not seen has none.
TEST(Residuals, MissingPartsAreLeftOut) {
  const Mdp mdp = three_pairs();
  const PilotStatistics all = small_pilot();
  const Residuals whole = pilot_residuals(mdp, all, std::vector<double>(3, 1.0));
  PilotStatistics pilot = all;
  pilot.count[0] = 0;
  pilot.mean_reward[0] = pilot.squared_deviations[0] = 0;
  Residuals result = pilot_residuals(mdp, pilot, std::vector<double>(3, 1.0));
  EXPECT_EQ(result.tests, whole.tests - 1);
  EXPECT_EQ(result.pairs[0].count, whole.pairs[0].count);
  EXPECT_EQ(result.pairs[0].reward, 0);
  EXPECT_EQ(result.pairs[0].reward_test.p_value, 1);
  EXPECT_EQ(result.pairs[0].transition_test.p_value, whole.pairs[0].transition_test.p_value);
  EXPECT_NEAR(result.pairs[0].transition_test.bonferroni,
              std::min(1.0, static_cast<double>(result.tests) * result.pairs[0].transition_test.p_value),
              1e-15);
  pilot = all;
  pilot.next_count[0] = pilot.next_count[1] = pilot.off_support[0] = 0;
  result = pilot_residuals(mdp, pilot, std::vector<double>(3, 1.0));
  EXPECT_EQ(result.tests, whole.tests - 1);
  EXPECT_EQ(result.pairs[0].transition, 0);
  EXPECT_EQ(result.pairs[0].reward_test.p_value, whole.pairs[0].reward_test.p_value);
}

TEST(Residuals, TestsNeedWholeObservations) {
  belief::Belief belief(three_pairs(), {{1, 1, 1}, {1, 1, 1}}, {1, 1, 1});
  belief.observe({.pair = 0, .reward = 1, .weight = 2});
  EXPECT_EQ(pilot_statistics(belief).count[0], 2);
  belief.observe({.pair = 0, .next_state = 0, .weight = .5});
  EXPECT_THROW(pilot_statistics(belief), InvalidArgument);
}

TEST(Residuals, BadArguments) {
  const Mdp mdp = three_pairs();
  const auto bad = [&](auto change) {
    PilotStatistics pilot = small_pilot();
    change(pilot);
    EXPECT_THROW(pilot_residuals(mdp, pilot), InvalidArgument);
  };
  bad([](PilotStatistics& p) { p.count.pop_back(); });
  bad([](PilotStatistics& p) { p.mean_reward.pop_back(); });
  bad([](PilotStatistics& p) { p.squared_deviations.pop_back(); });
  bad([](PilotStatistics& p) { p.next_count.pop_back(); });
  bad([](PilotStatistics& p) { p.off_support.pop_back(); });
  bad([](PilotStatistics& p) { p.count[0] = -4; });
  bad([](PilotStatistics& p) { p.next_count = {5, -1, 0, 2}; });
  bad([](PilotStatistics& p) { p.mean_reward[0] = std::nan(""); });
  bad([](PilotStatistics& p) { p.squared_deviations[0] = -1; });
  const PilotStatistics good = small_pilot();
  EXPECT_THROW(pilot_residuals(mdp, good, std::vector<double>{1, 1}), InvalidArgument);
  EXPECT_THROW(pilot_residuals(mdp, good, std::vector<double>{1, 1, -1}), InvalidArgument);
  EXPECT_THROW(pilot_residuals(mdp, good, {}, {.level = 0}), InvalidArgument);
  EXPECT_THROW(pilot_residuals(mdp, good, {}, {.level = 1.5}), InvalidArgument);
}

// A pilot of `truth`, which has the simulator's rows or fewer, with normal rewards.
PilotStatistics draw_pilot(const Mdp& truth, std::span<const std::int64_t> count, double reward_sd,
                           base::Stream& stream) {
  const auto pairs = static_cast<std::size_t>(truth.pairs());
  PilotStatistics pilot{{count.begin(), count.end()},
                        std::vector<double>(pairs, 0.0),
                        std::vector<double>(pairs, 0.0),
                        std::vector<std::int64_t>(static_cast<std::size_t>(truth.nonzeros()), 0),
                        std::vector<std::int64_t>(pairs, 0)};
  for (std::size_t k = 0; k < pairs; ++k) {
    const std::int64_t begin = truth.row_begin()[k], length = truth.row_begin()[k + 1] - begin;
    const base::Categorical row(
        truth.probability().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(length)));
    for (std::int64_t i = 1; i <= count[k]; ++i) {
      const double reward = truth.reward()[k] + reward_sd * base::normal(stream);
      const double step = reward - pilot.mean_reward[k];
      pilot.mean_reward[k] += step / static_cast<double>(i);
      pilot.squared_deviations[k] += step * (reward - pilot.mean_reward[k]);
      ++pilot.next_count[begin + row.draw(stream)];
    }
  }
  return pilot;
}

struct Alarms {
  double pilots = 0;        // in which any test was flagged
  double reward_small = 0;  // share of reward p-values <= .1
  double transition_small = 0;
};

Alarms alarms_under_the_null(bool stated, int replications) {
  const Mdp mdp = mdp::random_mdp(5, {.states = 4, .actions = 2, .successors = 3, .all_actions = true});
  const std::vector<std::int64_t> count{1, 2, 5, 0, 10, 20, 3, 40};
  const std::vector<double> variance(count.size(), .25);
  Alarms alarms;
  double tests = 0;
  for (int i = 0; i < replications; ++i) {
    base::Stream stream({21, base::Purpose::test, static_cast<std::uint64_t>(i)});
    const PilotStatistics pilot = draw_pilot(mdp, count, .5, stream);
    const Residuals result = stated ? pilot_residuals(mdp, pilot, variance) : pilot_residuals(mdp, pilot);
    bool any = false;
    for (const PairResidual& pair : result.pairs) {
      any = any || pair.reward_test.flagged || pair.transition_test.flagged;
      alarms.reward_small += pair.reward_test.p_value <= .1 ? 1 : 0;
      alarms.transition_small += pair.transition_test.p_value <= .1 ? 1 : 0;
    }
    alarms.pilots += any ? 1 : 0;
    tests += static_cast<double>(result.pairs.size());
  }
  return {alarms.pilots / replications, alarms.reward_small / tests, alarms.transition_small / tests};
}

double three_errors(double share, double draws) {
  return 3 * std::sqrt(share * (1 - share) / draws);
}

TEST(Residuals, FalseAlarmsKeepTheirLevel) {
  const int replications = 2000;
  for (const bool stated : {true, false}) {
    const Alarms alarms = alarms_under_the_null(stated, replications);
    EXPECT_LE(alarms.pilots, .05 + three_errors(.05, replications));
    // Reward tests are exact, so their share is .1; those of one pilot share a pooled variance, so only the
    // pilots count as independent. Transition tests are at most that.
    EXPECT_NEAR(alarms.reward_small, .1, three_errors(.1, replications));
    EXPECT_LE(alarms.transition_small, .1 + three_errors(.1, replications));
  }
}

// The share of p-values at most u is at most u (within 3 standard errors), for every test and many u.
TEST(ResidualsLong, PValuesAreSuperUniformUnderTheNull) {
  const Mdp mdp = mdp::random_mdp(6, {.states = 4, .actions = 2, .successors = 4, .all_actions = true});
  const std::vector<std::int64_t> count{1, 2, 5, 8, 10, 20, 3, 200};
  const int replications = 20'000;
  const double level[] = {.001, .01, .05, .2, .5, .9};
  std::vector<std::array<double, 6>> below(2 * count.size());
  for (int i = 0; i < replications; ++i) {
    base::Stream stream({22, base::Purpose::test, static_cast<std::uint64_t>(i)});
    const Residuals result = pilot_residuals(mdp, draw_pilot(mdp, count, .5, stream));
    for (std::size_t k = 0; k < count.size(); ++k) {
      for (std::size_t j = 0; j < 6; ++j) {
        below[2 * k][j] += result.pairs[k].reward_test.p_value <= level[j] ? 1 : 0;
        below[2 * k + 1][j] += result.pairs[k].transition_test.p_value <= level[j] ? 1 : 0;
      }
    }
  }
  for (const std::array<double, 6>& test : below) {
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_LE(test[j] / replications, level[j] + three_errors(level[j], replications));
    }
  }
}

// One reward moved by 1 (standard error .1) and one row turned around: both found, nothing else.
TEST(Residuals, FindsWhatIsWrong) {
  const Mdp mdp = mdp::random_mdp(5, {.states = 4, .actions = 2, .successors = 3, .all_actions = true});
  const std::vector<std::int64_t> count(static_cast<std::size_t>(mdp.pairs()), 100);
  std::vector<double> reward(mdp.reward().begin(), mdp.reward().end());
  reward[3] += 1;
  base::Stream stream({23, base::Purpose::test});
  const Residuals shifted = pilot_residuals(mdp, draw_pilot(mdp.with_reward(reward), count, 1, stream));
  for (const PairResidual& pair : shifted.pairs) {
    EXPECT_EQ(pair.reward_test.flagged, pair.pair == 3);
    EXPECT_FALSE(pair.transition_test.flagged);
  }
  EXPECT_EQ(shifted.largest->reward, shifted.pairs[3].reward);

  PilotStatistics pilot{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}};
  pilot.count[0] = 100;
  pilot.mean_reward[0] = 1;
  pilot.next_count = {80, 20, 0, 0};  // against one half each: six standard deviations
  const Residuals turned = pilot_residuals(three_pairs(), pilot);
  EXPECT_TRUE(turned.pairs[0].transition_test.flagged);
  EXPECT_NEAR(turned.pairs[0].transition_test.p_value, 4 * base::binomial_upper_tail(80, 100, .5), 1e-20);
}

}  // namespace residuals_test
}  // namespace mindgap::gap
