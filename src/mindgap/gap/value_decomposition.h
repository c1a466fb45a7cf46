#pragma once

#include "mindgap/mdp/mdp.h"

namespace mindgap::gap {

/// What the truth is worth beyond the simulator's promise, split by cause, at the truth's start distribution:
///   optimal - promised = reward + transition + policy + interaction.
/// Each number is within error_bound.
struct ValueDecomposition {
  double promised = 0;     // V(sim,sim): what the simulator says of its own optimal policy
  double achieved = 0;     // V(obs,obs): what that policy earns in truth
  double optimal = 0;      // what the truth's own optimal policy earns
  double reward = 0;       // V(obs,sim) - V(sim,sim)
  double transition = 0;   // V(sim,obs) - V(sim,sim)
  double policy = 0;       // optimal - V(obs,obs); zero or more, up to error_bound
  double interaction = 0;  // V(obs,obs) - V(obs,sim) - V(sim,obs) + V(sim,sim)
  double error_bound = 0;
};

/// V(r,p) is the value of the simulator-optimal policy with rewards from r and transitions from p (paper,
/// Theorem value-decomp, with the interaction that makes the sum exact). `truth` is the deployment projection
/// of a world matched to the simulator; both must have the same pairs by number and the same discount below
/// 1, else InvalidArgument. Where the simulator has several optimal policies, the one solve() gives is meant.
ValueDecomposition value_decomposition(const mdp::Mdp& simulator, const mdp::Mdp& truth);

}  // namespace mindgap::gap
