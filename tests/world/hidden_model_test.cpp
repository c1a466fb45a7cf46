#include "mindgap/world/hidden_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "mindgap/base/error.h"
#include "world/example_e.h"

namespace mindgap::world {
namespace hidden_model_test {

std::string message(const std::function<void(HiddenArrays&)>& spoil) {
  HiddenArrays arrays = example_e::arrays();
  spoil(arrays);
  try {
    HiddenModel model(std::move(arrays));
  } catch (const InvalidModel& error) {
    return error.what();
  }
  return "no error";
}

TEST(HiddenModel, ExampleE) {
  const HiddenModel world = example_e::model();
  EXPECT_EQ(world.states(), 3);
  EXPECT_EQ(world.actions(), 2);
  EXPECT_EQ(world.hidden(), 2);
  EXPECT_EQ(world.pairs(), 6);
  EXPECT_EQ(world.nonzeros(), 72);
  EXPECT_EQ(world.reward_max(), 1);
  EXPECT_EQ(world.hidden_name(1), "h1");
  EXPECT_EQ(world.find_state("s2"), 2);
  EXPECT_EQ(world, example_e::model());
}

TEST(HiddenModel, RowsAreMadeCanonical) {
  HiddenArrays arrays = example_e::arrays();
  // The row of the first cell: out of order, one target twice, one zero.
  const std::vector<std::int32_t> state = {2, 0, 0, 1, 0}, hidden = {1, 1, 0, 0, 1};
  const std::vector<double> p = {.25, .125, .5, 0, .125};
  const auto replace = [](auto& values, const auto& by) {
    values.erase(values.begin(), values.begin() + 6);
    values.insert(values.begin(), by.begin(), by.end());
  };
  replace(arrays.next_state, state);
  replace(arrays.next_hidden, hidden);
  replace(arrays.probability, p);
  for (std::size_t c = 1; c < arrays.row_begin.size(); ++c) --arrays.row_begin[c];
  const HiddenModel world(arrays);
  ASSERT_EQ(world.row_begin()[1], 3);
  const auto first = [](auto values) { return std::vector(values.begin(), values.begin() + 3); };
  EXPECT_EQ(first(world.next_state()), (std::vector<std::int32_t>{0, 0, 2}));
  EXPECT_EQ(first(world.next_hidden()), (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(first(world.probability()), (std::vector<double>{.5, .25, .25}));
}

TEST(HiddenModel, Defaults) {
  HiddenArrays arrays = example_e::arrays();
  arrays.reward_max.reset();
  arrays.variance.clear();
  arrays.start.clear();
  arrays.labels = {};
  arrays.hidden_names = {};
  arrays.hidden = 2;
  const HiddenModel world(arrays);
  EXPECT_EQ(world.reward_max(), .9);
  EXPECT_EQ(world.variance()[3], 0);
  EXPECT_DOUBLE_EQ(world.start()[2], 1.0 / 3);
  EXPECT_EQ(world.hidden_name(1), "1");
  EXPECT_EQ(world.find_state("2"), 2);
}

TEST(HiddenModel, BadNumbersNameTheirPlace) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message([&](auto& a) { a.reward[7] = nan; }),
            "state 's1', hidden 'h1', action 'a1': the reward must be finite (got 'nan')");
  EXPECT_EQ(message([&](auto& a) {
              a.reward[0] = INFINITY;
              a.reward_max.reset();
            }),
            "state 's0', hidden 'h0', action 'a0': the reward must be finite (got 'inf')");
  EXPECT_EQ(message([](auto& a) { a.variance[2] = -1; }),
            "state 's0', hidden 'h0', action 'a1': a reward variance must be finite and zero or more (0, or "
            "from 1e-200 to 1e200) (got '-1')");
  EXPECT_EQ(
      message([](auto& a) { a.behaviour[0] = -.5; }),
      "state 's0', hidden 'h0', action 'a0': the behaviour probability must be from 0 to 1 (got '-0.5')");
  EXPECT_EQ(message([](auto& a) { a.behaviour[3] = .7; }),
            "state 's0', hidden 'h1': the behaviour probabilities must sum to 1 (got '0.9')");
  EXPECT_EQ(message([](auto& a) { a.calibration[1] = .1; }),
            "state 's0': the calibration probabilities must sum to 1 (got '0.9')");
  EXPECT_EQ(message([](auto& a) { a.deployment[4] = 2; }),
            "state 's2', hidden 'h0': the deployment probability must be from 0 to 1 (got '2')");
  EXPECT_EQ(message([](auto& a) { a.deployment[4] = .2; }),
            "state 's2': the deployment probabilities must sum to 1 (got '0.9')");
  EXPECT_EQ(
      message([](auto& a) { a.probability[6] = std::nan(""); }),
      "state 's0', hidden 'h1', action 'a0': the transition probability must be from 0 to 1 (got 'nan')");
  EXPECT_EQ(message([](auto& a) { a.probability[0] = 0; }),
            "state 's0', hidden 'h0', action 'a0': the transition probabilities must sum to 1 (got '0.58')");
  EXPECT_EQ(message([](auto& a) { a.next_state[0] = 3; }),
            "state 's0', hidden 'h0', action 'a0': next state 3 does not exist");
  EXPECT_EQ(message([](auto& a) { a.next_hidden[71] = -1; }),
            "state 's2', hidden 'h1', action 'a1': next hidden state -1 does not exist");
  EXPECT_EQ(message([](auto& a) { a.row_begin[1] = 0; }),
            "state 's0', hidden 'h0', action 'a0': the pair has no transitions in this hidden state");
  EXPECT_EQ(message([](auto& a) { a.row_begin[1] = 100; }),
            "state 's0', hidden 'h0', action 'a0': row_begin must not decrease");
  EXPECT_EQ(message([](auto& a) {
              a.start = {.5, .5, .5};
            }),
            "the start probabilities must sum to 1 (got '1.5')");
  EXPECT_EQ(message([](auto& a) { a.discount = 1.5; }), "the discount must be from 0 to 1 (got '1.5')");
}

TEST(HiddenModel, BadShapes) {
  EXPECT_EQ(message([](auto& a) { a.hidden_names = {}; }), "the world has no hidden states");
  EXPECT_EQ(message([](auto& a) { a.hidden = 3; }), "hidden names has 2 entries, expected 3");
  EXPECT_EQ(message([](auto& a) { a.pair_begin = {}; }), "the model has no states");
  EXPECT_EQ(message([](auto& a) {
              a.pair_begin = {0, 0, 4, 6};
            }),
            "state 's0': the state has no available action");
  for (auto member : {&HiddenArrays::reward, &HiddenArrays::variance, &HiddenArrays::behaviour,
                      &HiddenArrays::calibration, &HiddenArrays::deployment, &HiddenArrays::probability}) {
    EXPECT_NE(message([&](auto& a) { (a.*member).pop_back(); }).find("entries, expected"), std::string::npos);
  }
  EXPECT_EQ(message([](auto& a) { a.next_hidden.pop_back(); }), "next_hidden has 71 entries, expected 72");
  EXPECT_EQ(message([](auto& a) { a.row_begin.pop_back(); }), "row_begin has 12 entries, expected 13");
  EXPECT_EQ(message([](auto& a) { a.row_begin.back() = 71; }),
            "row_begin must run from 0 to the number of transitions");
}

// Nothing is renormalised: a sum off by less than the tolerance stays as it is.
TEST(HiddenModel, SumsWithinTheToleranceStay) {
  HiddenArrays arrays = example_e::arrays();
  arrays.calibration[0] += 5e-10;
  EXPECT_EQ(HiddenModel(arrays).calibration()[0], .8 + 5e-10);
  arrays.calibration[0] += 5e-9;
  EXPECT_THROW(HiddenModel{arrays}, InvalidModel);
}

}  // namespace hidden_model_test
}  // namespace mindgap::world
