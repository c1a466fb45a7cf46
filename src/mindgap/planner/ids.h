#pragma once

#include <memory>
#include <span>

#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// Information-directed sampling (Russo, Van Roy 2014) on the value of policies. Every replan_every = w steps
/// `draws` models are drawn from the belief. Candidates are their optimal policies and that of the posterior
/// mean. Of candidate j, followed for w steps from where the units are (rho) and then no more:
///  - regret D_j: mean over the drawn models of rho'(V* - T_j^w V*), T_j the policy's Bellman operator in
///  that
///    model: what is lost against acting optimally from the start (zero or more);
///  - information G_j: f(0) - f(n_j), with f the criterion of design::Objective for value differences between
///    the optimal policies and the current one (design::difference_weights, from rho), and n_j the
///    observations expected in the posterior mean: how much of the variance that separates the policies goes.
/// The mixture of two candidates with the smallest (expected regret)^2 / (expected information) is followed:
/// each unit draws which of the two it follows at the beginning of the window. The authors' information is
/// the entropy of the optimal action; the variance of value differences, as in their variance-based form, is
/// what the criterion of this library makes small, and it has a closed form. Where nothing is left to find
/// out (f(0) = 0) or nothing can be, the candidate of least regret is followed.
std::unique_ptr<Planner> make_ids(const Setting& setting);

/// A mixture of two candidates: the first with probability `share`.
struct Mixture {
  std::size_t first = 0, second = 0;
  double share = 1;
  double ratio = 0;  // (expected regret)^2 / (expected information); infinite where nothing is learnt
};

/// The mixture of least ratio (two candidates suffice: Russo, Van Roy 2014, proposition 6). Both numbers zero
/// or more, per candidate, at least one candidate. On the segment between two candidates, with regret a + b q
/// and information c + d q, the ratio is convex with its minimum at q = (a d - 2 b c) / (b d), cut to [0, 1].
/// Where all ratios are infinite: the candidate of least regret. Ties go to the earlier ones.
Mixture least_information_ratio(std::span<const double> regret, std::span<const double> information);

}  // namespace mindgap::planner
