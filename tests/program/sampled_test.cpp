#include "mindgap/program/sampled.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"

namespace mindgap::program {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Steps as they were seen, in arrays of their own.
struct Log {
  std::vector<double> state, reward, next_state;
  std::vector<std::int32_t> action;
  std::vector<std::uint8_t> terminated;

  void add(std::vector<double> from, std::int32_t with, double earned, std::vector<double> to,
           bool over = false) {
    state.insert(state.end(), from.begin(), from.end());
    next_state.insert(next_state.end(), to.begin(), to.end());
    action.push_back(with);
    reward.push_back(earned);
    terminated.push_back(over ? 1 : 0);
  }
  SeenSteps steps() const { return {state, action, reward, next_state, terminated}; }
};

TabulateOptions choices(int threads = 0) {
  return {.discount = .9, .actions = {"a", "b"}, .run = {.threads = threads}};
}

double probability(const mdp::Mdp& mdp, std::int32_t state, std::int32_t action, std::int32_t next) {
  const mdp::Row row = mdp.row(mdp.find_pair(state, action));
  for (std::size_t e = 0; e < row.size(); ++e)
    if (row.next_state[e] == next) return row.probability[e];
  return 0;
}

double distance(const mdp::Mdp& one, const mdp::Mdp& other, std::int32_t state, std::int32_t action) {
  double sum = 0;
  for (std::int32_t next = 0; next < one.states(); ++next)
    sum += std::abs(probability(one, state, action, next) - probability(other, state, action, next));
  return sum / 2;
}

// An angle that turns and a place that moves, by an amount of each action, wherever they are.
void drift(std::span<const double> state, std::int32_t action, std::span<double> next) {
  next[0] = state[0] + (action == 0 ? .13 : -.4);
  next[1] = state[1] + (action == 0 ? -.031 : .12);
}

Grid cylinder() {
  return Grid({even_axis("angle", -kPi, kPi, 12, true), even_axis("place", 0, 1, 8)});
}

TEST(Sampled, ProgramsThatMoveAlikeEverywhereGiveTheTabulatedTable) {
  const Grid grid = cylinder();
  base::Stream random({.seed = 5, .purpose = base::Purpose::test});
  Log log;
  for (int i = 0; i < 3000; ++i) {
    const std::vector<double> from = {kPi * (2 * base::uniform(random) - 1), base::uniform(random)};
    std::vector<double> to(2);
    const std::int32_t action = i % 2;
    drift(from, action, to);
    if (to[0] > kPi) to[0] -= 2 * kPi;  // shown as an angle of the same turn
    log.add(from, action, action == 0 ? -1 : 2.5, to);
  }
  const Sampled found = sampled(grid, log.steps(), choices());
  const Tabulated wanted = tabulate(
      grid,
      [](auto state, auto action, auto, auto&, auto next) {
        drift(state, action, next);
        return Outcome{action == 0 ? -1 : 2.5, false};
      },
      {}, choices());
  ASSERT_EQ(found.untried, 0);
  EXPECT_FALSE(found.table.has_end);
  double total = 0;
  for (std::int32_t c = 0; c < grid.corners(); ++c) {
    for (std::int32_t a = 0; a < 2; ++a) {
      EXPECT_NEAR(distance(found.table.mdp, wanted.mdp, c, a), 0, 1e-12);
      EXPECT_NEAR(found.table.mdp.reward()[found.table.mdp.find_pair(c, a)], a == 0 ? -1 : 2.5, 1e-12);
      const std::int32_t pair = 2 * c + a;
      total += found.coverage[static_cast<std::size_t>(pair)];
    }
  }
  EXPECT_NEAR(total, 3000, 1e-9);  // one step is one observation
  for (const double variance : found.variance) EXPECT_NEAR(variance, 0, 1e-12);
}

// x' = .8 x + .1 a + noise: a program that moves otherwise at each place.
double mean_distance(std::int64_t steps, std::uint64_t seed) {
  const Grid grid({even_axis("x", -1, 1, 21)});
  const auto step = [](double x, std::int32_t action, base::Stream& random) {
    return .8 * x + (action == 0 ? -.1 : .1) + .1 * (base::uniform(random) + base::uniform(random) - 1);
  };
  base::Stream random({.seed = seed, .purpose = base::Purpose::test});
  Log log;
  for (std::int64_t i = 0; i < steps; ++i) {
    const double x = 2 * base::uniform(random) - 1;
    const std::int32_t action = base::uniform(random) < .5 ? 0 : 1;
    log.add({x}, action, x, {step(x, action, random)});
  }
  const Sampled found = sampled(grid, log.steps(), choices());
  TabulateOptions options = choices();
  options.samples = 20000;
  const Tabulated wanted = tabulate(
      grid,
      [&](auto state, auto action, auto, auto& luck, auto next) {
        next[0] = step(state[0], action, luck);
        return Outcome{state[0], false};
      },
      {}, options);
  double sum = 0;
  for (std::int32_t c = 1; c + 1 < grid.corners(); ++c)  // ends of the axis are seen from one side only
    for (std::int32_t a = 0; a < 2; ++a) sum += distance(found.table.mdp, wanted.mdp, c, a);
  return sum / (2 * (grid.corners() - 2));
}

TEST(Sampled, ALinearProgramIsApproachedAsStepsGrow) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const double few = mean_distance(500, seed), more = mean_distance(5000, seed),
                 many = mean_distance(50000, seed);
    EXPECT_LT(more, few / 2);  // by the square root of ten, as means do
    EXPECT_LT(many, more / 2);
    EXPECT_LT(many, .02);
  }
}

