#pragma once

#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/world/hidden_model.h"

// A world with its hidden state averaged out: Markov decision processes on the observed states (paper,
// section "Setup", and appendix conf-drift-decomp). All have exactly the world's pairs, names, start,
// discount and reward_max. Each conditional law of h is taken relative to its sum, which is 1 within 1e-9.
namespace mindgap::world {

/// What a randomised trial estimates: h drawn fresh from P_t(h|s) at every step,
///   r(s,a) = sum_h P_t(h|s) r(s,a,h),   p(s'|s,a) = sum_h P_t(h|s) sum_h' K(s',h'|s,a,h).
mdp::Mdp deployment_projection(const HiddenModel& world);

/// What history estimates: the same under P_calib(h|s,a), see hidden_given_pair().
mdp::Mdp calibration_kernel(const HiddenModel& world);

/// What history would estimate had actions not followed h: the same under P_calib(h|s).
mdp::Mdp calibration_marginal(const HiddenModel& world);

/// P_calib(h|s,a) per cell, proportional to behaviour(a|s,h) P_calib(h|s). Where history never takes a pair,
/// at any h of positive calibration mass, there is nothing to condition on; it is P_calib(h|s) there, so that
/// such a pair counts as not confounded.
std::vector<double> hidden_given_pair(const HiddenModel& world);

/// The variance of one reward per pair,
///   E_h[variance(s,a,h)] + Var_h[r(s,a,h)],
/// under the planner's own choice of actions, h ~ P_t(h|s) (paper, Lemma pomdp-do-variance), and in history,
/// h ~ P_calib(h|s,a).
std::vector<double> do_variance(const HiddenModel& world);
std::vector<double> observational_variance(const HiddenModel& world);

}  // namespace mindgap::world
