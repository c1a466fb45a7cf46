#include "mindgap/mdp/builder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mindgap::mdp {
namespace builder_test {

template <typename Deed>
std::string message(Deed deed) {
  try {
    deed();
  } catch (const InvalidModel& error) {
    return error.what();
  }
  return "no error";
}

MdpBuilder two_states() {
  MdpBuilder builder(0.9);
  builder.add_state("left");
  builder.add_state("right");
  builder.add_action("stay");
  builder.add_action("go");
  return builder;
}

void complete(MdpBuilder& builder) {
  builder.set_reward("right", "stay", 2);
  builder.set_reward("left", "go", -1);
  builder.set_reward("left", "stay", 0);
  builder.add_transition("left", "go", "right", 0.5);
  builder.add_transition("right", "stay", "right", 1);
  builder.add_transition("left", "stay", "left", 1);
  builder.add_transition("left", "go", "left", 0.25);
  builder.add_transition("left", "go", "right", 0.25);
}

TEST(MdpBuilder, PutsPiecesInOrder) {
  MdpBuilder builder = two_states();
  complete(builder);
  MdpArrays arrays;
  arrays.discount = 0.9;
  arrays.pair_begin = {0, 2, 3};
  arrays.pair_action = {0, 1, 0};
  arrays.row_begin = {0, 1, 3, 4};
  arrays.next_state = {0, 0, 1, 1};
  arrays.probability = {1, 0.25, 0.75, 1};
  arrays.reward = {0, -1, 2};
  arrays.labels.states = NameTable({"left", "right"});
  arrays.labels.actions = NameTable({"stay", "go"});
  EXPECT_EQ(builder.build(), Mdp(arrays));
}

TEST(MdpBuilder, TheLastRewardCountsAndRewardMaxIsKept) {
  MdpBuilder builder = two_states();
  complete(builder);
  builder.set_reward("left", "go", 5);
  builder.set_reward_max(8);
  const Mdp mdp = builder.build();
  EXPECT_EQ(mdp.reward()[1], 5);
  EXPECT_EQ(mdp.pairs(), 3);
  EXPECT_EQ(mdp.reward_max(), 8);
}

TEST(MdpBuilder, WorksWithoutNames) {
  MdpBuilder builder(1, 2, 3);
  for (const int s : {1, 0}) {
    builder.set_reward(s, 1, s);
    builder.add_transition(s, 1, 1 - s, 1);
  }
  const Mdp mdp = builder.build();
  EXPECT_EQ(mdp.states(), 2);
  EXPECT_EQ(mdp.actions(), 3);
  EXPECT_EQ(mdp.state_name(1), "1");
  EXPECT_EQ(message([&] { builder.add_state("a"); }), "the model was begun without names (got 'a')");
  EXPECT_EQ(message([] { MdpBuilder(1, 0, 3); }), "a model of 0 states and 3 actions has nothing to decide");
}

TEST(MdpBuilder, KeepsWhatIsKnownOfStates) {
  MdpBuilder builder(0.5);
  builder.add_state("a", {.group = "north", .x = 1, .y = 2, .start = 1});
  builder.add_state("b", {.x = 3, .y = 4});
  builder.add_action("wait");
  for (const int s : {0, 1}) {
    builder.set_reward(s, 0, 0);
    builder.add_transition(s, 0, s, 1);
  }
  const Mdp mdp = builder.build();
  EXPECT_EQ(mdp.labels().group_of_state, (std::vector<std::int32_t>{0, -1}));
  EXPECT_EQ(mdp.labels().y, (std::vector<double>{2, 4}));
  EXPECT_EQ(mdp.start()[0], 1);
  EXPECT_EQ(mdp.start()[1], 0);
}

TEST(MdpBuilder, RefusesBadPiecesAtOnce) {
  MdpBuilder b = two_states();
  EXPECT_EQ(message([&] { b.add_state("left"); }), "the state name occurs twice (got 'left')");
  EXPECT_EQ(message([&] { b.add_action("go"); }), "the action name occurs twice (got 'go')");
  EXPECT_EQ(message([&] { b.add_state(""); }), "the state name is empty");
  EXPECT_EQ(message([&] { b.add_action("\xff"); }),
            "the action name must be valid UTF-8 without NUL bytes (got '\\xff')");
  EXPECT_EQ(message([&] { b.add_state("up", {.x = 1}); }),
            "state 'up': coordinates x and y must be given together");
  EXPECT_EQ(message([&] { b.set_reward("up", "go", 1); }), "the state is unknown (got 'up')");
  EXPECT_EQ(message([&] { b.set_reward("left", "fly", 1); }),
            "state 'left': the action is unknown (got 'fly')");
  EXPECT_EQ(message([&] { b.set_reward(2, 0, 1); }), "the state does not exist (got '2')");
  EXPECT_EQ(message([&] { b.set_reward(0, -1, 1); }), "state 'left': the action does not exist (got '-1')");
  EXPECT_EQ(message([&] { b.set_reward(0, 1, INFINITY); }),
            "state 'left', action 'go': the reward must be finite (got 'inf')");
  EXPECT_EQ(message([&] { b.add_transition("left", "go", "up", 1); }),
            "the next state is unknown (got 'up')");
  EXPECT_EQ(message([&] { b.add_transition(0, 1, 7, 1); }), "the next state does not exist (got '7')");
  EXPECT_EQ(message([&] { b.add_transition(0, 1, 1, -0.5); }),
            "state 'left', action 'go': the probability must be from 0 to 1 (got '-0.5')");
  EXPECT_EQ(message([&] { b.add_transition(0, 1, 1, std::nan("")); }),
            "state 'left', action 'go': the probability must be from 0 to 1 (got 'nan')");
}

TEST(MdpBuilder, RefusesIncompleteModels) {
  EXPECT_EQ(message([] { MdpBuilder(0.5).build(); }), "the model has no states");
  MdpBuilder empty(0.5);
  empty.add_state("a");
  EXPECT_EQ(message([&] { empty.build(); }), "the model has no actions");
  MdpBuilder builder = two_states();
  EXPECT_EQ(message([&] { builder.build(); }), "state 'left': the state has no available action");
  complete(builder);
  MdpBuilder more = builder;
  more.set_reward("right", "go", 1);
  EXPECT_EQ(message([&] { more.build(); }),
            "state 'right', action 'go': the pair has a reward, but no transitions");
  more = builder;
  more.add_transition("right", "go", "left", 1);
  EXPECT_EQ(message([&] { more.build(); }),
            "state 'right', action 'go': the pair has transitions, but no reward");
  more = two_states();
  more.add_transition("left", "stay", "left", 1);
  more.set_reward("left", "go", 0);
  EXPECT_EQ(message([&] { more.build(); }),
            "state 'left', action 'stay': the pair has transitions, but no reward");
  more = builder;
  more.add_transition("right", "stay", "right", 0.5);
  EXPECT_EQ(message([&] { more.build(); }),
            "state 'right', action 'stay': transition probabilities must sum to 1 (got '1.5')");
  more = builder;
  more.add_state("up", {.x = 1, .y = 1});
  EXPECT_EQ(message([&] { more.build(); }), "state 'left': the state has no coordinates, but others have");
}

}  // namespace builder_test
}  // namespace mindgap::mdp
