#include "mindgap/mdp/pair_name.h"

#include <gtest/gtest.h>

#include "mindgap/mdp/builder.h"

namespace mindgap::mdp {
namespace {

TEST(PairName, StateThenAction) {
  MdpBuilder builder(.9);
  builder.add_state("home");
  builder.add_state("far\naway");
  builder.add_action("stay");
  builder.add_action("go");
  for (const char* state : {"home", "far\naway"}) {
    builder.set_reward(state, "go", 1);
    builder.add_transition(state, "go", "home", 1);
  }
  builder.set_reward("home", "stay", 0);
  builder.add_transition("home", "stay", "home", 1);
  const Mdp mdp = builder.build();
  EXPECT_EQ(pair_name(mdp, mdp.find_pair(0, 0)), "home / stay");
  EXPECT_EQ(pair_name(mdp, mdp.find_pair(0, 1)), "home / go");
  EXPECT_EQ(pair_name(mdp, mdp.find_pair(1, 1)), "far\\x0aaway / go");  // fit for a line
  EXPECT_EQ(pair_name(mdp, mdp.find_pair(0, 0), 3), "hom... / sta...");
}

TEST(PairName, NumbersWhereThereAreNoNames) {
  MdpBuilder builder(.9, 1, 2);
  for (std::int32_t a = 0; a < 2; ++a) {
    builder.set_reward(0, a, 0);
    builder.add_transition(0, a, 0, 1);
  }
  EXPECT_EQ(pair_name(builder.build(), 1), "0 / 1");
}

}  // namespace
}  // namespace mindgap::mdp
