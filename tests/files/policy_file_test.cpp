#include "mindgap/files/policy_file.h"

#include "files/files.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace policy_file_test {

class PolicyFile : public FileTest {
 protected:
  static Mdp mdp() {
    MdpBuilder builder(0.9);
    builder.add_state("a,b");
    builder.add_state("c");
    builder.add_action("stay");
    builder.add_action("go");
    for (const auto& [s, a] : {std::pair{0, 0}, {0, 1}, {1, 0}}) {
      builder.set_reward(s, a, 0);
      builder.add_transition(s, a, s, 1);
    }
    return builder.build();
  }

  std::string message_of(const std::string& text) {
    const auto file = write("policy.csv", text);
    return message([&] { read_policy(file, mdp()); });
  }
};

TEST_F(PolicyFile, DeterministicRoundTrip) {
  const Policy policy = Policy::deterministic(mdp(), {1, 2});
  write_policy(path("p.csv"), mdp(), policy);
  EXPECT_EQ(read(path("p.csv")), "state,action,probability\n\"a,b\",go,1\nc,stay,1\n");
  EXPECT_EQ(read_policy(path("p.csv"), mdp()), policy);
  EXPECT_EQ(listing(folder_), std::vector<std::string>{"p.csv"});
}

TEST_F(PolicyFile, StochasticRoundTrip) {
  const Policy policy = Policy::stochastic(mdp(), {0.1, 0.9, 1});
  write_policy(path("p.csv"), mdp(), policy);
  EXPECT_EQ(read(path("p.csv")), "state,action,probability\n\"a,b\",stay,0.1\n\"a,b\",go,0.9\nc,stay,1\n");
  EXPECT_EQ(read_policy(path("p.csv"), mdp()), policy);
}

TEST_F(PolicyFile, AbsentPairsAreZeroAndOrderIsFree) {
  write("p.csv", "probability,state,action\n1,c,stay\n0,\"a,b\",go\n1,\"a,b\",stay\n");
  EXPECT_EQ(read_policy(path("p.csv"), mdp()), Policy::deterministic(mdp(), {0, 2}));
}

TEST_F(PolicyFile, NumbersStandForNamesWhereThereAreNone) {
  MdpBuilder builder(0.9, 12, 2);
  for (int s = 0; s < 12; ++s) {
    builder.set_reward(s, 1, 0);
    builder.add_transition(s, 1, s, 1);
  }
  const Mdp unnamed = builder.build();
  const Policy policy = Policy::uniform(unnamed);
  write_policy(path("p.csv"), unnamed, policy);
  EXPECT_TRUE(read(path("p.csv")).starts_with("state,action,probability\n0,1,1\n1,1,1\n"));
  EXPECT_EQ(read_policy(path("p.csv"), unnamed).probability_of_pair(unnamed),
            policy.probability_of_pair(unnamed));
}

TEST_F(PolicyFile, OverTime) {
  const std::vector<std::int32_t> pairs = {1, 2, 0, 2};
  write_time_policy(path("p.csv"), mdp(), 2, pairs);
  EXPECT_EQ(read(path("p.csv")),
            "step,state,action,probability\n0,\"a,b\",go,1\n0,c,stay,1\n1,\"a,b\",stay,1\n1,c,stay,1\n");
  EXPECT_EQ(message([&] { write_time_policy(path("q.csv"), mdp(), 3, pairs); }),
            "write_time_policy: pair_of_step_state has 4 entries, but must have 6");
  const std::vector<std::int32_t> bad = {1, 2, 2, 2};
  EXPECT_EQ(message([&] { write_time_policy(path("q.csv"), mdp(), 2, bad); }),
            "write_time_policy: pair 2 at step 1 does not belong to state 'a,b'");
  EXPECT_EQ(listing(folder_), std::vector<std::string>{"p.csv"});
}

TEST_F(PolicyFile, RefusesWhatIsNoPolicy) {
  const std::string head = "state,action,probability\n";
  EXPECT_EQ(message_of(""), "policy.csv: the file is empty, expected a header with state,action,probability");
  EXPECT_EQ(message_of(head), "policy.csv: state 'a,b': the policy has no line for the state");
  EXPECT_EQ(message_of(head + "\"a,b\",go,0.5\nc,stay,1\n\"a,b\",stay,0.25\n"),
            "policy.csv:2: state 'a,b': the probabilities of the state must sum to 1 (got '0.75')");
  EXPECT_EQ(message_of(head + "d,go,1\n"), "policy.csv:2: the state is unknown (got 'd')");
  EXPECT_EQ(message_of(head + "c,fly,1\n"), "policy.csv:2: state 'c': the action is unknown (got 'fly')");
  EXPECT_EQ(message_of(head + "c,go,1\n"),
            "policy.csv:2: state 'c', action 'go': the action is not available in the state");
  EXPECT_EQ(message_of(head + "c,stay,0.5\nc,stay,0.5\n"),
            "policy.csv:3: state 'c', action 'stay': the pair has a second line");
  EXPECT_EQ(message_of(head + "c,stay,-1\n"),
            "policy.csv:2: state 'c', action 'stay': the probability must be from 0 to 1 (got '-1')");
  EXPECT_EQ(message_of(head + "c,stay,nan\n"),
            "policy.csv:2: state 'c', action 'stay': the probability must be from 0 to 1 (got 'nan')");
  EXPECT_EQ(message([&] { read_policy(path("none.csv"), mdp()); }),
            "none.csv: cannot open: No such file or directory");
  EXPECT_EQ(message([&] { write_policy(path("no/p.csv"), mdp(), Policy::uniform(mdp())); }),
            "no/p.csv: cannot write: No such file or directory");
}

}  // namespace policy_file_test
}  // namespace mindgap::files
