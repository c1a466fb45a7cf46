#include "mindgap/gap/routes_to_unreached.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/graph.h"

namespace mindgap::gap {
namespace {

using mdp::Mdp;

struct Cost {
  double loss = base::kInfinity;
  double steps = base::kInfinity;

  bool operator==(const Cost&) const = default;
  bool operator<(const Cost& other) const {
    return std::tie(loss, steps) < std::tie(other.loss, other.steps);
  }
};

// The shortest-path tree as it grows.
struct Tree {
  std::vector<Cost> cost;  // per state
  std::vector<std::int32_t> previous, action;
  std::vector<std::uint8_t> settled;

  explicit Tree(std::size_t states)
      : cost(states), previous(states, -1), action(states, -1), settled(states, 0) {}
};

struct Entry {
  Cost cost;
  std::int32_t state;

  bool operator>(const Entry& other) const {
    return other.cost < cost || (other.cost == cost && other.state < state);
  }
};
using Heap = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

// Offers every transition out of `state`; a better one replaces what its end had, and so does an equal one
// from a lower state (and, as pairs are in the order of actions, only a better one by a higher action).
void relax(const Mdp& mdp, std::span<const double> loss, std::int32_t state, Tree& tree, Heap& heap) {
  for (const std::int32_t k : mdp.pairs_of(state)) {
    for (const std::int64_t i : mdp.entries_of(k)) {
      const std::int32_t next = mdp.next_state()[i];
      if (tree.settled[next]) continue;
      const double p = mdp.probability()[i];
      const Cost offer{tree.cost[state].loss + loss[k] / p, tree.cost[state].steps + 1 / p};
      const bool better = offer < tree.cost[next];
      if (!better && !(offer == tree.cost[next] && state < tree.previous[next])) continue;
      tree.cost[next] = offer;
      tree.previous[next] = state;
      tree.action[next] = mdp.pair_action()[k];
      if (better) heap.push({offer, next});
    }
  }
}

Tree shortest_paths(const Mdp& mdp, std::span<const double> loss, std::span<const std::uint8_t> visited) {
  Tree tree(visited.size());
  Heap heap;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (!visited[s]) continue;
    tree.cost[s] = {0, 0};
    heap.push({tree.cost[s], s});
  }
  while (!heap.empty()) {
    const std::int32_t state = heap.top().state;
    heap.pop();
    if (tree.settled[state]) continue;
    tree.settled[state] = 1;
    relax(mdp, loss, state, tree, heap);
  }
  return tree;
}

// max(0, V(s) - Q(s,a)) per pair, 0 up to the tolerance.
std::vector<double> losses(const Mdp& mdp, std::span<const double> value, double tolerance) {
  std::vector<double> loss = mdp::action_values(mdp, value);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (const std::int32_t k : mdp.pairs_of(s)) {
      loss[k] = value[s] - loss[k];
      if (loss[k] <= tolerance) loss[k] = 0;
    }
  }
  return loss;
}

void check_arguments(const Mdp& mdp, const mdp::Reach& reach, std::span<const double> value,
                     const RouteOptions& options) {
  const char* function = "routes_to_unreached";
  const auto states = static_cast<std::size_t>(mdp.states());
  base::check_size(function, "reach.share", reach.share.size(), states);
  base::check_size(function, "reach.possible", reach.possible.size(), states);
  for (const std::int32_t s : reach.unreached) {
    base::check_range(function, "reach.unreached", s, 0, mdp.states() - 1);
  }
  base::check_size(function, "value", value.size(), states);
  base::check_finite(function, "value", value);
  base::check_nonnegative(function, "tie_tolerance", options.tie_tolerance);
  if (mdp.discount() == 1)
    throw InvalidArgument(fmt::format("{}: discount is 1, but must be below 1", function));
}

}  // namespace

Routes routes_to_unreached(const Mdp& mdp, const mdp::Reach& reach, std::span<const double> value,
                           const RouteOptions& options) {
  check_arguments(mdp, reach, value, options);
  std::vector<std::uint8_t> visited(static_cast<std::size_t>(mdp.states()), 1);
  for (const std::int32_t s : reach.unreached) visited[s] = 0;
  const std::vector<std::uint8_t> possible = mdp::reachable(mdp, mdp::start_states(mdp));

  Routes result;
  result.threshold = reach.threshold;
  result.tie_tolerance = options.tie_tolerance * mdp.reward_max() / (1 - mdp.discount());
  const Tree tree = shortest_paths(mdp, losses(mdp, value, result.tie_tolerance), visited);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (visited[s]) continue;
    Route& route = result.unreached.emplace_back();
    route.state = s;
    route.possible = possible[s] != 0;
    route.possible_under_policy = reach.possible[s] != 0;
    route.found = tree.settled[s] != 0;
    if (!route.found) continue;
    route.loss = tree.cost[s].loss;
    route.expected_steps = tree.cost[s].steps;
    route.previous = tree.previous[s];
    route.action = tree.action[s];
  }
  return result;
}

Routes routes_to_unreached(const Mdp& mdp, const mdp::Policy& policy, double threshold,
                           const RouteOptions& options) {
  return routes_to_unreached(mdp, mdp::policy_reach(mdp, policy, threshold), mdp::evaluate(mdp, policy).value,
                             options);
}

std::vector<RouteStep> Routes::path(std::int32_t state) const {
  const auto find = [&](std::int32_t s) {
    const auto place = std::lower_bound(unreached.begin(), unreached.end(), s,
                                        [](const Route& route, std::int32_t x) { return route.state < x; });
    return place != unreached.end() && place->state == s ? &*place : nullptr;
  };
  const Route* route = find(state);
  if (route == nullptr) {
    throw InvalidArgument(fmt::format("Routes::path: state is {}, but must be an unreached one", state));
  }
  std::vector<RouteStep> steps;
  for (; route != nullptr && route->found; route = find(route->previous)) {
    steps.push_back({route->previous, route->action});
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

std::vector<std::int32_t> positivity_violations(std::span<const double> target,
                                                std::span<const double> deployed, double threshold) {
  const char* function = "positivity_violations";
  base::check_size(function, "deployed", deployed.size(), target.size());
  base::check_nonnegative(function, "target", target);
  base::check_nonnegative(function, "deployed", deployed);
  base::check_probability(function, "threshold", threshold);
  const auto visits = [&](double share) { return share > 0 && share >= threshold; };
  std::vector<std::int32_t> violations;
  for (std::size_t s = 0; s < target.size(); ++s) {
    if (visits(target[s]) && !visits(deployed[s])) violations.push_back(static_cast<std::int32_t>(s));
  }
  return violations;
}

bool positivity_holds(std::span<const double> target, std::span<const double> deployed, double threshold) {
  return positivity_violations(target, deployed, threshold).empty();
}

}  // namespace mindgap::gap
