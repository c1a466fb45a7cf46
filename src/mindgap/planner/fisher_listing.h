#pragma once

#include <memory>

#include "mindgap/planner/planner.h"

// Fisher-SEP as the paper writes it down, for comparison with what we do (fisher.h): docs/math/planners.md.
namespace mindgap::planner {

/// The paper's listing fishersep, line by line, with its own numbers instead of the setting's:
///  - a belief of its own: rewards N(simulator, 1), rows Dirichlet(1 + 2 p) over all states, so that its mean
///    row is uniform but for 2 of S + 2 parts;
///  - prior information I_0 = kappa_0 / v per pair, v the stated variance of one reward, kappa_0 from the
///    simulator's consistency with 100 rollouts of its own, half of them by its optimal policy and half at
///    random (a pair with fewer than two draws counts as consistent); with pilot data the variance of the
///    mean is that of a Normal-Inverse-Gamma law, alpha_0 = 2, beta_0 = 2 v;
///  - the explorer minimises the variance of its own value by 60 steps of coordinate descent (rate .3), with
///    n(s,a) = T d(s) pi(a|s), T = int(1/(1 - discount)) counts in all, however many units there are;
///  - `pilot_steps` of uniform actions by all units, then for `explore_steps` steps every unit takes an
///  action
///    of the explorer with probability `explore_probability`, else the exploiting one; then exploits;
///  - both are found again after steps 0, 10, 20, ...
/// Throws InvalidArgument for more than kMostListedStates states, as it keeps every row in full.
std::unique_ptr<Planner> make_fisher_listing(const Setting& setting);

/// As the paper describes it for the hidden treasure: `explorer_share` of the units follow that explorer, and
/// nothing else, for `explore_steps` steps, without a random pilot, while all others follow the simulator's
/// policy; then everybody exploits. Everything that is seen counts.
std::unique_ptr<Planner> make_fisher_listing_explorers(const Setting& setting);

/// The same with the criterion that the treasure's appendix names: the explorer maximises the trace of the
/// Fisher information about its own value, tr F(pi) = sum_{s,a} tau(s,a) w(s) pi(a|s)^2 with w as in
/// gap/pvv.h.
std::unique_ptr<Planner> make_fisher_trace(const Setting& setting);

constexpr int kMostListedStates = 500;

}  // namespace mindgap::planner
