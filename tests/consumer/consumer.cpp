#include <iostream>

#include "mindgap/base/error.h"
#include "mindgap/base/parallel.h"
#include "mindgap/mdp/mdp.h"

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

  arrays.probability[1] = 0.5;
  try {
    const mindgap::mdp::Mdp bad(arrays);
  } catch (const mindgap::Error& error) {
    std::cout << "refused: " << error.what() << '\n';
  }
}
