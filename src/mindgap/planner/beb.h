#pragma once

#include <memory>
#include <vector>

#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// Bayesian exploration bonus (Kolter and Ng 2009, "Near-Bayesian exploration in polynomial time"): every
/// replan_every steps all units take up the optimal policy of the model of posterior means with
/// bonus * exploration_bonus() added to each reward. The value in that formula is the optimal one of the
/// mean with the bonus for rewards alone, so that a way to something unknown counts as well.
///
/// The authors know the rewards and add beta / (1 + n), n the Dirichlet's strength (prior included), with
/// beta in the units of a value. Here rewards are uncertain, too, and have a scale of their own: the bonus
/// falls with n as theirs, and begins at the standard deviation that the prior states.
std::unique_ptr<Planner> make_beb(const Setting& setting);

/// The setting's beginning with the first look of make_beb(), which is as large as all later ones of a short
/// deployment together, and the same for all who begin there. The beginning as it is where looks are made
/// directly, and quickly.
std::shared_ptr<const Beginning> begin_with_bonus(const Setting& setting);

/// What is added to the reward of each state-action pair, before the factor: of the mean reward and of the
/// value that follows, the posterior standard deviation times its ratio to the prior one,
///   s min(1, s / s_0)  +  w min(1, sqrt((alpha_0 + 1) / (alpha + 1))),   w = g sd_p(V) / sqrt(alpha + 1).
/// s_0 and s are the prior and posterior sd of the mean reward, alpha_0 and alpha the prior and posterior
/// strength of the row, p its posterior mean and V `value`; w is the sd of g p.V (moments of a Dirichlet).
/// With m observations of variance v and n_0 = v / s_0^2 the first is s_0 n_0 / (n_0 + m), the second
/// w_0 (alpha_0 + 1) / (alpha_0 + 1 + m): both fall as 1 / n, as the authors' bonus does. 0 where nothing is
/// uncertain: s_0 = 0, a single successor, or successors of equal value. Multiplying all rewards by a
/// constant multiplies it by the same. One value per pair; `mean` is the belief's, `value` per state.
std::vector<double> exploration_bonus(const belief::Belief& belief, const mdp::Mdp& mean,
                                      std::span<const double> value);

}  // namespace mindgap::planner
