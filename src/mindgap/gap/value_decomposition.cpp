#include "mindgap/gap/value_decomposition.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/gap/same_pairs.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {
namespace {

using mdp::Mdp;

Mdp with_reward_of(const Mdp& model, const Mdp& other) {
  return model.with_reward({other.reward().begin(), other.reward().end()});
}

}  // namespace

ValueDecomposition value_decomposition(const Mdp& simulator, const Mdp& truth) {
  check_same_pairs("value_decomposition", simulator, truth);
  if (simulator.discount() != truth.discount()) {
    throw InvalidArgument(fmt::format(
        "value_decomposition: the simulator's discount is {}, the truth's {}, but must be the same",
        simulator.discount(), truth.discount()));
  }
  const mdp::Policy policy = mdp::solve(simulator).policy;
  const mdp::Solution best = mdp::solve(truth);
  const Mdp moved = simulator.with_start({truth.start().begin(), truth.start().end()});

  double error = 0;
  const auto value = [&](const Mdp& model, const mdp::Policy& of) {
    const mdp::Evaluation evaluation = mdp::evaluate(model, of);
    error = std::max(error, evaluation.error_bound);
    return evaluation.value_at_start;
  };
  const double sim_sim = value(moved, policy), obs_obs = value(truth, policy);
  const double obs_sim = value(with_reward_of(moved, truth), policy);
  const double sim_obs = value(with_reward_of(truth, simulator), policy);
  const double optimal = value(truth, best.policy);
  return {.promised = sim_sim,
          .achieved = obs_obs,
          .optimal = optimal,
          .reward = obs_sim - sim_sim,
          .transition = sim_obs - sim_sim,
          .policy = optimal - obs_obs,
          .interaction = (obs_obs - obs_sim) - (sim_obs - sim_sim),
          .error_bound = 4 * error + best.policy_loss_bound};
}

}  // namespace mindgap::gap
