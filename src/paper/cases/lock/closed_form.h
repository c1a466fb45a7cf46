#pragma once

#include <cstdint>
#include <string_view>

#include "paper/cases/lock/rule.h"

// The expected share of units that reach the end of the lock, without simulating. T, c, n as in Lock, m units
// in front of the others. Every function validates the lock.
namespace mindgap::cases::lock {

/// (1 - c/T)^T; to exp(-c) from below as T grows (paper, prop. exp-reach-gap (i)).
double sop_share(const Lock& lock);

/// E max(n - B, 0)/n, B ~ Binomial(T, c/T) errors: each costs the one unit that finds it. 1 - c/n where
/// n >= T.
double asop_share(const Lock& lock);

/// ((1 - c/T)(1 - eps/2) + (c/T) eps/2)^T, eps in [0, 1] (paper, eq. eps-greedy-reach, expected over the
/// simulator).
double epsilon_share(const Lock& lock, double epsilon = kEpsilon);

/// m units at random (counted), the others as A-SOP; 0 <= m <= n:
///   (n-m)/n + (m/n) 2^-T - (c/(nT)) sum_{k=0..T-1} (1 - 2^-k)^m,
/// where (1 - 2^-k)^m is the chance that no pilot unit has decided at state k, so that an error there costs
/// an exploiter. Exact where there are exploiters enough for every error, n - m >= T; elsewhere
/// expected_share() is.
double pilot_share(const Lock& lock, std::int64_t pilot_units = kPilotUnits);

/// m explorers in sequence, at random where nothing is known and not counted; the others do not learn;
/// 0 <= m <= n:
///   (n-m)/n E[(1 - c/T)^max(T - N, 0)], N a sum of m independent Geometric(1/2) on 1, 2, ...:
/// each explorer finds that many states more. N is negative binomial: P(N = j) = C(j-1, m-1) 2^-j; 0 at m =
/// 0.
double sep_share(const Lock& lock, std::int64_t explorer_units);

/// The same for every planner and both readings, by dynamic programming: the number K of known states is a
/// Markov chain over units, since what is not known yet is independent of all that happened. For unit i with
/// its rule, q = P(right | known), u = P(right | not known), expected over the simulator's error: it passes
/// the known states with q^K, then learns one state more for each it decides at. O(n T^2). Planners that do
/// not learn stay at K = 0 (SOP: all units share one draw; the expectation is the same).
double expected_share(std::string_view planner, Reading reading, const Lock& lock);

}  // namespace mindgap::cases::lock
