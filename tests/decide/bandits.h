#pragma once

#include "decide/situations.h"
#include "mindgap/gap/stateless.h"

// The stateless warm-up of spec/tabular.md 1 as a situation to decide in. There, n_e of n units are split
// half and half over two actions, of which the favoured one is better by Delta ~ N(d0, s0^2) and each outcome
// has variance s2; then all n take what is better in the posterior mean:
//   DeltaV(n_e) = -n_e d0/2 + gamma n nu psi(d0/nu), nu^2 = s0^4 n_e/(4 s2 + s0^2 n_e).
// Here the incumbent pays 0 for certain and the other arm -Delta, so only those on the other arm show
// anything. m units on it for one step cost m d0 and have the preposterior variance s0^4/(s0^2 + v/m), which
// with v = 2 s2 and m = n_e/2 is s0^4 (n_e/2)/(s0^2 n_e/2 + 2 s2) = nu^2. So a pilot of m units for the first
// of two steps is worth exactly DeltaV(2m), discounted; deploying and learning are worth 0.
namespace mindgap::decide {

inline Situation bandit(const gap::StatelessProblem& problem) {
  const mdp::Mdp mdp = arms({0, -problem.prior_mean}, problem.discount);
  return situation_of(mdp, {{0, problem.prior_sd}, {1, 1}}, 2 * problem.observation_variance,
                      std::vector<std::int32_t>(static_cast<std::size_t>(problem.units), 0), 2);
}

inline DecideOptions bandit_options(const std::vector<std::int64_t>& pilots, std::int64_t worlds,
                                    std::uint64_t seed = 42) {
  std::vector<Plan> plans = plans_named({"sop", "asop"});
  for (const std::int64_t units : pilots) plans.push_back(pilot_plan(units, 1));
  DecideOptions options = quick(plans, worlds, seed);
  options.objective = Objective::discounted;
  options.indifference = 0;
  options.simulation.replan_every = 1;
  return options;
}

}  // namespace mindgap::decide
