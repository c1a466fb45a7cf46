#include "mindgap/program/tabulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"

namespace mindgap::program {
namespace {

TabulateOptions two_actions() {
  return {.discount = .9, .actions = {"left", "right"}};
}

Grid line(std::int32_t points = 11) {
  return Grid({even_axis("x", 0, 1, points)});
}

// Moves by a quarter of a cell of line(); theta[0], where given, is a push.
Outcome walk(std::span<const double> state, std::int32_t action, std::span<const double> theta, base::Stream&,
             std::span<double> next) {
  next[0] = state[0] + (action == 0 ? -.025 : .025) + (theta.empty() ? 0 : theta[0]);
  return {.reward = state[0] * 10};
}

// A random walk in two dimensions that ends beyond x = .8.
Outcome noisy(std::span<const double> state, std::int32_t action, std::span<const double>,
              base::Stream& random, std::span<double> next) {
  next[0] = state[0] + .1 * base::normal(random) + .05 * action;
  next[1] = state[1] + .1 * base::normal(random);
  return {.reward = base::uniform(random), .terminated = next[0] > .8};
}

Grid square() {
  return Grid({even_axis("x", 0, 1, 21), {.name = "y", .points = {0, .1, .4, .5, 1}}});
}

TEST(Tabulate, ARowIsTheWeightsOfTheNextState) {
  const Tabulated table = tabulate(line(), walk, {}, two_actions());
  const mdp::Mdp& mdp = table.mdp;
  EXPECT_EQ(mdp.states(), 11);
  EXPECT_EQ(mdp.pairs(), 22);
  EXPECT_FALSE(table.has_end);
  EXPECT_EQ(mdp.state_name(3), "x=0.3");
  const mdp::Row row = mdp.row(mdp.find_pair(4, 1));  // .425: three quarters of .4, a quarter of .5
  ASSERT_EQ(row.size(), 2);
  EXPECT_EQ(row.next_state[0], 4);
  EXPECT_NEAR(row.probability[0], .75, 1e-12);
  EXPECT_NEAR(row.probability[1], .25, 1e-12);
  EXPECT_DOUBLE_EQ(mdp.reward()[mdp.find_pair(4, 1)], 4);
  EXPECT_NEAR(mdp.start()[0], 1.0 / 11, 1e-15);
  EXPECT_DOUBLE_EQ(mdp.labels().x[3], .3);
}

TEST(Tabulate, CountsWhatLeavesTheGrid) {
  const Tabulated table = tabulate(line(), walk, {}, two_actions());
  EXPECT_DOUBLE_EQ(table.left.below[0], 1.0 / 22);  // left from x = 0
  EXPECT_DOUBLE_EQ(table.left.above[0], 1.0 / 22);
  EXPECT_DOUBLE_EQ(table.left.any, 2.0 / 22);
  const mdp::Row row = table.mdp.row(0);
  ASSERT_EQ(row.size(), 1);
  EXPECT_EQ(row.next_state[0], 0);
}

TEST(Tabulate, RefusesAProgramWhoseEveryStepLeavesTheGrid) {
  const double far[] = {5};
  try {
    tabulate(line(), walk, far, two_actions());
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("every step leaves the grid; 100 % of steps on axis x"),
              std::string::npos)
        << error.what();
  }
}

TEST(Tabulate, TerminatedStepsLeadToOneEndAndKeepTheirReward) {
  const auto ends = [](std::span<const double> state, std::int32_t action, std::span<const double>,
                       base::Stream&, std::span<double> next) {
    if (action == 0) next[0] = state[0];
    return Outcome{.reward = 7, .terminated = action == 1};  // and gives no next state
  };
  const Tabulated table = tabulate(line(), ends, {}, two_actions());
  const mdp::Mdp& mdp = table.mdp;
  EXPECT_TRUE(table.has_end);
  ASSERT_EQ(mdp.states(), 12);
  EXPECT_EQ(mdp.state_name(11), "end");
  const mdp::Row row = mdp.row(mdp.find_pair(5, 1));
  ASSERT_EQ(row.size(), 1);
  EXPECT_EQ(row.next_state[0], 11);
  EXPECT_EQ(mdp.reward()[mdp.find_pair(5, 1)], 7);
  EXPECT_EQ(mdp.pairs_of(11).size(), 1);
  EXPECT_EQ(mdp.reward()[mdp.find_pair(11, 0)], 0);
  EXPECT_EQ(mdp.start()[11], 0);
}

TEST(Tabulate, RowsAreMeansOverSamplesAndSumToOne) {
  TabulateOptions options = two_actions();
  options.samples = 50;
  const Tabulated table = tabulate(square(), noisy, {}, options);
  const mdp::Mdp& mdp = table.mdp;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    const mdp::Row row = mdp.row(k);
    EXPECT_NEAR(std::accumulate(row.probability.begin(), row.probability.end(), 0.0), 1, 1e-14);
  }
  const mdp::Row last =
      mdp.row(mdp.find_pair(square().corners() - 1, 1));  // x = 1: 1.05 + noise, mostly an end
  EXPECT_EQ(last.next_state.back(), square().corners());
  EXPECT_GT(last.probability.back(), .95);
  EXPECT_NEAR(mdp.reward()[0], .5, 5 * std::sqrt(1.0 / 12 / 50));
}

