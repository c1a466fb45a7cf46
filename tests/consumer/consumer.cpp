#include <iostream>

#include "mindgap/base/error.h"
#include "mindgap/base/parallel.h"
#include "mindgap/files/model_file.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/model.h"
#include "mindgap/mdp/solve.h"

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

  arrays.probability[1] = 0.5;
  try {
    const mindgap::mdp::Mdp bad(arrays);
  } catch (const mindgap::Error& error) {
    std::cout << "refused: " << error.what() << '\n';
  }
}