TEST(Sampled, AProgramThatStaysDoesNotDiffuse) {
  Log log;
  for (const double x : {.11, .38, .62, .95}) log.add({x}, 0, x, {x});
  const Sampled found = sampled(Grid({even_axis("x", 0, 1, 3)}), log.steps(), choices());
  for (std::int32_t c = 0; c < 3; ++c) EXPECT_NEAR(probability(found.table.mdp, c, 0, c), 1, 1e-15);
}

TEST(Sampled, EndsCoverageAndVarianceByHand) {
  // Corners 0, 1, 2. From .25 (three quarters of corner 0) to .75, from .5 to the end, from 1 to 1.5.
  Log log;
  log.add({.25}, 0, 1, {.75});
  log.add({.5}, 0, 3, {9}, true);
  log.add({1}, 0, -2, {1.5});
  const Sampled found = sampled(Grid({even_axis("x", 0, 2, 3)}), log.steps(), choices());
  const mdp::Mdp& mdp = found.table.mdp;
  ASSERT_TRUE(found.table.has_end);
  ASSERT_EQ(mdp.states(), 4);
  // Corner 0: weights .75 to .5 (half corner 0, half corner 1) and .5 to the end.
  EXPECT_NEAR(probability(mdp, 0, 0, 0), .3, 1e-15);
  EXPECT_NEAR(probability(mdp, 0, 0, 1), .3, 1e-15);
  EXPECT_NEAR(probability(mdp, 0, 0, 3), .4, 1e-15);
  EXPECT_NEAR(mdp.reward()[0], (.75 * 1 + .5 * 3) / 1.25, 1e-15);
  EXPECT_NEAR(found.coverage[0], 1.25, 1e-15);
  EXPECT_NEAR(found.coverage[2], 1.75, 1e-15);  // .25 + .5 + 1 at corner 1
  EXPECT_NEAR(mdp.reward()[2], (.25 * 1 + .5 * 3 - 2) / 1.75, 1e-15);
  // Variance: squares of both pairs over their freedom is common to all; one step of it is added to each.
  const double mean0 = 1.8, mean1 = -.25 / 1.75;
  const double squares0 = .75 * .64 + .5 * 1.44;
  const double squares1 =
      .25 * std::pow(1 - mean1, 2) + .5 * std::pow(3 - mean1, 2) + std::pow(-2 - mean1, 2);
  const double freedom0 = 1.25 - (.5625 + .25) / 1.25, freedom1 = 1.75 - (.0625 + .25 + 1) / 1.75;
  const double common = (squares0 + squares1) / (freedom0 + freedom1);
  EXPECT_NEAR(mdp.reward()[0], mean0, 1e-15);
  EXPECT_NEAR(found.variance[0], (squares0 + common) / (freedom0 + 1), 1e-14);
  EXPECT_NEAR(found.variance[2], (squares1 + common) / (freedom1 + 1), 1e-14);
  // Untried: action b everywhere, and corner 2 with both.
  EXPECT_EQ(found.untried, 4);
  EXPECT_EQ(found.lowest, -2);
  EXPECT_EQ(probability(mdp, 2, 0, 2), 1);
  EXPECT_EQ(mdp.reward()[mdp.find_pair(2, 0)], -2);
  EXPECT_EQ(found.coverage[4], 0);
  EXPECT_NEAR(found.variance[4], common, 1e-15);
  EXPECT_EQ(found.coverage.back(), 1);  // the end, which was reached once
  EXPECT_EQ(found.variance.back(), 0);
  EXPECT_EQ(found.table.left.any, 0);
}

