// Builds a small model in memory, solves it and prints the policy with its certificate.
#include <cstdio>

#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/solve.h"

int main() {
  mindgap::mdp::MdpBuilder builder(/*discount=*/0.9);
  for (const char* age : {"young", "middle", "old"}) builder.add_state(age);
  for (const char* action : {"wait", "cut"}) builder.add_action(action);
  for (const char* age : {"young", "middle", "old"}) {  // a fire takes the forest back with probability 0.1
    builder.add_transition(age, "wait", "young", 0.1);
    builder.add_transition(age, "wait", age[0] == 'y' ? "middle" : "old", 0.9);
    builder.add_transition(age, "cut", "young", 1);
    builder.set_reward(age, "wait", age[0] == 'o' ? 4 : 0);
    builder.set_reward(age, "cut", age[0] == 'y' ? 0 : age[0] == 'm' ? 1 : 2);
  }
  const mindgap::mdp::Mdp forest = builder.build();
  const mindgap::mdp::Solution solution = mindgap::mdp::solve(forest);
  for (std::int32_t s = 0; s < forest.states(); ++s) {
    const std::int32_t pair = solution.policy.pair_of_state()[s];
    std::printf("%-6s -> %-4s  %.3f +- %.0e\n", forest.state_name(s).c_str(),
                forest.action_name_of_pair(pair).c_str(), solution.value[s], solution.half_width);
  }
}
