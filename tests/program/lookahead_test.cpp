#include "mindgap/program/lookahead.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mindgap/base/error.h"
#include "mindgap/program/tabulate.h"

namespace mindgap::program {
namespace {

Grid short_line() {
  return Grid({even_axis("x", 0, 1, 3)});
}

// Three corners, two actions: stay for reward x, or end for reward 1.
Tabulated stay_or_end() {
  return tabulate(short_line(),
                  [](auto state, auto action, auto, auto&, auto next) {
                    next[0] = state[0];
                    return action == 0 ? Outcome{.reward = state[0]}
                                       : Outcome{.reward = 1, .terminated = true};
                  },
                  {}, {.discount = .5, .actions = {"stay", "end"}});
}

TEST(Lookahead, ValuesBetweenCorners) {
  const std::vector<double> value = {1, 3, 11};
  const double states[] = {.25, 1, 7};
  EXPECT_DOUBLE_EQ(value_at(short_line(), value, {states, 1}), 2);
  EXPECT_EQ(values_at(short_line(), value, states), (std::vector<double>{2, 11, 11}));
  EXPECT_THROW(value_at(short_line(), std::vector<double>{1, 2}, {states, 1}), InvalidArgument);
}

TEST(Lookahead, ActionValuesWithoutAProgram) {
  const Tabulated table = stay_or_end();
  const std::vector<double> value = {1, 1, 2, 0};  // optimal: end is worth 1, staying x / (1 - .5) = 2x
  const double state = .75;
  const std::vector<double> found = action_values_at(short_line(), table.mdp, value, {&state, 1});
  EXPECT_DOUBLE_EQ(found[0], .75 + .5 * 1.5);  // half way between .5 + .5 and 1 + 1
  EXPECT_DOUBLE_EQ(found[1], 1);
  EXPECT_EQ(best_action(found), 0);
}

TEST(Lookahead, StepsOfTheProgramItself) {
  const std::vector<double> value = {1, 3, 11, 0};
  const double next[] = {.25, .5}, reward[] = {4, 6}, weight[] = {1};
  const std::uint8_t over[] = {0, 1};
  EXPECT_EQ(lookahead(short_line(), value, .5, {next, reward, over, weight}), (std::vector<double>{5, 6}));
  EXPECT_EQ(lookahead(short_line(), value, .5, {next, reward, {}, weight}), (std::vector<double>{5, 7.5}));
  const double weights[] = {.25, .75};  // one action, two samples
  EXPECT_EQ(lookahead(short_line(), value, .5, {next, reward, over, weights}),
            (std::vector<double>{.25 * 5 + .75 * 6}));
}

TEST(Lookahead, RefusesBadInput) {
  const std::vector<double> value = {1, 3, 11};
  const double next[] = {.25, .5}, reward[] = {4, std::numeric_limits<double>::quiet_NaN()}, weight[] = {1},
               half[] = {.5};
  EXPECT_THROW(lookahead(short_line(), value, .5, {next, reward, {}, weight}), InvalidArgument);
  EXPECT_THROW(lookahead(short_line(), value, .5, {next, {reward, 1}, {}, weight}), InvalidArgument);
  EXPECT_THROW(lookahead(short_line(), value, .5, {{next, 1}, {reward, 1}, {}, half}), InvalidArgument);
  EXPECT_THROW(best_action({}), InvalidArgument);
}

}  // namespace
}  // namespace mindgap::program
