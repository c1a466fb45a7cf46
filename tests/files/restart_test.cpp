#include "mindgap/mdp/restart.h"

#include "files/files.h"
#include "mindgap/files/model_file.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace restart_test {

// A lake of four fields: from the shore (start) one walks onto the ice, and from the ice half of the walks
// end at the goal, which pays 1, and half in a hole.
class Restart : public FileTest {
 protected:
  Restart() {
    write("lake/states.csv", "name,start\nshore,1\nice,0\nhole,0\ngoal,0\n");
    write("lake/rewards.csv", "state,action,reward\nshore,walk,0\nice,walk,0.5\nhole,walk,0\ngoal,walk,0\n");
    write("lake/transitions.csv",
          "state,action,next_state,probability\nshore,walk,ice,1\nice,walk,hole,0.5\nice,walk,goal,0.5\n"
          "hole,walk,hole,1\ngoal,walk,goal,1\n");
  }
  Model lake(const std::string& keys) {
    write("lake/model.toml",
          "format = \"mindgap-model/1\"\nname = \"lake\"\ndiscount = 0.9\nstates = \"states.csv\"\n"
          "actions = [\"walk\"]\nrewards = \"rewards.csv\"\ntransitions = \"transitions.csv\"\n" +
              keys);
    return read_model(path("lake"));
  }
};

// V(shore) = g V(ice) and V(ice) = 1/2 + g V(shore), so V(shore) = g / 2 / (1 - g^2) = .45 / .19; where
// episodes stay ended it is g / 2.
TEST_F(Restart, TheValueOfATinyLakeByHand) {
  EXPECT_NEAR(solve(lake("").mdp).value_at_start, .45, 1e-9);
  EXPECT_NEAR(solve(lake("restart = true\n").mdp).value_at_start, .45 / .19, 1e-9);
}

TEST_F(Restart, EndsAreRecognisedOrNamed) {
  EXPECT_EQ(lake("restart = true\n").ends, (std::vector<std::int32_t>{2, 3}));
  EXPECT_TRUE(lake("restart = false\n").ends.empty());
  const Model goal_only = lake("restart = [\"goal\"]\n");
  EXPECT_EQ(goal_only.ends, std::vector<std::int32_t>{3});
  // V(shore) = g V(ice), V(ice) = 1/2 + g V(shore) / 2: the hole keeps half of all walks.
  EXPECT_NEAR(solve(goal_only.mdp).value_at_start, .45 / (1 - .405), 1e-9);
}

TEST_F(Restart, AMoveIntoAnEndLeadsToTheStartDistribution) {
  write("lake/states.csv", "name,start\nshore,0.75\nice,0.25\nhole,0\ngoal,0\n");
  const Mdp mdp = lake("restart = true\n").mdp;
  for (const std::int32_t pair : {1, 2, 3}) {  // the ice, and the ends themselves
    const auto begin = static_cast<std::size_t>(mdp.row_begin()[pair]);
    ASSERT_EQ(mdp.row_begin()[pair + 1] - mdp.row_begin()[pair], 2);
    EXPECT_EQ(mdp.next_state()[begin], 0);
    EXPECT_EQ(mdp.probability()[begin], .75);
    EXPECT_EQ(mdp.next_state()[begin + 1], 1);
  }
}

TEST_F(Restart, ComesBackFromFilesAsItIs) {
  const Model model = lake("restart = true\n");
  write_model(model, path("copy"));
  EXPECT_TRUE(read_model(path("copy")) == model);
  write_model(model, path("copy.h5"));
  EXPECT_TRUE(read_model(path("copy.h5")) == model);
}

TEST_F(Restart, WhatCannotBeAnEndIsRefused) {
  const auto refused = [&](const std::string& keys) { return message([&] { lake(keys); }); };
  EXPECT_NE(refused("restart = [\"sea\"]\n").find("names a state that is not there (got 'sea')"),
            std::string::npos)
      << refused("restart = [\"sea\"]\n");
  EXPECT_NE(refused("restart = [\"ice\"]\n").find("state 'ice', action 'walk': an end pays nothing"),
            std::string::npos);
  EXPECT_NE(refused("restart = [\"shore\"]\n").find("state 'shore': an episode cannot begin"),
            std::string::npos);
  EXPECT_NE(refused("restart = 3\n").find("true, false or an array of states"), std::string::npos);
  write("lake/states.csv", "name\nshore\nice\nhole\ngoal\n");  // everywhere alike, the ends among them
  EXPECT_NE(refused("restart = true\n").find("start probability 0.25"), std::string::npos);
  write("lake/states.csv", "name,start\nshore,1\nice,0\nhole,0\ngoal,0\n");
  write("lake/rewards.csv", "state,action,reward\nshore,walk,0\nice,walk,0.5\nhole,walk,-1\ngoal,walk,1\n");
  EXPECT_NE(refused("restart = true\n").find("no state is an end"), std::string::npos);
}

}  // namespace restart_test
}  // namespace mindgap::files
