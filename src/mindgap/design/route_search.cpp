#include "mindgap/design/route_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/interruption.h"
#include "mindgap/design/walk.h"

namespace mindgap::design {
namespace {

using mdp::Mdp;

// Backward induction with one price per pair at every step, for a unit that began in `start`: after t steps
// it is at most t moves away from there, and nobody asks about other states.
class Lookahead {
 public:
  Lookahead(const Mdp& mdp, std::int32_t start, std::int64_t steps)
      : mdp_(mdp), now_(static_cast<std::size_t>(mdp.states())), after_(now_.size()), best_(now_.size()) {
    std::vector<std::uint8_t> met(now_.size(), 0);
    near_.push_back(start);
    met[start] = 1;
    for (std::size_t i = 0; static_cast<std::int64_t>(within_.size()) < steps;) {
      within_.push_back(near_.size());
      for (const std::size_t end = near_.size(); i < end; ++i) {
        for (const std::int64_t j : mdp.entries_of_state(near_[i])) {
          const std::int32_t next = mdp.next_state()[j];
          if (met[next] != 0) continue;
          met[next] = 1;
          near_.push_back(next);
        }
      }
    }
  }

  /// The best pairs of the states where it may be after `gone` steps, with `steps` to go.
  std::span<const std::int32_t> best(std::span<const double> price, std::int64_t gone, std::int64_t steps) {
    for (const std::int32_t s : near_) after_[s] = 0;
    for (std::int64_t t = gone + steps - 1; t >= gone; --t) {
      for (const std::int32_t s : std::span(near_).first(within_[static_cast<std::size_t>(t)]))
        choose(price, s);
      std::swap(now_, after_);
    }
    return best_;
  }

 private:
  void choose(std::span<const double> price, std::int32_t s) {
    double most = -std::numeric_limits<double>::infinity();
    for (const std::int32_t k : mdp_.pairs_of(s)) {
      double q = price[k];
      if (std::isinf(q)) continue;  // not allowed
      for (const std::int64_t i : mdp_.entries_of(k)) {
        q += mdp_.probability()[i] * after_[mdp_.next_state()[i]];
      }
      if (q > most) {
        most = q;
        best_[s] = k;
      }
    }
    now_[s] = most;
  }

  const Mdp& mdp_;
  std::vector<std::int32_t> near_;   // by their distance from the start
  std::vector<std::size_t> within_;  // how many are at most 0, 1, ... moves away
  std::vector<double> now_, after_;
  std::vector<std::int32_t> best_;
};

// What a unit that begins in `state` observes on the route, added times `sign` to `counts`.
void add_counts(const Occupancy& pilot, std::span<const std::int32_t> route, std::int32_t state, double sign,
                std::span<double> counts) {
  std::vector<double> position(static_cast<std::size_t>(pilot.mdp().states()), 0.0);
  position[state] = 1;
  const std::vector<double> seen = walk_counts(pilot.mdp(), route, pilot.steps(), position);
  for (std::size_t k = 0; k < seen.size(); ++k) counts[k] += sign * seen[k];
}

// Far enough to get anywhere and back.
std::int64_t horizon_of(const Mdp& mdp) {
  return 2 * std::int64_t{mdp.states()};
}

std::vector<std::int32_t> build_route(const Objective& objective, const Occupancy& pilot,
                                      std::span<const double> others, std::int32_t state,
                                      std::span<const std::uint8_t> forbidden) {
  const Mdp& mdp = pilot.mdp();
  const auto states = static_cast<std::size_t>(mdp.states());
  std::vector<std::int32_t> route(states * static_cast<std::size_t>(pilot.steps()), -1);
  std::vector<double> counts(others.begin(), others.end()), price(counts.size()), now(states, 0.0),
      next(states);
  now[state] = 1;
  Lookahead lookahead(mdp, state, pilot.steps());
  for (std::int64_t t = 0; t < pilot.steps(); ++t) {
    objective.worth_of_one_more(counts, price);
    for (std::size_t k = 0; k < forbidden.size(); ++k) {
      if (forbidden[k] != 0) price[k] = -std::numeric_limits<double>::infinity();
    }
    const std::span<const std::int32_t> best =
        lookahead.best(price, t, std::min(pilot.steps() - t, horizon_of(mdp)));
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t s = 0; s < states; ++s) {
      if (now[s] == 0) continue;
      const std::int32_t k = best[s];
      route[static_cast<std::size_t>(t) * states + s] = k;
      counts[k] += now[s];
      for (const std::int64_t i : mdp.entries_of(k)) {
        next[mdp.next_state()[i]] += now[s] * mdp.probability()[i];
      }
    }
    std::swap(now, next);
  }
  return route;
}

// Routes that somebody follows, renumbered; those that nobody does are dropped.
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

}  // namespace

std::vector<std::int32_t> greedy_route(const Objective& objective, const Occupancy& pilot,
                                       std::span<const double> others, std::int32_t state) {
  if (!pilot.is_finite()) throw InvalidArgument("greedy_route: the pilot must be finite");
  base::check_size("greedy_route", "others", others.size(), objective.size());
  base::check_range("greedy_route", "state", state, 0, pilot.mdp().states() - 1);
  return build_route(objective, pilot, others, state, {});
}

bool improve_routes(const Objective& objective, const Occupancy& pilot,
                    std::span<const std::int32_t> unit_state, std::span<const std::uint8_t> forbidden,
                    double optimum, RouteAssignment& assignment, const RouteSearchOptions& options) {
  if (!pilot.is_finite()) throw InvalidArgument("improve_routes: the pilot must be finite");
  const auto started = std::chrono::steady_clock::now();
  const double ahead = static_cast<double>(std::min(pilot.steps(), horizon_of(pilot.mdp())));
  const double work =
      static_cast<double>(pilot.steps()) * ahead * static_cast<double>(pilot.mdp().nonzeros());
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
      std::vector<std::int32_t> route = build_route(objective, pilot, others, unit_state[u], forbidden);
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
  bool all = true;
  if (constraints.empty())
    all = improve_routes(objective, pilot, unit_state, forbidden, optimum.value, assigned, options);
  if (searched != nullptr) *searched = all;
  return assigned;
}

}  // namespace mindgap::design
