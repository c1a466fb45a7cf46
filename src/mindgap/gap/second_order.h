#pragma once

#include <cstdint>
#include <optional>

#include "mindgap/belief/belief.h"
#include "mindgap/mdp/policy.h"

namespace mindgap::gap {

/// The variance of a target's value to the second order, averaged over where the target goes.
struct SecondOrder {
  double first = 0;       // first order, with the Dirichlet's own variance, Var(V) / (alpha + 1)
  double skewness = 0;    // what third moments of rows add
  double curvature = 0;   // what squares of variances add
  double total = 0;       // first + skewness + curvature
  double mean_shift = 0;  // by how much the mean of the value lies above the value of the mean model
};

/// Up to this many states; the work is cubic in them.
constexpr std::int32_t kSecondOrderStates = 500;

/// With rewards r + e and rows p + E, all independent between pairs, V = sum_j (g R E)^j R g_1, where
/// g_1 = e + g E V0 and R = (I - g P)^-1. With X1 = R g_1, X2 = g R E X1 and X3 = g R E X2,
///   Var V(s) = E X1^2 + 2 E X1 X2 + Var X2 + 2 E X1 X3 + terms of higher order,
/// order being counted in 1/alpha and sigma^2. The second term is one of third moments of Dirichlet rows,
/// which are 2 mu_3 / ((alpha+1)(alpha+2)); in the others fourth moments are those of a Gaussian, the
/// difference being of higher order. With C_u the covariance of the target's row at u, v_u = Var g_1(u),
/// K[u,w] = sum_t Cov(E_ut, g_1(u)) R[t,w], G = R diag(v) R', D = diag(d), Q = R'D R, w_u = Q[u,u]:
///   E X1^2     = sum_u w_u v_u
///   E X1 X2    = g sum_u w_u E[g_1(u)^2 (E_u R[.,u])]
///   Var X2     = g^2 sum_u w_u tr(C_u G) + g^2 sum_uw Q[u,w] K[u,w] K[w,u]
///   E X1 X3    = g^2 sum_uv w_u K[u,v] K[v,v] + g^2 sum_uv Q[u,v] K[u,v] K[v,u]
///                + g^2 sum_u R[.,u]' C_u (G D R)[.,u]
/// None where the model has more than kSecondOrderStates states or pairs learn from each other. Throws
/// InvalidArgument where the discount is 1.
std::optional<SecondOrder> second_order_variance(const belief::Belief& belief, const mdp::Policy& target);

}  // namespace mindgap::gap