TEST(Tabulate, ActionsMeetTheSameRandomNumbersAtACornerAndCornersDoNot) {
  const Tabulated table = tabulate(square(), noisy, {}, two_actions());
  const auto reward = [&](std::int32_t corner, std::int32_t action) {
    return table.mdp.reward()[table.mdp.find_pair(corner, action)];
  };
  EXPECT_EQ(reward(7, 0), reward(7, 1));
  EXPECT_NE(reward(7, 0), reward(8, 0));
}

TEST(Tabulate, ThreadsChangeNoBit) {
  TabulateOptions options = two_actions();
  options.samples = 3;
  const Grid grid({even_axis("x", 0, 1, 51), even_axis("y", 0, 1, 51)});
  options.run.threads = 1;
  const Tabulated one = tabulate(grid, noisy, {}, options);
  for (const int threads : {2, 5}) {
    options.run.threads = threads;
    const Tabulated other = tabulate(grid, noisy, {}, options);
    EXPECT_EQ(one.mdp, other.mdp);
    EXPECT_EQ(one.left, other.left);
  }
}

TEST(Tabulate, FromArraysIsTheSame) {
  const Grid grid = line(5);
  std::vector<double> next, reward;
  std::vector<std::uint8_t> over;
  for (int c = 0; c < 5; ++c) {
    for (int a = 0; a < 2; ++a) {
      next.push_back(c * .25 + (a == 0 ? -.025 : .025));
      reward.push_back(c * 2.5);
      over.push_back(0);
    }
  }
  const Tabulated made = tabulate(grid, walk, {}, two_actions());
  EXPECT_EQ(tabulate(grid, Steps{next, reward, {}}, two_actions()).mdp, made.mdp);
  EXPECT_EQ(tabulate(grid, Steps{next, reward, over}, two_actions()).mdp, made.mdp);
  over[3] = 1;
  next[3] = std::numeric_limits<double>::quiet_NaN();  // not looked at
  EXPECT_TRUE(tabulate(grid, Steps{next, reward, over}, two_actions()).has_end);
  next.pop_back();
  EXPECT_THROW(tabulate(grid, Steps{next, reward, over}, two_actions()), InvalidArgument);
}

TEST(Tabulate, AnEndCanBeAddedToBothAlike) {
  TabulateOptions options = two_actions();
  const Tabulated without = tabulate(
      square(),
      [](auto state, auto, auto, auto&, auto next) {
        next[0] = state[0], next[1] = state[1];
        return Outcome{};
      },
      {}, options);
  EXPECT_FALSE(without.has_end);
  const Tabulated with = with_end(without);
  EXPECT_TRUE(with.has_end);
  EXPECT_EQ(with.mdp.states(), without.mdp.states() + 1);
  EXPECT_EQ(with.mdp.state_name(with.mdp.states() - 1), "end");
  EXPECT_EQ(with_end(with).mdp, with.mdp);
  options.always_end = true;
  EXPECT_EQ(tabulate(line(), walk, {}, options).mdp.states(), 12);
}

TEST(Tabulate, StartsAreSpread) {
  TabulateOptions options = two_actions();
  options.starts = {.25, .3};
  const mdp::Mdp mdp = tabulate(line(), walk, {}, options).mdp;
  EXPECT_NEAR(mdp.start()[2], .25, 1e-12);  // half of the first start
  EXPECT_NEAR(mdp.start()[3], .75, 1e-12);
  options.starts = {.25, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(tabulate(line(), walk, {}, options), InvalidArgument);
  EXPECT_THROW(start_at(square(), std::vector<double>{1, 2, 3}, 105), InvalidArgument);
}

TEST(Tabulate, RefusesBadInput) {
  const auto bad_reward = [](auto, auto, auto, auto&, auto next) {
    next[0] = 0;
    return Outcome{.reward = std::numeric_limits<double>::quiet_NaN()};
  };
  const auto no_next = [](auto, auto, auto, auto&, auto) { return Outcome{}; };
  try {
    tabulate(line(), bad_reward, {}, two_actions());
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "the step from state x=0 with action 'left' gave a reward of nan, which is not finite");
  }
  EXPECT_THROW(tabulate(line(), no_next, {}, two_actions()), InvalidArgument);
  TabulateOptions options = two_actions();
  options.samples = 0;
  EXPECT_THROW(tabulate(line(), walk, {}, options), InvalidArgument);
  options = two_actions();
  options.discount = 1.5;
  EXPECT_THROW(tabulate(line(), walk, {}, options), InvalidArgument);
  options = two_actions();
  options.actions.clear();
  EXPECT_THROW(tabulate(line(), walk, {}, options), InvalidArgument);
}

}  // namespace
}  // namespace mindgap::program
