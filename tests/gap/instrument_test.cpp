#include "mindgap/gap/instrument.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::gap {
namespace instrument_test_test {

// Two states; each action leads to either state with .5.
mdp::Mdp model(std::int32_t actions = 2) {
  mdp::MdpBuilder builder(.9, 2, actions);
  for (std::int32_t s : {0, 1}) {
    for (std::int32_t a = 0; a < actions; ++a) {
      builder.set_reward(s, a, 0);
      for (std::int32_t next : {0, 1}) builder.add_transition(s, a, next, .5);
    }
  }
  return builder.build();
}

struct Past {
  mdp::ObservationLog log;
  void add(std::int32_t unit, std::int64_t step, std::int32_t pair, double reward, std::int32_t value) {
    log.unit.push_back(unit);
    log.step.push_back(step);
    log.pair.push_back(pair);
    log.reward.push_back(reward);
    log.next_state.push_back(0);
    while (log.instruments.size() <= value) log.instruments.add("z" + std::to_string(log.instruments.size()));
    log.instrument.push_back(value);
  }
};

const std::vector<double> kOne(4, 1.0);

// By hand. Value 0: 8 rows of action 0 and 2 of action 1; value 1: 3 and 7. Rewards are whatever makes the
// means of the two values 1 and 2: with effect d, d = (2 - 1) / (.7 - .2) = 2, mu(0) = 1 - .2 * 2 = .6.
TEST(InstrumentTest, IsTheWaldRatioByHand) {
  Past past;
  const auto rows = [&](std::int32_t value, int zeros, double reward0, int ones, double reward1) {
    for (int i = 0; i < zeros; ++i) past.add(0, 0, 0, reward0, value);
    for (int i = 0; i < ones; ++i) past.add(0, 0, 1, reward1, value);
  };
  rows(0, 8, .5, 2, 3);  // mean (4 + 6) / 10 = 1
  rows(1, 3, 2, 7, 2);   // mean 2
  const InstrumentTest test = instrument_test(model(), past.log, kOne);
  EXPECT_EQ(test.rows, 20);
  ASSERT_EQ(test.pairs.size(), 2u);
  EXPECT_NEAR(test.pairs[0].estimate, .6, 1e-12);
  EXPECT_NEAR(test.pairs[1].estimate, 2.6, 1e-12);
  EXPECT_NEAR(test.pairs[0].mean, (8 * .5 + 3 * 2) / 11.0, 1e-12);
  EXPECT_EQ(test.pairs[1].rows, 9);
  EXPECT_NEAR(test.pairs[1].confounding, (2 * 3 + 7 * 2) / 9.0 - 2.6, 1e-12);
  // First stage: a = .2 + .5 z. Explained 20 * .5 * .5 * .25 = 1.25, left 10 * (.16 + .21) = 3.7 over 18. The
  // robust one: .25 / ((1.6 + 2.1) / 100) = 6.757 is the larger.
  EXPECT_NEAR(test.pairs[0].first_stage, 1.25 / (3.7 / 18), 1e-6);
  EXPECT_TRUE(test.pairs[0].weak);
  EXPECT_EQ(test.weak, 2);
  EXPECT_FALSE(test.pairs[0].pooled);
  EXPECT_FALSE(test.pairs[0].by_unit);
}

// Where actions follow the instrument exactly, the estimate is the plain mean, with its error.
TEST(InstrumentTest, IsThePlainMeanWhereActionsFollowTheInstrument) {
  Past past;
  const double rewards[] = {1, 2, 3, 6};
  for (int i = 0; i < 80; ++i) past.add(0, i, i % 2, rewards[i % 4], i % 2);
  const InstrumentTest test = instrument_test(model(), past.log, kOne);
  ASSERT_EQ(test.pairs.size(), 2u);
  EXPECT_NEAR(test.pairs[0].estimate, 2, 1e-9);
  EXPECT_NEAR(test.pairs[1].estimate, 4, 1e-9);
  EXPECT_NEAR(test.pairs[0].confounding, 0, 1e-9);
  EXPECT_FALSE(test.pairs[0].weak);
  EXPECT_GE(test.pairs[0].p_value, .5);
  // 40 rows of 1 and 3: sum of squares 40, error sqrt(40)/40; 80 / 79 for the number of rows.
  EXPECT_NEAR(test.pairs[0].estimate_error, std::sqrt(40.0 * 80 / 79) / 40, 1e-9);
}

// A hidden h of each row adds 1 to the reward and makes action 1 likelier; a lottery z does only the latter.
// With `change`, rewards of the pilot are that much higher. mu(s,a) = .5 s + .3 a + E[h], E[h] = .5.
Past draw(std::uint64_t seed, double pull, bool confounded, int values, int actions = 2, int units = 100,
          int steps = 20) {
  Past past;
  for (std::int32_t unit = 0; unit < units; ++unit) {
    base::Stream stream({seed, base::Purpose::test, 0, static_cast<std::uint64_t>(unit)});
    for (std::int32_t t = 0; t < steps; ++t) {
      const std::int32_t s = base::uniform(stream) < .5 ? 0 : 1;
      const double h = base::uniform(stream) < .5 ? 1 : 0;
      const auto z = static_cast<std::int32_t>(base::uniform(stream) * values);
      // The wish of the operator, or where the lottery says so its own.
      const bool told = base::uniform(stream) < pull;
      const double wish = base::uniform(stream);
      std::int32_t a = static_cast<std::int32_t>(wish * actions);
      if (confounded && base::uniform(stream) < .5) a = h > 0 ? actions - 1 : 0;
      if (told) a = z % actions;
      past.add(unit, t, actions * s + a, .5 * s + .3 * a + h + .5 * base::normal(stream), z);
    }
  }
  return past;
}

double truth(std::int32_t pair, int actions = 2) {
  const std::int32_t s = pair / actions, a = pair % actions;
  return .5 * s + .3 * a + .5;
}

// 200 records of 2,000 rows: the plain mean is off by more than 4 standard errors of the mean of means, the
// 95 % interval of the instrument holds the truth in all but chance's share (4 standard deviations of 800
// pairs that depend on each other within a record: counted as 200).
TEST(InstrumentTest, CoversTheTruthWhereThePlainMeanIsOff) {
  const mdp::Mdp mdp = model();
  const int trials = 200;
  int held = 0, flagged = 0, pairs = 0;
  double plain = 0, corrected = 0;
  for (int i = 0; i < trials; ++i) {
    const Past past = draw(1000 + static_cast<std::uint64_t>(i), .4, true, 2);
    const InstrumentTest test = instrument_test(mdp, past.log, kOne);
    ASSERT_EQ(test.pairs.size(), 4u);
    EXPECT_EQ(test.weak, 0);
    for (const InstrumentPair& one : test.pairs) {
      EXPECT_TRUE(one.by_unit);
      held += std::abs(one.estimate - truth(one.pair)) <= 1.96 * one.estimate_error;
      flagged += one.p_value < .05;
      const double sign = one.pair % 2 == 1 ? 1 : -1;  // action 1 looks too good, action 0 too bad
      plain += sign * (one.mean - truth(one.pair));
      corrected += sign * (one.estimate - truth(one.pair));
      ++pairs;
    }
  }
  const double share = static_cast<double>(held) / pairs;
  EXPECT_NEAR(share, .95, 4 * std::sqrt(.95 * .05 / trials));
  EXPECT_GT(plain / pairs, .1);
  EXPECT_LT(std::abs(corrected / pairs), .02);
  EXPECT_GT(flagged, pairs * 3 / 4);
}

// Without confounding a p-value below .05 comes in about a twentieth of pairs.
TEST(InstrumentTest, IsCalibratedWithoutConfounding) {
  const mdp::Mdp mdp = model();
  const int trials = 200;
  int flagged = 0;
  for (int i = 0; i < trials; ++i) {
    const Past past = draw(5000 + static_cast<std::uint64_t>(i), .4, false, 2);
    for (const InstrumentPair& one : instrument_test(mdp, past.log, kOne).pairs) flagged += one.p_value < .05;
  }
  EXPECT_NEAR(flagged / (4.0 * trials), .05, 4 * std::sqrt(.05 * .95 / trials));
}

// Three actions and three values.
TEST(InstrumentTest, TakesMoreThanTwoActions) {
  const mdp::Mdp mdp = model(3);
  const Past past = draw(7, .5, true, 3, 3, 300, 40);
  const InstrumentTest test = instrument_test(mdp, past.log, std::vector<double>(6, 1.0));
  ASSERT_EQ(test.pairs.size(), 6u);
  for (const InstrumentPair& one : test.pairs) {
    EXPECT_NEAR(one.estimate, truth(one.pair, 3), 4 * one.estimate_error) << one.pair;
    EXPECT_LT(one.estimate_error, .1);
    EXPECT_FALSE(one.weak);
  }
  // Two values cannot tell three actions apart.
  const InstrumentTest too_few =
      instrument_test(mdp, draw(7, .5, true, 2, 3).log, std::vector<double>(6, 1.0));
  EXPECT_TRUE(too_few.pairs.empty());
  EXPECT_EQ(too_few.not_identified, 6);
}

// History without confounding, and a world that has moved by .7 since: no confounding, and drift at all
// pairs.
TEST(InstrumentTest, DriftIsNotConfounding) {
  const mdp::Mdp mdp = model();
  const Past past = draw(3, .5, false, 2, 2, 200, 20);
  Past pilot = draw(4, 1, false, 2);
  for (double& reward : pilot.log.reward) reward += .7;
  const InstrumentTest test = instrument_test(mdp, past.log, kOne, &pilot.log);
  ASSERT_EQ(test.pairs.size(), 4u);
  for (const InstrumentPair& one : test.pairs) {
    EXPECT_GT(one.bonferroni, .05) << one.pair;
    ASSERT_TRUE(one.drift.has_value());
    EXPECT_NEAR(*one.drift, -.7, 4 * *one.drift_error);
    EXPECT_LT(*one.drift_error, .1);
  }
  // And where it is confounded and nothing has moved, there is no drift.
  const Past biased = draw(5, .5, true, 2, 2, 200, 20);
  const Past still = draw(6, 1, false, 2);
  const InstrumentTest other = instrument_test(mdp, biased.log, kOne, &still.log);
  for (const InstrumentPair& one : other.pairs) {
    EXPECT_LT(one.bonferroni, .05) << one.pair;
    EXPECT_LT(std::abs(*one.drift), 4 * *one.drift_error);
  }
}

TEST(InstrumentTest, SaysWhereItIsWeak) {
  const InstrumentTest weak = instrument_test(model(), draw(8, .02, true, 2).log, kOne);
  ASSERT_EQ(weak.pairs.size(), 4u);
  for (const InstrumentPair& one : weak.pairs) EXPECT_LT(one.first_stage, kWeakInstrument);
  EXPECT_EQ(weak.weak, 4);
}

// 10 rows in a state say little by themselves: the effect of actions comes from both states.
TEST(InstrumentTest, PoolsStatesWithFewRows) {
  Past past = draw(9, .5, true, 2, 2, 200, 20);
  Past few;
  int kept = 0;
  for (std::size_t i = 0; i < past.log.size(); ++i) {
    if (past.log.pair[i] >= 2 && ++kept > 30) continue;
    few.add(past.log.unit[i], past.log.step[i], past.log.pair[i], past.log.reward[i], past.log.instrument[i]);
  }
  const InstrumentTest test = instrument_test(model(), few.log, kOne);
  ASSERT_EQ(test.pairs.size(), 4u);
  EXPECT_FALSE(test.pairs[0].pooled);
  EXPECT_TRUE(test.pairs[2].pooled);
  EXPECT_EQ(test.pooled, 2);
  const double effect = test.pairs[3].estimate - test.pairs[2].estimate;
  EXPECT_NEAR(effect, .3, .15);
  for (const InstrumentPair& one : test.pairs)
    EXPECT_NEAR(one.estimate, truth(one.pair), 4 * one.estimate_error);
}

TEST(InstrumentTest, LeavesOutWhatIsMissingAndRefusesNonsense) {
  Past past = draw(10, .5, true, 2);
  const InstrumentTest all = instrument_test(model(), past.log, kOne);
  Past more = past;
  more.add(0, 99, 0, 1e6, 0);
  more.log.instrument.back() = mdp::ObservationLog::kNoInstrument;
  more.add(0, 99, 0, mdp::ObservationLog::kNoReward, 0);
  const InstrumentTest same = instrument_test(model(), more.log, kOne);
  EXPECT_EQ(same.rows, all.rows);
  EXPECT_EQ(same.pairs[0].estimate, all.pairs[0].estimate);
  more.log.instrument.clear();
  EXPECT_THROW(instrument_test(model(), more.log, kOne), InvalidArgument);
  EXPECT_THROW(instrument_test(model(), past.log, std::vector<double>{1}), InvalidArgument);
  // One action only: nothing to compare.
  Past one;
  for (int i = 0; i < 30; ++i) one.add(0, i, 0, i % 3, i % 2);
  EXPECT_EQ(instrument_test(model(), one.log, kOne).not_identified, 1);
}

}  // namespace instrument_test_test
}  // namespace mindgap::gap
