#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mindgap/belief/belief.h"
#include "mindgap/mdp/policy.h"
#include "mindgap/planner/planner.h"
#include "mindgap/planner/ways.h"

namespace mindgap::planner {

/// Expected improvement less the way there: every replan_every steps each unit is given the errand that is
/// worth most (plan_errands()), goes there by the quickest way, looks as often as planned and then follows
/// the current policy, the optimal one of the posterior mean; units without an errand that pays follow it at
/// once. All units may explore. Only uncertain rewards attract; where transitions lead is learnt on the way.
std::unique_ptr<Planner> make_improvement(const Setting& setting);

/// One unit is sent to take `pair` `looks` times.
struct Errand {
  std::shared_ptr<const Way> way;  // to the pair's state
  std::int32_t pair = -1;
  std::int64_t looks = 0;
  double worth = 0;  // what it is expected to earn all units, less what the unit forgoes; above 0
};

/// What errands are planned from. Values are sums of rewards in `mean` with discount patience(left), steps
/// left to go: `value` is that of the current policy.
struct Surroundings {
  const belief::Belief& belief;
  const mdp::Mdp& mean;  // at that discount
  std::span<const double> value;
  std::span<const double> seen_anyway;  // observations per pair to be expected without errands
  std::int64_t left = 0;
  std::size_t candidates = 256;  // states that are thought of as targets, at most
};

/// The errand of each unit, or none. With g the discount, d and b the discount and the rewards of the
/// quickest way to state x (ways.h), pair k of x with posterior mean m of its reward, q = g sum p(s'|k) d(s')
/// and c = m + g sum p(s'|k) b(s'), so that going round through k takes the factor q and earns c:
///  - staying: a unit in s that goes to x and repeats k for good earns b(s) + d(s) c / (1 - q). n looks move
///    m by a normal of variance t^2 = s_k^2 n / (n + v / s_k^2) (preposterior analysis, Raiffa and Schlaifer
///    1961), hence that value by one of standard deviation e(s) = d(s) t / (1 - q);
///  - improvement: a unit in s that has B(s) anyway gains e(s) psi((B(s) - b(s) - d(s) c / (1 - q)) / e(s))
///  in
///    expectation, psi the unit normal loss (expected improvement, Jones, Schonlau and Welch 1998). What one
///    unit finds all can use: the sum over all units, times d(s_u) q^n for the time it takes unit u;
///  - the way: unit u forgoes V(s_u) - b(s_u) - d(s_u) f_n, with f_0 = V(x) and f_i = c + q f_{i-1}: going
///    there, n times round, then the current policy again.
/// B begins as the value V of the current policy. The pair of unit and errand of the largest worth (positive)
/// is fixed first; then k counts as looked at n times more, and B(s) rises by the improvement just promised,
/// so that the next unit is sent for what is still to be found. n = 1, 2, 4, ... up to nine tenths of the
/// variance gone. `seen_anyway` counts as looks from the beginning. Of many states the `candidates` with the
/// largest improvement are thought of that a unit already there would have.
std::vector<std::optional<Errand>> plan_errands(const Surroundings& now,
                                                std::span<const std::int32_t> unit_state);

}  // namespace mindgap::planner
