#include "paper/cases/vending/planners.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/error.h"
#include "paper/cases/vending/horizon_pilot.h"
#include "paper/cases/vending/learning.h"
#include "paper/cases/vending/priced.h"
#include "paper/cases/vending/sep.h"

namespace mindgap::cases::vending {
namespace vending_planners_test {

/// A day on which every slot of the default network sold `sales` of `stock`.
struct Day {
  std::vector<std::int32_t> sales, stock, nothing;
  std::vector<std::uint8_t> sold_out, down;

  Day(std::int32_t sold, std::int32_t start)
      : sales(15, sold), stock(15, start), nothing(15, 0), sold_out(15, sold == start), down(5, 0) {}
  DaySeen seen(std::int64_t day) const {
    return {day, stock, sales, sold_out, nothing, nothing, nothing, down};
  }
};

class VendingPlanners : public testing::Test {
 protected:
  Briefing briefing_ = brief(default_configuration());
  Decision decision_{std::vector<std::int32_t>(15), std::vector<Money>(15)};
  std::vector<std::int32_t> stock_ = std::vector<std::int32_t>(15, 5);

  void decide(VendingPlanner& planner, std::int64_t day) { planner.decide({day, stock_}, decision_); }
};

// Ten copies of the simulator's 2.5425; one uncensored day with 7: (9 * 2.5425 + 7)/10 = 2.98825.
TEST_F(VendingPlanners, TheWindowHoldsTenUncensoredDays) {
  WindowLearner learner(briefing_);
  const double first = briefing_.simulator_rate[0];
  EXPECT_NEAR(learner.rate(0), first, 1e-12);
  learner.observe(Day(7, 9).seen(0));
  EXPECT_NEAR(learner.rate(0), (9 * first + 7) / 10, 1e-12);
  EXPECT_EQ(learner.days(0), 1);
  learner.observe(Day(9, 9).seen(1));  // sold out: left out
  EXPECT_NEAR(learner.rate(0), (9 * first + 7) / 10, 1e-12);
  Day broken(0, 9);
  broken.down[0] = 1;
  learner.observe(broken.seen(2));
  EXPECT_NEAR(learner.rate(0), (9 * first + 7) / 10, 1e-12);
  EXPECT_EQ(learner.days(0), 1);
  EXPECT_EQ(learner.days(3), 2);  // the next machine was up
  for (int day = 3; day < 13; ++day) learner.observe(Day(2, 9).seen(day));
  EXPECT_NEAR(learner.rate(0), 2, 1e-12);
  learner.reset(0, 4);
  EXPECT_NEAR(learner.rate(0), 4, 1e-12);
}

TEST_F(VendingPlanners, KeptSoldOutDaysAreSales) {
  WindowLearner learner(briefing_, true);
  for (int day = 0; day < 10; ++day) learner.observe(Day(9, 9).seen(day));
  EXPECT_NEAR(learner.rate(0), 9, 1e-12);
}

TEST_F(VendingPlanners, ThePilotFillsAtLowPrices) {
  const auto planner = make_asop(briefing_, {42, 0}, {.pilot = true});
  decide(*planner, 0);
  const Decision first = decision_;
  for (std::size_t slot = 0; slot < 15; ++slot) {
    EXPECT_EQ(decision_.target[slot], 18);
    const double least = briefing_.least_willing[slot % 3];
    EXPECT_GE(dollars(decision_.price[slot]), .8 * least - 1e-6);
    EXPECT_LE(dollars(decision_.price[slot]), least + 1e-6);
  }
  decide(*planner, 1);
  EXPECT_NE(decision_.price, first.price);
  decide(*planner, 5);
  EXPECT_EQ(decision_.price[0], briefing_.exploit_price[0]);
  EXPECT_EQ(decision_.target[0], 5);
}

TEST_F(VendingPlanners, SopNeverLearns) {
  const auto planner = make_sop(briefing_);
  for (int day = 0; day < 20; ++day) planner->learn(Day(8, 9).seen(day));
  decide(*planner, 20);
  EXPECT_EQ(decision_.target, (std::vector<std::int32_t>{5, 3, 3, 4, 2, 3, 4, 3, 2, 1, 1, 1, 2, 1, 1}));
}

// 100,000 machine-days at .4: the standard error is .0015.
TEST_F(VendingPlanners, EpsilonPlaysAtItsRate) {
  const auto planner = make_epsilon(briefing_, {42, 0}, Epsilon::fixed);
  std::int64_t random = 0;
  std::vector<std::int64_t> targets(19, 0);
  for (int day = 0; day < 20'000; ++day) {
    decide(*planner, day);
    for (std::size_t i = 0; i < 5; ++i) {
      bool plays = false;
      for (std::size_t slot = 3 * i; slot < 3 * i + 3; ++slot) {
        plays = plays || decision_.price[slot] != briefing_.exploit_price[slot % 3] ||
                decision_.target[slot] != stock_target(briefing_, briefing_.simulator_rate[slot]);
      }
      random += plays;
    }
    ++targets.at(static_cast<std::size_t>(decision_.target[0]));
  }
  // A random play that is the exploit one in all three slots: (1/19 * 1/5)^3.
  EXPECT_NEAR(static_cast<double>(random) / 1e5, .4, 5 * .0015);
  for (std::size_t target = 0; target < 19; ++target) EXPECT_GT(targets[target], 300) << target;
}

// v = 1/(1 + n/variance), variance = max(.25, simulator's rate): 2.5425 in slot 0, .4323 in slot 11.
TEST_F(VendingPlanners, VarianceOfARate) {
  EXPECT_EQ(rate_variance(briefing_, 0, 0), 1);
  EXPECT_NEAR(rate_variance(briefing_, 0, 10), 1 / (1 + 10 / 2.5425), 1e-4);
  briefing_.simulator_rate[0] = .01;
  EXPECT_NEAR(rate_variance(briefing_, 0, 10), 1 / (1 + 10 / .25), 1e-12);
}

TEST_F(VendingPlanners, ThompsonDrawsEveryFiveDays) {
  const auto planner = make_thompson(briefing_, {42, 0});
  decide(*planner, 0);
  const Decision first = decision_;
  for (int day = 1; day < 5; ++day) {
    decide(*planner, day);
    EXPECT_EQ(decision_.target, first.target);
  }
  decide(*planner, 5);
  EXPECT_NE(decision_.target, first.target);
}

// Seven days of 2, then seven of 4: 4 - 2 > .8 * 2 at the fourteenth day and not before. From 2 to 3 is no
// break, nor is 1 to 2: by
// the time that the earlier mean exceeds 1.5 the change is too small.
TEST_F(VendingPlanners, BreaksAreDetected) {
  BreakDetector detector(briefing_);
  for (int day = 0; day < 13; ++day) EXPECT_FALSE(detector.add(0, day < 7 ? 2 : 4)) << day;
  EXPECT_TRUE(detector.add(0, 4));
  EXPECT_EQ(detector.mean(), 4);
  for (int day = 0; day < 13; ++day) EXPECT_FALSE(detector.add(0, 4 + 40 * (day > 6))) << "history is empty";
  for (int day = 0; day < 30; ++day) EXPECT_FALSE(detector.add(1, day < 15 ? 2 : 3));
  for (int day = 0; day < 30; ++day) EXPECT_FALSE(detector.add(2, day < 15 ? 1 : 2));
}

void pilot_days(SepPlanner& planner, const std::vector<std::int32_t>& first_slot, Decision& decision) {
  const std::vector<std::int32_t> stock(15, 5);
  for (std::size_t day = 0; day < first_slot.size(); ++day) {
    planner.decide({static_cast<std::int64_t>(day), stock}, decision);
    Day seen(0, 18);
    for (std::size_t slot = 0; slot < 15; ++slot) {
      seen.sales[slot] = static_cast<std::int32_t>(day % 3);  // mean .8, sd .84: no alarm in any slot
    }
    seen.sales[9] = first_slot[day];
    planner.learn(seen.seen(static_cast<std::int64_t>(day)));
  }
}

// Slot 9 (University, soda) against .6423. {8,9,8,9,8}: t = (8.4 - .64)/(.548/sqrt 5) = 31.7 > 6.254.
// {2,4,1,3,2}: t = (2.4 - .64)/(1.14/sqrt 5) = 3.45 < 6.254, the limit at .05/15 with four degrees of
// freedom.
TEST_F(VendingPlanners, ThePilotTestFlagsMachines) {
  SepPlanner alarm(briefing_, {42, 0}, SepPlanner::Kind::sep);
  pilot_days(alarm, {8, 9, 8, 9, 8}, decision_);
  decide(alarm, 5);
  EXPECT_EQ(alarm.flagged(), (std::vector<std::uint8_t>{0, 0, 0, 1, 0}));
  EXPECT_EQ(alarm.phase(3), Phase::explore);
  EXPECT_EQ(alarm.phase(0), Phase::exploit);
  EXPECT_EQ(decision_.target[9], 18);
  EXPECT_EQ(decision_.price[9], briefing_.explore_price[0]);
  EXPECT_EQ(decision_.target[0], 5);  // the simulator's while others are explored
  decide(alarm, 20);
  EXPECT_EQ(alarm.phase(3), Phase::exploit);

  SepPlanner quiet(briefing_, {42, 0}, SepPlanner::Kind::sep);
  pilot_days(quiet, {2, 4, 1, 3, 2}, decision_);
  decide(quiet, 5);
  EXPECT_EQ(quiet.flagged(), (std::vector<std::uint8_t>(5, 0)));
  EXPECT_LT(decision_.target[0], 5);  // exploits at once with what it learned: four days of less than 2.5
}

TEST_F(VendingPlanners, FisherAddsThreeMachines) {
  SepPlanner fisher(briefing_, {42, 0}, SepPlanner::Kind::fisher);
  pilot_days(fisher, {2, 4, 1, 3, 2}, decision_);
  decide(fisher, 5);
  std::int64_t uncertain = 0;
  for (const std::uint8_t machine : fisher.uncertain()) uncertain += machine;
  EXPECT_EQ(uncertain, 3);
  std::int64_t explored = 0, days = 0;
  for (int day = 5; day < 20; ++day) {
    decide(fisher, day);
    for (std::size_t i = 0; i < 5; ++i) {
      if (!fisher.uncertain()[i]) {
        EXPECT_EQ(fisher.phase(i), Phase::exploit);
        continue;
      }
      ++days;
      explored += fisher.phase(i) == Phase::explore;
    }
  }
  EXPECT_GT(explored, days / 5);  // half of 45, sd 3.4
  EXPECT_LT(explored, 4 * days / 5);
}

// Sales of 2 become 12 in the exploit phase: the slot is filled at the explore price for one day, and the
// belief starts anew.
TEST_F(VendingPlanners, ABreakIsExploredForADay) {
  SepPlanner planner(briefing_, {42, 0}, SepPlanner::Kind::sep);
  for (int day = 0; day < 40; ++day) {
    decide(planner, day);
    Day seen(1, 18);
    seen.sales[0] = day < 33 ? 2 : 12;
    planner.learn(seen.seen(day));
    if (!planner.breaks().empty()) break;
  }
  ASSERT_EQ(planner.breaks().size(), 1);
  EXPECT_EQ(planner.breaks()[0].slot, 0);
  // One day of 12 gives (6 * 2 + 12)/7 = 3.43 < 1.8 * 2, two give (5 * 2 + 2 * 12)/7 = 4.86.
  EXPECT_NEAR(planner.rate(0), 34.0 / 7, 1e-12);
  decide(planner, planner.breaks()[0].day + 1);
  EXPECT_EQ(decision_.target[0], 18);
  EXPECT_EQ(decision_.price[0], briefing_.explore_price[0]);
  decide(planner, planner.breaks()[0].day + 2);
  EXPECT_EQ(decision_.price[0], briefing_.exploit_price[0]);
}

TEST_F(VendingPlanners, OptimistsChooseBetweenTwoTargets) {
  for (const Optimism kind : {Optimism::ucrl2, Optimism::ucbvi}) {
    const auto planner = make_optimism(briefing_, kind);
    std::int64_t filled = 0;
    for (int day = 0; day < 200; ++day) {
      decide(*planner, day);
      Day seen(0, 9);
      for (std::size_t slot = 0; slot < 15; ++slot) {
        EXPECT_TRUE(decision_.target[slot] == 0 || decision_.target[slot] == 9);
        EXPECT_EQ(decision_.price[slot], briefing_.exploit_price[slot % 3]);
        seen.sales[slot] = decision_.target[slot] == 9 ? 6 : 0;  // filling earns
      }
      filled += decision_.target[0] == 9;
      planner->learn(seen.seen(day));
    }
    EXPECT_GT(filled, 120);
    EXPECT_LT(filled, 200);
  }
}

// Every target is tried; the one that earns most is played more often than one that earns least.
TEST_F(VendingPlanners, SlotOptimistsTryEveryTarget) {
  for (const Optimism kind : {Optimism::ucrl2, Optimism::ucbvi}) {
    const auto planner = make_slot_optimism(briefing_, kind);
    std::vector<int> played(19, 0);
    for (int day = 0; day < 1600; ++day) {
      decide(*planner, day);
      Day seen(0, 9);
      std::vector<std::int32_t> shipped(15);
      for (std::size_t slot = 0; slot < 15; ++slot) {
        ASSERT_GE(decision_.target[slot], 0);
        ASSERT_LE(decision_.target[slot], 18);
        EXPECT_EQ(decision_.price[slot], briefing_.exploit_price[slot % 3]);
        seen.sales[slot] = std::min(decision_.target[slot], 4);
        shipped[slot] = decision_.target[slot];
      }
      ++played[static_cast<std::size_t>(decision_.target[0])];
      DaySeen all = seen.seen(day);
      all.shipped_in = shipped;
      planner->learn(all);
    }
    for (const int times : played) EXPECT_GT(times, 0);
    EXPECT_GT(played[4], 2 * played[18]);
  }
}

// Of one slot, by sums over the Poisson law.
TEST_F(VendingPlanners, PricesOfExploringByHand) {
  const std::size_t slot = 0;
  const double rate = 2.2, w = briefing_.wholesale[0];
  const auto profit = [&](double mean, std::int32_t units, double margin) {
    double sum = 0, probability = std::exp(-mean);
    for (int d = 0; d < 200; probability *= mean / ++d) {
      const double sold = std::min(d, units);
      sum += probability * (margin * sold - briefing_.holding[0] * (units - sold));
    }
    return sum;
  };
  const SlotPrice price = price_of_exploring(briefing_, slot, rate, 3);
  const double low = dollars(briefing_.explore_price[0]);
  const double more = exposure(briefing_, slot, briefing_.explore_price[0]);
  EXPECT_GT(more, 1);
  EXPECT_NEAR(
      price.cost,
      profit(rate, 4, 1.5 * w - briefing_.handling) - profit(rate * more, 18, low - w - briefing_.handling),
      1e-9);
  const double g = value_sensitivity(briefing_, slot, rate);
  EXPECT_NEAR(price.information,
              g * g * (rate_variance(briefing_, slot, 3) - rate_variance(briefing_, slot, 4)), 1e-9);
  double below = 0, probability = std::exp(-rate);
  for (int d = 0; d < 4; probability *= rate / ++d) below += probability;
  EXPECT_NEAR(price.seen, below, 1e-12);
  // What is known needs no looking at, and the less is known the more a look is worth.
  EXPECT_NEAR(price_of_exploring(briefing_, slot, rate, 1e9).worth, 0, 1e-9);
  EXPECT_NEAR(price_of_exploring(briefing_, slot, rate, 1e9).regret, 0, 1e-9);
  EXPECT_GE(price_of_exploring(briefing_, slot, rate, 0).worth, price.worth);
  EXPECT_GE(price_of_exploring(briefing_, slot, rate, 0).regret, price.regret);
}

// Slots that sell out at a target of a few every day: A-SOP keeps the simulator's rate, the filter raises it.
TEST_F(VendingPlanners, TheFilterLearnsFromDaysThatSoldOut) {
  const auto blind = make_asop(briefing_, {42, 0});
  const auto filter = make_censored(briefing_, {42, 0});
  decide(*filter, 0);
  const std::int32_t before = decision_.target[9];
  for (int day = 0; day < 10; ++day) {
    const Day seen(3, 3);
    blind->learn(seen.seen(day));
    decide(*filter, day);
    filter->learn(seen.seen(day));
  }
  decide(*blind, 10);
  EXPECT_EQ(decision_.target[9], 1);
  decide(*filter, 10);
  EXPECT_GT(decision_.target[9], before + 4);
}

TEST_F(VendingPlanners, PricesComeFromTheGrid) {
  const auto planner = make_censored(briefing_, {42, 0}, {.price = true});
  decide(*planner, 0);
  for (std::size_t slot = 0; slot < 15; ++slot) {
    const double multiple = dollars(decision_.price[slot]) / briefing_.wholesale[slot % 3];
    EXPECT_TRUE(std::abs(multiple - 2) < 1e-5 || std::abs(multiple - 2.25) < 1e-5 ||
                std::abs(multiple - 2.5) < 1e-5 || std::abs(multiple - 2.8) < 1e-5)
        << multiple;
  }
}

// Reading days that sold out makes a pilot worth less than it costs, at every horizon.
TEST_F(VendingPlanners, NoPilotIsChosen) {
  const std::vector<PilotValue> values =
      pilot_values(briefing_, 1600, {.lengths = {0, 2, 5}, .draws = 4, .days = 25});
  ASSERT_EQ(values.size(), 3);
  EXPECT_EQ(values[0].gain, 0);
  EXPECT_LT(values[2].gain, 0);
  EXPECT_EQ(best_pilot_length(values), 0);
  EXPECT_THROW(pilot_values(briefing_, 0), InvalidArgument);
  EXPECT_THROW(pilot_values(briefing_, 100, {.lengths = {1, 2}}), InvalidArgument);
  EXPECT_THROW(pilot_values(briefing_, 100, {.draws = 1}), InvalidArgument);
}

TEST(VendingPilotLength, TheLargestGainBeyondItsError) {
  EXPECT_EQ(best_pilot_length({{0, 0, 0}, {1, 5, 1}, {2, 9, 6}, {3, 4, 1}}), 1);
  EXPECT_EQ(best_pilot_length({{0, 0, 0}, {5, -3, 1}}), 0);
}

}  // namespace vending_planners_test
}  // namespace mindgap::cases::vending
