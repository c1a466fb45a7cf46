#include "mindgap/mdp/mean_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::mdp {
namespace mean_model_test {

// Two states; `leads_to` is where action "go" of state "a" leads.
Mdp small(double reward, const char* leads_to, double discount = .9, bool second_action = false) {
  MdpBuilder builder(discount);
  builder.add_state("a", {.start = 1});
  builder.add_state("b");
  builder.add_action("go");
  builder.add_action("stay");
  builder.set_reward("a", "go", reward);
  builder.add_transition("a", "go", leads_to, 1);
  builder.set_reward("b", "go", 0);
  builder.add_transition("b", "go", "b", 1);
  if (second_action) {
    builder.set_reward("b", "stay", 0);
    builder.add_transition("b", "stay", "b", 1);
  }
  return builder.build();
}

TEST(MeanModel, ByHand) {
  const std::vector<Mdp> models = {small(1, "a"), small(5, "b")};
  const Mdp mean = mean_model(models, std::vector<double>{.25, .75});
  EXPECT_EQ(mean.reward()[0], .25 + 3.75);
  ASSERT_EQ(mean.row(0).size(), 2u);
  EXPECT_EQ(mean.row(0).probability[0], .25);
  EXPECT_EQ(mean.row(0).probability[1], .75);
  EXPECT_EQ(mean.row(1).size(), 1u);
  EXPECT_EQ(mean_model(models, std::vector<double>{0, 1}).row(0).size(), 1u);
}

TEST(MeanModel, OfOneModelIsThatModel) {
  const Mdp model = random_mdp(3);
  EXPECT_EQ(mean_model({&model, 1}, std::vector<double>{1}), model);
}

std::string problem(const Mdp& a, const Mdp& b) {
  try {
    check_same_pairs(std::vector<Mdp>{a, b}, NameTable({"dry", "wet"}));
  } catch (const InvalidModel& error) {
    return error.what();
  }
  return {};
}

TEST(MeanModel, SaysWhichModelDiffersAndWhere) {
  const Mdp a = small(1, "a");
  EXPECT_EQ(problem(a, small(2, "b")), "");
  EXPECT_EQ(problem(a, random_mdp(1, {.states = 3})),
            "the number of states of model 'wet' is 3, but that of model 'dry' is 2");
  EXPECT_EQ(problem(a, small(1, "a", .8)),
            "the discount of model 'wet' is 0.8, but that of model 'dry' is 0.9");
  EXPECT_EQ(problem(a, small(1, "a", .9, true)),
            "state 'b', action 'stay': the action is available in model 'wet', but not in model 'dry'");
  EXPECT_EQ(problem(small(1, "a", .9, true), a),
            "state 'b', action 'stay': the action is available in model 'dry', but not in model 'wet'");
  EXPECT_EQ(problem(a, a.with_start({.5, .5})),
            "state 'a': the start probability in model 'wet' is 0.5, but in model 'dry' it is 1");
  MdpBuilder renamed(.9);
  for (const char* state : {"a", "c"}) renamed.add_state(state);
  for (const char* action : {"go", "stay"}) renamed.add_action(action);
  for (const char* state : {"a", "c"}) {
    renamed.set_reward(state, "go", 0);
    renamed.add_transition(state, "go", state, 1);
  }
  EXPECT_EQ(problem(a, renamed.build()), "state 1 is called 'c' in model 'wet', but 'b' in model 'dry'");
  MdpBuilder unnamed(.9, 2, 2);
  for (const std::int32_t state : {0, 1}) {
    unnamed.set_reward(state, 0, 0);
    unnamed.add_transition(state, 0, state, 1);
  }
  EXPECT_EQ(problem(a, unnamed.build()),
            "either both of the models 'dry' and 'wet' name their states or none does");
}

TEST(MeanModel, BadArguments) {
  EXPECT_THROW(check_same_pairs({}), InvalidArgument);
  const std::vector<Mdp> models = {small(1, "a"), small(5, "b")};
  for (const std::vector<double>& weights :
       {std::vector<double>{1}, {.5, .4}, {1.5, -.5}, {std::nan(""), 1}, {HUGE_VAL, 0}})
    EXPECT_THROW(static_cast<void>(mean_model(models, weights)), InvalidArgument);
}

}  // namespace mean_model_test
}  // namespace mindgap::mdp
