#pragma once

#include <memory>

#include "mindgap/planner/optimism.h"
#include "mindgap/planner/planner.h"

namespace mindgap::planner {

/// UCBVI with the Hoeffding bonus (Azar, Osband, Munos 2017, algorithms 1 to 3): greedy for
///   Q(s,a) = min(Q_before(s,a), high / (1-g), mean reward + b(n) + g frequencies.V),   V(s) = max_a Q(s,a),
/// and Q = high / (1-g) where n = 0; b as below, delta = `confidence`. It starts from nothing. Departures:
///  - the value is discounted without end, not over H steps: the width of values H becomes width / (1-g), the
///    backward induction a fixed point (a contraction by g still), found every replan_every steps;
///  - T is the number of observations so far, not of the whole run: no horizon need be known;
///  - rewards, which the authors know, are the means seen; their range is that of reward_range().
std::unique_ptr<Planner> make_ucbvi(const Setting& setting);

/// 7 c (width / (1-g)) L / sqrt(n), L = log(5 S A T / delta), for n, T >= 1: the authors' 7 H L / sqrt(n)
/// with c = `optimism` for a factor.
double ucbvi_bonus(const mdp::Mdp& simulator, const RewardRange& range, double count, double total,
                   double delta, double optimism);

}  // namespace mindgap::planner
