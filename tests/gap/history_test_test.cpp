#include "mindgap/gap/history_test.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::gap {
namespace history_test_test {

// Two states, two actions; action a leads to state a with .7.
mdp::Mdp two_by_two() {
  mdp::MdpBuilder builder(.9, 2, 2);
  for (std::int32_t s : {0, 1}) {
    for (std::int32_t a : {0, 1}) {
      builder.set_reward(s, a, .5);
      builder.add_transition(s, a, a, .7);
      builder.add_transition(s, a, 1 - a, .3);
    }
  }
  return builder.build();
}

struct Past {
  mdp::ObservationLog log;
  void add(std::int32_t unit, std::int64_t step, std::int32_t pair, double reward, std::int32_t next,
           double probability = -1) {
    log.unit.push_back(unit);
    log.step.push_back(step);
    log.pair.push_back(pair);
    log.reward.push_back(reward);
    log.next_state.push_back(next);
    if (probability >= 0) log.probability.push_back(probability);
  }
};

// What moves: nothing, rewards after step 50, or rewards and actions with a unit's hidden kind.
enum class What { nothing, drift, kinds };

Past draw_past(What what, std::uint64_t seed, bool logged = false) {
  Past past;
  for (std::int32_t unit = 0; unit < 10; ++unit) {
    base::Stream stream({seed, base::Purpose::test, 0, static_cast<std::uint64_t>(unit)});
    std::int32_t state = 0;
    const bool kind = what == What::kinds && unit % 2 == 1;
    for (std::int64_t t = 0; t < 100; ++t) {
      const double p = kind ? .8 : .3;  // of action 1
      const std::int32_t a = base::uniform(stream) < p ? 1 : 0;
      const std::int32_t next = base::uniform(stream) < .7 ? a : 1 - a;
      const double mean = .5 + (kind ? .6 : 0) + (what == What::drift && t >= 50 ? .6 : 0);
      past.add(unit, t, 2 * state + a, mean + base::normal(stream), next, logged ? (a == 1 ? p : 1 - p) : -1);
      state = next;
    }
  }
  return past;
}

const std::vector<double> kOne(4, 1.0);

const SplitTest& split_of(const HistoryTest& test, Split split) {
  for (const SplitTest& one : test.splits) {
    if (one.split == split) return one;
  }
  throw InvalidArgument("no such split");
}

TEST(HistoryTest, SeesWhatChangesInTimeAndWhatGoesWithBehaviour) {
  const mdp::Mdp mdp = two_by_two();
  const HistoryTest drift = history_test(mdp, draw_past(What::drift, 1).log, kOne);
  EXPECT_EQ(drift.rows, 1000);
  EXPECT_EQ(split_of(drift, Split::time).cut, 50);
  EXPECT_EQ(split_of(drift, Split::time).first, 500);
  EXPECT_LT(split_of(drift, Split::time).surprise.share, belief::kSurprising);
  EXPECT_GE(split_of(drift, Split::behaviour).surprise.share, belief::kSurprising);
  EXPECT_FALSE(drift.has_propensities);

  const HistoryTest kinds = history_test(mdp, draw_past(What::kinds, 1).log, kOne);
  EXPECT_GE(split_of(kinds, Split::time).surprise.share, belief::kSurprising);
  EXPECT_LT(split_of(kinds, Split::behaviour).surprise.share, belief::kSurprising);

  const HistoryTest logged = history_test(mdp, draw_past(What::kinds, 1, true).log, kOne);
  EXPECT_LT(split_of(logged, Split::propensity).surprise.share, belief::kSurprising);
  ASSERT_EQ(logged.pairs.size(), 4u);
  // Action 1 is taken by the richer kind more often: its plain mean is too high, that of action 0 too low.
  for (const PropensityPair& one : logged.pairs) {
    EXPECT_GT(one.confounding * (one.pair % 2 == 1 ? 1 : -1), 0) << one.pair;
    EXPECT_LT(one.p_value, .05);
  }
}

// Where nothing moves a share below .1 comes in about a tenth of histories: 200 of them, 4 standard
// deviations.
TEST(HistoryTest, IsCalibratedWhereNothingMoves) {
  const mdp::Mdp mdp = two_by_two();
  int time = 0, behaviour = 0;
  const int trials = 200;
  for (int i = 0; i < trials; ++i) {
    const HistoryTest test =
        history_test(mdp, draw_past(What::nothing, 100 + static_cast<std::uint64_t>(i)).log, kOne, nullptr,
                     {.draws = 200, .worst = 0, .run = {.threads = 1}});
    time += split_of(test, Split::time).surprise.share < .1;
    behaviour += split_of(test, Split::behaviour).surprise.share < .1;
  }
  const double most = trials * .1 + 4 * std::sqrt(trials * .09);
  EXPECT_LT(time, most);
  EXPECT_LT(behaviour, most);
  EXPECT_GT(time, 4);
  EXPECT_GT(behaviour, 4);
}

// By hand: h = 0 in 50 rows, action 0 in 45 of them (p = .9); h = 1 in 50, action 0 in 5 (p = .1). A reward
// is h. Plain mean of action 0: 5/50 = .1. Weighted: 5/.1 / (45/.9 + 5/.1) = 50/100 = .5. Effective rows
// 100^2 / (45/.81 + 5/.01) = 10000/555.6 = 18.
// Units of two kinds: one mostly takes action 0 in state 0 and is paid 1 more. In state 1 all take both
// actions alike, but for one time in twenty, which has nothing to do with the kind: the split goes by what
// differs most.
TEST(HistoryTest, SplitsByTheMainDifference) {
  Past past;
  for (std::int32_t unit = 0; unit < 8; ++unit) {
    const bool kind = unit % 2 == 1;
    const int often = kind ? 18 : 2, in_one = (unit / 2) % 2 == 0 ? 11 : 9;
    for (int t = 0; t < 20; ++t) {
      past.add(unit, 2 * t, t < often ? 0 : 1, kind ? 1 : 0, t % 2);
      past.add(unit, 2 * t + 1, t < in_one ? 2 : 3, kind ? 1 : 0, t % 2);
    }
  }
  const SplitTest split = split_of(history_test(two_by_two(), past.log, kOne), Split::behaviour);
  EXPECT_EQ(split.first, 160);
  EXPECT_LT(split.surprise.share, .001);
}

TEST(HistoryTest, WeighsByHand) {
  Past past;
  for (int i = 0; i < 100; ++i) {
    const bool h = i >= 50, zero = h ? i < 55 : i < 45;
    past.add(0, i, zero ? 0 : 1, h ? 1 : 0, 0, zero == h ? .1 : .9);
  }
  const HistoryTest test = history_test(two_by_two(), past.log, kOne);
  ASSERT_EQ(test.pairs.size(), 2u);
  EXPECT_NEAR(test.pairs[0].mean, .1, 1e-12);
  EXPECT_NEAR(test.pairs[0].weighted, .5, 1e-12);
  EXPECT_NEAR(test.pairs[0].confounding, -.4, 1e-12);
  EXPECT_NEAR(test.pairs[0].effective_rows, 18, 1e-9);
  EXPECT_NEAR(test.pairs[0].least_probability, .1, 1e-12);
  EXPECT_FALSE(test.pairs[0].poor_overlap);
  EXPECT_FALSE(test.pairs[0].drift.has_value());
  // d_i = (r - .1)/50 - w (r - .5)/100: 45 rows with r = 0, w = 1/.9, 5 with r = 1, w = 10.
  const double zero = -.1 / 50 + .5 / 90, one = .9 / 50 - .5 / 10;
  EXPECT_NEAR(test.pairs[0].standard_error, std::sqrt(45 * zero * zero + 5 * one * one), 1e-12);
  // A pilot that finds .8 says that .3 of the error is drift.
  Past pilot;
  for (int i = 0; i < 4; ++i) pilot.add(0, i, 0, .8, 0);
  const HistoryTest both = history_test(two_by_two(), past.log, kOne, &pilot.log);
  EXPECT_NEAR(*both.pairs[0].drift, -.3, 1e-12);
  EXPECT_NEAR(*both.pairs[0].drift_error, std::hypot(both.pairs[0].weighted_error, .5), 1e-12);
  EXPECT_FALSE(both.pairs[1].drift.has_value());
}

TEST(HistoryTest, SaysWhereOverlapIsPoor) {
  Past past;
  for (int i = 0; i < 50; ++i) past.add(0, i, 0, i == 0 ? 5 : .5, 0, i == 0 ? .001 : .9);
  const HistoryTest test = history_test(two_by_two(), past.log, kOne);
  EXPECT_TRUE(test.pairs[0].poor_overlap);
  EXPECT_EQ(test.poor_overlap, 1);
}

TEST(HistoryTest, SaysWhatIsNotPossibleAndRefusesNonsense) {
  Past one_unit;
  for (int i = 0; i < 20; ++i) one_unit.add(0, 7, i % 2, .1 * i, 0);
  const HistoryTest test = history_test(two_by_two(), one_unit.log, {});
  EXPECT_TRUE(test.variance_estimated);
  EXPECT_FALSE(split_of(test, Split::time).possible);
  EXPECT_EQ(split_of(test, Split::time).why_not, NotSplit::no_time);
  EXPECT_EQ(split_of(test, Split::behaviour).why_not, NotSplit::one_unit);
  EXPECT_THROW(history_test(two_by_two(), {}, kOne), InvalidArgument);
  EXPECT_THROW(history_test(two_by_two(), one_unit.log, std::vector<double>{1}), InvalidArgument);
  Past bad;
  bad.add(0, 0, 0, 1, 0, 0);
  EXPECT_THROW(history_test(two_by_two(), bad.log, kOne), InvalidArgument);
  Past constant;
  constant.add(0, 0, 0, 1, 0);
  EXPECT_THROW(history_test(two_by_two(), constant.log, {}), InvalidArgument);
}

// A move that neither the simulator nor the first half has is impossible to the latter.
TEST(HistoryTest, ANewMoveIsASurprise) {
  mdp::MdpBuilder builder(.9, 3, 1);
  for (std::int32_t s : {0, 1, 2}) {
    builder.set_reward(s, 0, 0);
    builder.add_transition(s, 0, s == 0 ? 1 : s == 1 ? 0 : 2, 1);
  }
  Past past;
  for (int i = 0; i < 40; ++i) past.add(0, i, i % 2, 0, i == 35 ? 2 : 1 - i % 2);
  const HistoryTest test = history_test(builder.build(), past.log, std::vector<double>(3, 1.0));
  EXPECT_EQ(split_of(test, Split::time).surprise.share, 0);
}

}  // namespace history_test_test
}  // namespace mindgap::gap
