#include "mindgap/mdp/extend_states.h"
#include "mindgap/files/log_file.h"
#include "mindgap/files/text_file.h"
#include "mindgap/files/unknown_states.h"

#include "files/files.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/observation_log.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace extend_states_test {

Model shop() {
  MdpBuilder builder(0.9);
  for (const char* state : {"few", "many"}) builder.add_state(state);
  for (const char* action : {"wait", "order"}) builder.add_action(action);
  builder.set_reward("few", "wait", 1);
  builder.add_transition("few", "wait", "few", 1);
  builder.set_reward("few", "order", -4);
  builder.add_transition("few", "order", "many", 1);
  builder.set_reward("many", "wait", 6);
  builder.add_transition("many", "wait", "few", 1);
  Model model{.name = "shop", .mdp = builder.build().with_start({.75, .25})};
  model.reward_variance = 2;
  model.prior = PriorSpec{.reward_sd = .5, .transition_strength = 8};
  return model;
}

TEST(ExtendStates, ANewStateHasAllActionsAndAWidePrior) {
  const Model old = shop(), model = extend_states(old, {"none", "lost"});
  const Mdp& mdp = model.mdp;
  ASSERT_EQ(mdp.states(), 4);
  EXPECT_EQ(model.added, (std::vector<std::int32_t>{2, 3}));
  EXPECT_EQ(mdp.state_name(3), "lost");
  ASSERT_EQ(mdp.pairs(), 7);
  for (std::int32_t k = 3; k < 7; ++k) {
    const std::int32_t state = mdp.state_of_pair(k);
    EXPECT_EQ(state, k < 5 ? 2 : 3);
    EXPECT_EQ(mdp.reward()[k], 1);                 // (1 - 4 + 6) / 3
    EXPECT_EQ(model.prior->pair_reward_sd[k], 6);  // the largest |reward|, above the stated .5
    EXPECT_EQ(model.prior->pair_transition_strength[k], 1);
    const std::int64_t i = mdp.row_begin()[k];  // half of the start, half stays
    EXPECT_EQ(mdp.probability()[i], .375);
    EXPECT_EQ(mdp.probability()[i + 1], .125);
    EXPECT_EQ(mdp.next_state()[i + 2], state);
    EXPECT_EQ(mdp.probability()[i + 2], .5);
  }
  check_model(model);
}

TEST(ExtendStates, WhatWasThereStaysAsItIs) {
  const Model old = shop(), model = extend_states(old, {"none"});
  for (std::int32_t k = 0; k < old.mdp.pairs(); ++k) {
    EXPECT_EQ(model.mdp.reward()[k], old.mdp.reward()[k]);
    EXPECT_EQ(model.mdp.row_begin()[k + 1], old.mdp.row_begin()[k + 1]);
    EXPECT_EQ(model.prior->pair_reward_sd[k], .5);
    EXPECT_EQ(model.prior->pair_transition_strength[k], 8);
  }
  EXPECT_EQ(model.mdp.start()[2], 0);
  EXPECT_TRUE(extend_states(old, {}) == old);
}

// Places of new states: right of the others by a tenth of their width each, as low as the lowest.
TEST(ExtendStates, ANewStateHasAPlaceBesideTheOthers) {
  MdpBuilder builder(0.9);
  builder.add_state("a", {.x = 1, .y = 5});
  builder.add_state("b", {.x = 21, .y = 3});
  builder.add_action("wait");
  for (const char* state : {"a", "b"}) {
    builder.set_reward(state, "wait", 0);
    builder.add_transition(state, "wait", state, 1);
  }
  const Model model = extend_states({.name = "", .mdp = builder.build()}, {"c", "d"});
  const Labels& labels = model.mdp.labels();
  EXPECT_EQ(std::vector<double>(labels.x.begin(), labels.x.end()), (std::vector<double>{1, 21, 23, 25}));
  EXPECT_EQ(std::vector<double>(labels.y.begin(), labels.y.end()), (std::vector<double>{5, 3, 3, 3}));
}

TEST(ExtendStates, WithoutNamesNumbersBecomeNames) {
  MdpBuilder builder(0.9, 2, 1);
  for (const std::int32_t s : {0, 1}) {
    builder.set_reward(s, 0, 0);
    builder.add_transition(s, 0, 1 - s, 1);
  }
  const Model model = extend_states({.name = "", .mdp = builder.build()}, {"17"});
  EXPECT_EQ(model.mdp.find_state("1"), 1);
  EXPECT_EQ(model.mdp.find_state("17"), 2);
}

TEST(ExtendStates, ANameThatIsThereIsRefused) {
  EXPECT_THROW(extend_states(shop(), {"few"}), InvalidModel);
  EXPECT_THROW(extend_states(shop(), {"new", "new"}), InvalidModel);
}

class UnknownStates : public FileTest {};

TEST_F(UnknownStates, AreFoundInALogAndThenItCanBeRead) {
  const auto file =
      write("log.csv",
            "unit,step,state,action,reward,next_state\na,0,few,order,-4,lost\na,1,lost,wait,0,lost\n"
            "b,0,many,wait,6,none\n");
  const std::string said = message([&] { read_log(file, shop().mdp); });
  EXPECT_NE(
      said.find("log.csv:2: state 'few', action 'order': the next state is unknown: the simulator has never "
                "seen it"),
      std::string::npos)
      << said;
  EXPECT_NE(said.find("--allow-new-states"), std::string::npos) << said;
  const std::vector<std::string> names = unknown_states(open_text_file(file), shop().mdp);
  EXPECT_EQ(names, (std::vector<std::string>{"lost", "none"}));
  EXPECT_EQ(read_log(file, extend_states(shop(), names).mdp).next_state,
            (std::vector<std::int32_t>{2, 2, 3}));
}

TEST_F(UnknownStates, AreRefusedWithARemedyInCoverageToo) {
  const auto file = write("coverage.csv", "state,action,count\nlost,wait,3\n");
  const std::string said = message([&] { read_coverage(file, shop().mdp); });
  EXPECT_NE(said.find("the state is unknown: the simulator has never seen it"), std::string::npos) << said;
}

}  // namespace extend_states_test
}  // namespace mindgap::files
