#pragma once

#include <memory>

#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// KG-SEP (paper listing kgsep): each unit takes the pair of its state with the largest
///   q(k) + g (I_r(k) + I_p(k)),   q(k) = m(k) + g sum p(s'|k) V_sim(s'),
/// m and p the posterior means, V_sim the simulator's optimal value, g the discount. The listing leaves both
/// kinds of information open; here each is the knowledge gradient (Frazier, Powell, Dayanik 2008) of one more
/// observation of k against the best other pair of the state,
///   I = nu psi(|q(k) - max_{j != k} q(j)| / nu),   psi(x) = phi(x) - x Phi(-x),
/// with nu the standard deviation of what that observation moves q(k) by:
///   rewards      nu^2 = sigma^2 - 1 / (1/sigma^2 + tau), sigma^2 the posterior variance of the mean reward
///   and
///                tau the precision of one reward (infinite: nu = sigma);
///   transitions  nu = g sd_p(V_sim) / (alpha + 1), since s' moves the Dirichlet mean of strength alpha by
///                (e_s' - p) / (alpha + 1).
/// I = 0 where nu = 0, and in a state with one action. q is that of the belief at every step, as listed.
///
/// Units that choose at the same step are dealt out one after another: each that takes k counts for those
/// after it as if it had been observed (sigma^2 and alpha change, the means do not), so that units of one
/// state spread where information, and not value, is why k is taken. The paper's program splits units in
/// proportion to the augmented values instead, which depends on where rewards have their zero; with one unit
/// in a state both are the listing. Ties go to the lowest action.
std::unique_ptr<Planner> make_kg(const Setting& setting);

/// nu psi(|difference| / nu), 0 for nu = 0: what one look that moves a value by a normal with deviation nu is
/// worth to the choice between it and one that lies `difference` away. nu >= 0.
double knowledge_gradient(double difference, double nu);

}  // namespace mindgap::planner
