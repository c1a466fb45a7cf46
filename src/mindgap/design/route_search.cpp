#include "mindgap/design/route_search.h"

#include <algorithm>
#include <chrono>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/design/route_builder.h"
#include "mindgap/design/walk.h"

namespace mindgap::design {
namespace {

// What a unit that begins in `state` observes on the route, added times `sign` to `counts`.
void add_counts(const Occupancy& pilot, std::span<const std::int32_t> route, std::int32_t state, double sign,
                std::span<double> counts) {
  std::vector<double> position(static_cast<std::size_t>(pilot.mdp().states()), 0.0);
  position[state] = 1;
  const std::vector<double> seen = walk_counts(pilot.mdp(), route, pilot.steps(), position);
  for (std::size_t k = 0; k < seen.size(); ++k) counts[k] += sign * seen[k];
}

}  // namespace

void drop_empty_routes(RouteAssignment& assignment) {
  std::vector<std::int32_t> place(assignment.routes.size(), -1);
  std::vector<Route> kept;
  for (std::size_t r = 0; r < assignment.routes.size(); ++r) {
    if (assignment.routes[r].units == 0) continue;
    place[r] = static_cast<std::int32_t>(kept.size());
    kept.push_back(std::move(assignment.routes[r]));
  }
  assignment.routes = std::move(kept);
  for (std::int32_t& route : assignment.route_of_unit) route = place[route];
}

std::vector<std::int32_t> greedy_route(const Objective& objective, const Occupancy& pilot,
                                       std::span<const double> others, std::int32_t state) {
  if (!pilot.is_finite()) throw InvalidArgument("greedy_route: the pilot must be finite");
  base::check_size("greedy_route", "others", others.size(), objective.size());
  base::check_range("greedy_route", "state", state, 0, pilot.mdp().states() - 1);
  return build_route(objective, pilot, {.others = others, .state = state});
}

bool improve_routes(const Objective& objective, const Occupancy& pilot,
                    std::span<const std::int32_t> unit_state, std::span<const std::uint8_t> forbidden,
                    double optimum, RouteAssignment& assignment, const RouteSearchOptions& options) {
  if (!pilot.is_finite()) throw InvalidArgument("improve_routes: the pilot must be finite");
  const auto started = std::chrono::steady_clock::now();
  const double work = work_of_route(pilot);
  const auto out_of_time = [&] {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
    return seconds.count() > options.time_limit;
  };
  bool complete = true;
  double spent = 0;
  std::vector<double> counts = assignment.counts;
  bool gained = true;
  for (std::int32_t pass = 0; pass < options.passes && gained; ++pass) {
    gained = false;
    for (std::size_t u = 0; u < unit_state.size(); ++u) {
      base::interruption_point();
      if (spent + work > options.work_limit || out_of_time()) {
        complete = complete && pass > 0;
        gained = false;
        break;
      }
      spent += work;
      Route& old = assignment.routes[assignment.route_of_unit[u]];
      std::vector<double> others = counts;
      add_counts(pilot, old.pair, unit_state[u], -1, others);
      for (double& n : others) n = std::max(n, 0.0);
      std::vector<std::int32_t> route =
          build_route(objective, pilot, {.others = others, .state = unit_state[u], .forbidden = forbidden});
      add_counts(pilot, route, unit_state[u], 1, others);
      const double value = objective.value(others);
      if (!(value < assignment.value * (1 - 1e-9))) continue;
      --old.units;
      assignment.route_of_unit[u] = static_cast<std::int32_t>(assignment.routes.size());
      assignment.routes.push_back({0, 1, std::move(route)});
      assignment.value = value;
      counts = std::move(others);
      ++assignment.exchanges;
      gained = true;
    }
  }
  drop_empty_routes(assignment);
  assignment.counts = std::move(counts);
  assignment.ratio = optimum > 0 ? assignment.value / optimum : 1;
  return complete;
}

RouteAssignment best_routes(const Objective& objective, const Occupancy& pilot,
                            const ColumnGenerationResult& optimum, std::span<const std::int32_t> unit_state,
                            const Constraints& constraints, std::span<const std::uint8_t> forbidden,
                            const RouteSearchOptions& options, bool* searched) {
  RouteAssignment assigned = assign_routes(objective, pilot, optimum, unit_state, constraints);
  const bool all = constraints.empty() ? improve_routes(objective, pilot, unit_state, forbidden,
                                                        optimum.value, assigned, options)
                                       : improve_routes_within(objective, pilot, unit_state, constraints,
                                                               forbidden, optimum, assigned, options);
  if (searched != nullptr) *searched = all;
  return assigned;
}

}  // namespace mindgap::design
