#include <iostream>

#include "mindgap/mindgap.h"

// Two states: staying is free in both; from the first one can go to the second, which pays 2 a step.
int main() {
  mindgap::mdp::MdpArrays arrays;
  arrays.discount = 0.5;
  arrays.pair_begin = {0, 2, 3};
  arrays.pair_action = {0, 1, 0};
  arrays.row_begin = {0, 1, 2, 3};
  arrays.next_state = {0, 1, 1};
  arrays.probability = {1, 1, 1};
  arrays.reward = {0, 0, 2};
  arrays.labels.states = mindgap::mdp::NameTable({"here", "there"});
  const mindgap::mdp::Mdp mdp(arrays);
  const mindgap::base::Threads threads(2);
  std::cout << "states " << mdp.states() << " pairs " << mdp.pairs() << " nonzeros " << mdp.nonzeros()
            << " threads " << threads.count() << '\n';

  // Going there earns 0 + 1/2 * 4 = 2; being there 2 / (1 - 1/2) = 4.
  const mindgap::mdp::Solution solution = mindgap::mdp::solve(mdp);
  std::cout << "values " << solution.value[0] << ' ' << solution.value[1] << '\n';
  std::cout << "evaluated " << mindgap::mdp::evaluate(mdp, solution.policy).value[0] << '\n';

  // The file formats bring HDF5 and toml++ with them.
  for (const char* name : {"model.h5", "model"}) {
    mindgap::files::write_model({.name = "two states", .mdp = mdp}, name);
    std::cout << "read back " << mindgap::files::read_model(name).mdp.states() << " states\n";
  }

  // Whatever there is to learn about a reward that is known to a hundredth is not worth a plan that learns.
  mindgap::command::DecideRequest request;
  request.model =
      mindgap::mdp::Model{.name = "two states",
                          .mdp = mdp,
                          .reward_variance = 1,
                          .prior = mindgap::mdp::PriorSpec{.reward_sd = .01, .transition_strength = 100}};
  request.units = 1;
  request.horizon = 10;
  request.plans = {"sop", "asop"};
  request.worlds = 16;
  const mindgap::command::DecideAnswer answer = mindgap::command::decide(request);
  std::cout << "decided: " << mindgap::decide::name_of(answer.decision.leaning) << '\n';

  arrays.probability[1] = 0.5;
  try {
    const mindgap::mdp::Mdp bad(arrays);
  } catch (const mindgap::Error& error) {
    std::cout << "refused: " << error.what() << '\n';
  }
}
