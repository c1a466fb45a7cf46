#include <gtest/gtest.h>

#include "app/program.h"

namespace mindgap::app {
namespace check_test {

TEST(Check, CountsWhatIsThere) {
  const Finished run = mindgap_run({"check", source_path("tests/models/frozenlake4"), "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  for (const char* key : {"states", "actions", "pairs", "nonzeros", "reachable_states", "components",
                          "absorbing_states", "warnings"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["states"], 16);
  EXPECT_EQ(json["actions"], 4);
  EXPECT_EQ(json["absorbing_states"], 5);  // four holes and the goal
  EXPECT_EQ(json["components"], 6);        // each of those, and the ice
}

TEST(Check, SaysWhatLooksOdd) {
  const TemporaryFolder folder;
  write_text(folder.path() / "model.toml",
             "format = \"mindgap-model/1\"\nname = \"odd\"\ndiscount = 1.0\nreward_max = 1.0\nstates = "
             "\"states.csv\"\n"
             "actions = [\"a\", \"b\"]\nrewards = \"rewards.csv\"\ntransitions = \"transitions.csv\"\n");
  write_text(folder.path() / "states.csv", "name,start\nx,1\ny,0\n");
  write_text(folder.path() / "rewards.csv", "state,action,reward\nx,a,0\ny,a,-5\n");
  write_text(folder.path() / "transitions.csv", "state,action,next_state,probability\nx,a,x,1\ny,a,x,1\n");
  const Finished run = mindgap_run({"check", folder.path().string()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* part :
       {"1 state cannot be reached from the start by any actions: y", "the discount is 1",
        "reward_max is 1, but a reward of magnitude 5", "action 'b' is available nowhere", "no prior"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
  }
}

TEST(Check, TheVansAreWellFormed) {
  const Finished run = mindgap_run({"check", source_path("examples/vans"), "--format", "json"});
  EXPECT_EQ(run.json()["components"], 1);
  // Every move is certain. One standard deviation of 1 for all 166 pairs, where rewards are from .16 to .4,
  // promises five times as much as the simulator. Both are said, and nothing else.
  ASSERT_EQ(run.json()["warnings"].size(), 2U);
  EXPECT_NE(run.json()["warnings"][0].get<std::string>().find("166 of 166 rows have one successor"),
            std::string::npos);
  EXPECT_EQ(run.json()["warnings"][1], run.json()["prior_implies"]["warning"]);
  EXPECT_EQ(run.json()["prior_implies"]["draws"], 64);
  EXPECT_EQ(run.json()["prior_implies"]["invented"].size(), 3U);
  const Finished none =
      mindgap_run({"check", source_path("examples/vans"), "--draws", "0", "--format", "json"});
  EXPECT_TRUE(none.json()["prior_implies"].is_null());
  EXPECT_EQ(none.json()["warnings"].size(), 1U);
}

}  // namespace check_test
}  // namespace mindgap::app
