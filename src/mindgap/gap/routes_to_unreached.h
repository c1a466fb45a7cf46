#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/policy.h"
#include "mindgap/mdp/reach.h"

// What the deployed policy's data will never tell about, and what it would take to get there (paper,
// "Reachability positivity").
namespace mindgap::gap {

/// The cheapest way into one state that the policy practically never sees.
struct Route {
  std::int32_t state = 0;
  /// By any policy at all, from the start distribution (a graph search). False: no experiment gets there.
  bool possible = false;
  /// Under the policy itself, by chance: then the state is only rare.
  bool possible_under_policy = false;
  /// From the states the policy visits. A possible state has no route where it can only be entered from start
  /// states that are unreached themselves.
  bool found = false;
  double loss = 0;             // expected loss of value on the way, by the simulator's own numbers
  double expected_steps = 0;   // expected number of attempts on the way
  std::int32_t previous = -1;  // the last step of the route: in this state ...
  std::int32_t action = -1;    // ... this action
};

struct RouteStep {
  std::int32_t state = 0;
  std::int32_t action = 0;

  bool operator==(const RouteStep&) const = default;
};

struct Routes {
  double threshold = 0;          // below this share of time a state counts as unreached
  double tie_tolerance = 0;      // losses up to this counted as none, in units of value
  std::vector<Route> unreached;  // by state number

  /// What to do in which state, from where the route leaves the visited states to the last step into `state`.
  /// Empty where there is no route. Throws InvalidArgument where `state` is not in `unreached`.
  std::vector<RouteStep> path(std::int32_t state) const;
};

struct RouteOptions {
  /// Losses V(s) - Q(s,a) up to this share of reward_max / (1 - discount) count as none: the value is not
  /// known better than that.
  double tie_tolerance = 1e-9;
};

/// A shortest-path problem over the simulator's transitions. The states the policy visits cost nothing; going
/// from s to s' by action a costs
///   max(0, V(s) - Q(s,a)) / p(s'|s,a)  and  1 / p(s'|s,a) steps:
/// what the simulator expects to lose by trying a in s until it works, if each failure leads back to s.
/// Routes are compared by loss, then by steps; of equal ones the last step is from the lowest state, by the
/// lowest action. Dijkstra's algorithm, O(nonzeros log states).
///
/// `value` is V, of the optimal or of the deployed policy; `reach` is mdp::policy_reach() of the latter.
/// Throws InvalidArgument where sizes do not fit, a value is not finite, or the discount is 1.
Routes routes_to_unreached(const mdp::Mdp& mdp, const mdp::Reach& reach, std::span<const double> value,
                           const RouteOptions& options = {});

/// The same with the reach of `policy` and its own value.
Routes routes_to_unreached(const mdp::Mdp& mdp, const mdp::Policy& policy,
                           double threshold = mdp::kSupportThreshold, const RouteOptions& options = {});

/// Reachability positivity (paper, def. reachability-positivity), with supports read at a threshold: the
/// states to which the target gives a share of time of at least `threshold` and the deployed policy does not.
/// Positivity holds where there is none. A threshold of 0 reads the support as shares above 0.
std::vector<std::int32_t> positivity_violations(std::span<const double> target,
                                                std::span<const double> deployed,
                                                double threshold = mdp::kSupportThreshold);
bool positivity_holds(std::span<const double> target, std::span<const double> deployed,
                      double threshold = mdp::kSupportThreshold);

}  // namespace mindgap::gap