TEST(Sampled, WhatIsUntriedIsNoBetterThanTheEnd) {
  // Each step pays 1 until the end, as a pole that stands does: to stay for ever must not look best.
  Log log;
  log.add({.5}, 0, 1, {.6});
  log.add({.6}, 0, 1, {.7}, true);
  EXPECT_EQ(sampled(Grid({even_axis("x", 0, 2, 3)}), log.steps(), choices()).lowest, 0);
  log.terminated.clear();
  EXPECT_EQ(sampled(Grid({even_axis("x", 0, 2, 3)}), log.steps(), choices()).lowest, 1);
}

TEST(Sampled, StepsThatLeaveAreCountedAndMovedToTheNearestFace) {
  Log log;
  log.add({.9}, 0, 0, {1.2});
  log.add({.1}, 1, 0, {.2});
  const Sampled found = sampled(Grid({even_axis("x", 0, 1, 2)}), log.steps(), choices());
  EXPECT_EQ(found.table.left.above[0], .5);
  EXPECT_EQ(found.table.left.below[0], 0);
  EXPECT_EQ(probability(found.table.mdp, 1, 0, 1), 1);
}

TEST(Sampled, ThreadsChangeNothing) {
  base::Stream random({.seed = 9, .purpose = base::Purpose::test});
  Log log;
  for (int i = 0; i < 20000; ++i)
    log.add({base::uniform(random), base::uniform(random)}, i % 2, base::uniform(random),
            {base::uniform(random), base::uniform(random)}, i % 7 == 0);
  const Grid grid({even_axis("x", 0, 1, 40), even_axis("y", 0, 1, 40)});
  const Sampled one = sampled(grid, log.steps(), choices(1)), three = sampled(grid, log.steps(), choices(3));
  EXPECT_EQ(one.table.mdp, three.table.mdp);
  EXPECT_EQ(one.coverage, three.coverage);
  EXPECT_EQ(one.variance, three.variance);
}

TEST(Sampled, RefusesBadInput) {
  const Grid grid({even_axis("x", 0, 1, 3)});
  const auto said = [&](const Log& log) -> std::string {
    try {
      sampled(grid, log.steps(), choices());
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Log log;
  EXPECT_NE(said(log).find("there are no steps"), std::string::npos);
  log.add({.5}, 2, 0, {.5});
  EXPECT_NE(said(log).find("action"), std::string::npos);
  log = {};
  log.add({nan}, 0, 0, {.5});
  EXPECT_NE(said(log).find("state"), std::string::npos);
  log = {};
  log.add({.5}, 0, nan, {.5});
  EXPECT_NE(said(log).find("reward"), std::string::npos);
  log = {};
  log.add({.5}, 0, 0, {nan});
  EXPECT_NE(said(log).find("next_state"), std::string::npos);
  log = {};
  log.add({.5}, 0, 0, {nan}, true);
  EXPECT_EQ(said(log), "nothing");  // after an end nothing is looked at
  log = {};
  log.add({.5, .5}, 0, 0, {.5});
  EXPECT_NE(said(log).find("state"), std::string::npos);
  log = {};
  log.add({.5}, 0, 0, {4});
  EXPECT_NE(said(log).find("every step leaves the grid"), std::string::npos);
}

}  // namespace
}  // namespace mindgap::program
