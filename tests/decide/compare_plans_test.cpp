#include "mindgap/decide/compare_plans.h"

#include <gtest/gtest.h>

#include <cmath>

#include "decide/situations.h"

namespace mindgap::decide {
namespace compare_plans_test {

// Three plans over 4 steps in 4 worlds, given by what each gathers at each step. The model's discount is not
// used here: `discounted` is what it says.
Outcomes outcomes() {
  Outcomes out;
  out.worlds = 4;
  out.plans = 3;
  out.steps = {1, 2, 3, 4};
  const double sop[] = {1, 2, 3, 4};
  const double pilot[4][4] = {{0, 0, 3, 8}, {0, 1, 3, 6}, {0, 0, 0, 2}, {0, 1, 4, 10}};
  const double asop[] = {1, 2, 3, 5};
  for (std::size_t w = 0; w < 4; ++w) {
    out.gathered.insert(out.gathered.end(), std::begin(sop), std::end(sop));
    out.gathered.insert(out.gathered.end(), std::begin(pilot[w]), std::end(pilot[w]));
    out.gathered.insert(out.gathered.end(), std::begin(asop), std::end(asop));
    out.discounted.insert(out.discounted.end(), {3, 4.0 + static_cast<double>(w), 3.5});
  }
  out.mean_gathered = {1, 2, 3, 4, 0, .5, 2.5, 6.5, 1, 2, 3, 5};
  return out;
}

const std::vector<Plan> kPlans = {{"sop", Kind::deploy}, pilot_plan(2, 2), {"asop", Kind::learn}};
const std::vector<std::size_t> kPlaces = {0, 1, 2};

// Pilot less sop at the end: 4, 2, -2, 6: mean 2.5, sd sqrt(35/3), t_3(.975) = 3.182446305.
TEST(ComparePlans, ByHand) {
  const Comparison price = compare_plans(outcomes(), kPlaces, 1, 0, {}, kPlans);
  EXPECT_EQ(price.plan, 1U);
  EXPECT_EQ(price.other, 0U);
  EXPECT_EQ(price.worlds, 4);
  EXPECT_DOUBLE_EQ(price.gain, 2.5);
  const double half = 3.182446305284263 * std::sqrt(35.0 / 3) / 2;
  EXPECT_NEAR(price.gain_interval.lower, 2.5 - half, 1e-9);
  EXPECT_NEAR(price.gain_interval.upper, 2.5 + half, 1e-9);
  // After the pilot's 2 steps: sop 2, pilot 0, 1, 0, 1: 1.5 behind, sd 1/sqrt(3).
  EXPECT_DOUBLE_EQ(price.cost, 1.5);
  EXPECT_NEAR(price.cost_interval.upper - 1.5, 3.182446305284263 / std::sqrt(3) / 2, 1e-9);
  EXPECT_EQ(price.difference, (std::vector<double>{-1, -1.5, -.5, 2.5}));
  EXPECT_EQ(price.break_even_step, 4);
  EXPECT_DOUBLE_EQ(price.probability_of_loss, .25);
  // Wilson: (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2))/(1 + z^2/n), z = 1.959964, p = .25, n = 4.
  EXPECT_NEAR(price.loss_interval.lower, .04558, 1e-4);
  EXPECT_NEAR(price.loss_interval.upper, .69936, 1e-4);
}

TEST(ComparePlans, TheOtherWayRound) {
  const Comparison price = compare_plans(outcomes(), kPlaces, 0, 1, {}, kPlans);
  EXPECT_DOUBLE_EQ(price.gain, -2.5);
  EXPECT_DOUBLE_EQ(price.cost, -1.5);
  EXPECT_EQ(price.break_even_step, std::nullopt);
  EXPECT_DOUBLE_EQ(price.probability_of_loss, .75);
}

TEST(ComparePlans, WithoutAPilotThereIsNoCost) {
  const Comparison price = compare_plans(outcomes(), kPlaces, 2, 0, {}, kPlans);
  EXPECT_EQ(price.cost, 0);
  EXPECT_DOUBLE_EQ(price.gain, 1);
  EXPECT_EQ(price.gain_interval.lower, 1);
  EXPECT_EQ(price.gain_interval.upper, 1);
  EXPECT_EQ(price.break_even_step, 1);  // never behind
  EXPECT_EQ(price.probability_of_loss, 0);
  EXPECT_EQ(price.loss_interval.lower, 0);
  EXPECT_GT(price.loss_interval.upper, .2);  // four worlds say little: z^2/(n + z^2) = .49
  EXPECT_NEAR(price.loss_interval.upper, 3.841459 / (4 + 3.841459), 1e-6);
}

TEST(ComparePlans, DiscountedGain) {
  DecideOptions options;
  options.objective = Objective::discounted;
  EXPECT_DOUBLE_EQ(compare_plans(outcomes(), kPlaces, 1, 0, options, kPlans).gain, 2.5);
  EXPECT_DOUBLE_EQ(compare_plans(outcomes(), kPlaces, 1, 2, options, kPlans).gain, 2);
}

// Plans are named by place in the decision, outcomes hold only some of them, in another order.
TEST(ComparePlans, FindsPlansByPlace) {
  const std::vector<std::size_t> places = {5, 3, 4};
  std::vector<Plan> plans(6, kPlans[2]);
  plans[3] = kPlans[1];
  const Comparison price = compare_plans(outcomes(), places, 3, 5, {}, plans);
  EXPECT_DOUBLE_EQ(price.gain, 2.5);
  EXPECT_DOUBLE_EQ(price.cost, 1.5);
}

TEST(FillResults, ByHand) {
  Decision decision;
  decision.plans.resize(3);
  fill_results(outcomes(), kPlaces, {}, decision);
  const PlanResult& pilot = decision.plans[1];
  EXPECT_EQ(pilot.worlds, 4);
  EXPECT_DOUBLE_EQ(pilot.value, 6.5);
  EXPECT_NEAR(pilot.standard_error, std::sqrt(35.0 / 3) / 2, 1e-12);
  EXPECT_DOUBLE_EQ(pilot.total, 6.5);
  EXPECT_DOUBLE_EQ(pilot.discounted, 5.5);
  EXPECT_EQ(pilot.difference_to_best, 0);
  EXPECT_EQ(pilot.interval.upper, 0);
  EXPECT_DOUBLE_EQ(decision.plans[0].difference_to_best, -2.5);
  // Two others: each at .975, t_3(.9875) = 4.176535.
  EXPECT_NEAR(decision.plans[0].interval.upper, -2.5 + 4.176534846 * std::sqrt(35.0 / 3) / 2, 1e-6);
  EXPECT_EQ(pilot.mean, (std::vector<double>{0, .5, 2.5, 6.5}));
  // 8, 6, 2, 10 sorted 2 6 8 10: the .1 quantile is at .3 between 2 and 6, the .9 quantile at 2.7: 8 + .7
  // * 2.
  EXPECT_NEAR(pilot.lower[3], 3.2, 1e-12);
  EXPECT_NEAR(pilot.upper[3], 9.4, 1e-12);
  // The plan's range, of the objective.
  EXPECT_NEAR(pilot.range.lower, 3.2, 1e-12);
  EXPECT_NEAR(pilot.range.upper, 9.4, 1e-12);
}

// 400 worlds in which one plan earns 1 or 3 by turns (standard deviation sqrt(400/399)) and the other the
// same: worlds that were not drawn may differ, so the interval is not [0, 0]. t_399(.975) = 1.965927.
TEST(ComparePlans, RareWorldsLeaveTheGainOpen) {
  Outcomes same;
  same.worlds = 400;
  same.plans = 2;
  same.steps = {1};
  for (int w = 0; w < 400; ++w) {
    for (int p = 0; p < 2; ++p) same.gathered.push_back(w % 2 == 0 ? 1 : 3);
  }
  same.discounted = same.gathered;
  same.mean_gathered = {2, 2};
  const std::vector<std::size_t> places = {0, 1};
  const std::vector<Plan> plans = {{"sop", Kind::deploy}, {"asop", Kind::learn}};
  const Comparison none = compare_plans(same, places, 1, 0, {}, plans);
  EXPECT_EQ(none.gain, 0);
  EXPECT_NEAR(none.gain_interval.upper, 1.965927 * std::sqrt(2.0 * 400 / 399) / 400, 1e-7);
  EXPECT_NEAR(none.gain_interval.lower, -none.gain_interval.upper, 1e-15);
  // Where 30 of them differ the interval is Student's.
  for (std::size_t w = 0; w < 30; ++w) same.gathered[2 * w + 1] += 1;
  const Comparison some = compare_plans(same, places, 1, 0, {}, plans);
  const double sd = std::sqrt(30 * (1 - 30 / 400.0) / 399);
  EXPECT_NEAR(some.gain_interval.upper, 30 / 400.0 + 1.965927 * sd / 20, 1e-7);
}

TEST(SurelyBehind, NeedsAllOfTheInterval) {
  const std::vector<double> low = {1, 2, 3, 4}, high = {2, 3.1, 4, 5.1}, mixed = {2, 1, 4, 3};
  EXPECT_TRUE(surely_behind(low, high, .95));
  EXPECT_FALSE(surely_behind(high, low, .95));
  EXPECT_FALSE(surely_behind(low, mixed, .95));
  EXPECT_FALSE(surely_behind(low, low, .95));
  EXPECT_FALSE(surely_behind(std::vector<double>{1}, std::vector<double>{2}, .95));
}

}  // namespace compare_plans_test
}  // namespace mindgap::decide
