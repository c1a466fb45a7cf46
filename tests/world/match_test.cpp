#include "mindgap/world/match.h"

#include <gtest/gtest.h>

#include <functional>

#include "mindgap/base/error.h"
#include "world/example_e.h"

namespace mindgap::world {
namespace match_test {

TEST(Match, AnyOrderOfStatesAndActions) {
  const mdp::Mdp simulator = example_e::simulator();
  EXPECT_EQ(matched_to(simulator, example_e::model()), example_e::model());
  EXPECT_EQ(matched_to(simulator, HiddenModel(example_e::arrays({2, 0, 1}, {1, 0}))), example_e::model());
  EXPECT_EQ(matched_to(simulator, HiddenModel(example_e::arrays({1, 0, 2}))), example_e::model());
}

TEST(Match, NumbersStandForMissingNames) {
  HiddenArrays arrays = example_e::arrays();
  arrays.labels.states = mdp::NameTable({"1", "0", "2"});
  arrays.labels.actions = mdp::NameTable({"0", "1"});
  mdp::MdpArrays plain;
  plain.discount = .9;
  plain.pair_begin = {0, 2, 4, 6};
  plain.pair_action = {0, 1, 0, 1, 0, 1};
  plain.row_begin = {0, 1, 2, 3, 4, 5, 6};
  plain.next_state = {0, 0, 0, 0, 0, 0};
  plain.probability = {1, 1, 1, 1, 1, 1};
  plain.reward = {0, 0, 0, 0, 0, 0};
  const HiddenModel matched = matched_to(mdp::Mdp(plain), HiddenModel(arrays));
  EXPECT_EQ(matched.reward()[0], .8);
  EXPECT_EQ(matched.start()[1], 1);
  EXPECT_TRUE(matched.labels().states.empty());
}

std::string message(const std::function<void(HiddenArrays&)>& change) {
  HiddenArrays arrays = example_e::arrays();
  change(arrays);
  const HiddenModel world(std::move(arrays));
  try {
    matched_to(example_e::simulator(), world);
  } catch (const InvalidModel& error) {
    return error.what();
  }
  return "no error";
}

// Takes the last pair (s2,a1) away.
void drop_last_pair(HiddenArrays& arrays) {
  arrays.pair_begin.back() = 5;
  arrays.pair_action.pop_back();
  arrays.reward.resize(10);
  arrays.variance.resize(10);
  arrays.behaviour.resize(10);
  arrays.behaviour[8] = arrays.behaviour[9] = 1;
  arrays.row_begin.resize(11);
  arrays.next_state.resize(60);
  arrays.next_hidden.resize(60);
  arrays.probability.resize(60);
}

TEST(Match, NamesWhatDoesNotMatch) {
  EXPECT_EQ(message([](auto& a) {
              a.labels.states = mdp::NameTable({"s0", "s1", "other"});
            }),
            "state 's2': the state is in the simulator, but not in the world");
  EXPECT_EQ(message([](auto& a) {
              a.labels.actions = mdp::NameTable({"other", "a1"});
            }),
            "action 'a0': the action is in the simulator, but not in the world");
  EXPECT_EQ(message([](auto& a) {
              a.labels.actions = mdp::NameTable({"a0", "a1", "a2"});
              a.actions = 3;
            }),
            "action 'a2': the action is in the world, but not in the simulator");
  EXPECT_EQ(message(drop_last_pair),
            "state 's2', action 'a1': the pair is in the simulator, but not in the world");

  // The other way round: the simulator is the projection of the smaller world.
  HiddenArrays smaller = example_e::arrays();
  drop_last_pair(smaller);
  const mdp::Mdp simulator = deployment_projection(HiddenModel(smaller));
  try {
    matched_to(simulator, example_e::model());
    FAIL();
  } catch (const InvalidModel& error) {
    EXPECT_STREQ(error.what(), "state 's2', action 'a1': the pair is in the world, but not in the simulator");
  }
}

TEST(Match, WorldWithMoreStates) {
  mdp::MdpArrays one;
  one.discount = .9;
  one.pair_begin = {0, 2};
  one.pair_action = {0, 1};
  one.row_begin = {0, 1, 2};
  one.next_state = {0, 0};
  one.probability = {1, 1};
  one.reward = {0, 0};
  one.labels.states = mdp::NameTable({"s0"});
  one.labels.actions = mdp::NameTable({"a0", "a1"});
  try {
    matched_to(mdp::Mdp(one), example_e::model());
    FAIL();
  } catch (const InvalidModel& error) {
    EXPECT_STREQ(error.what(), "state 's1': the state is in the world, but not in the simulator");
  }
}

}  // namespace match_test
}  // namespace mindgap::world
