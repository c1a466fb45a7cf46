#include "mindgap/design/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/design/constraint_rows.h"
#include "mindgap/design/footprint.h"
#include "mindgap/mdp/evaluate.h"

namespace mindgap::design {
namespace {

using mdp::Mdp;

constexpr double kRepair = 1e-10;    // by which a change must lower violations to be made for their sake
constexpr double kRounding = 1e-13;  // of violations, as shares of the most a row can be
constexpr std::int64_t kChangesPerUnit = 1000;

// Largest remainders of weight times units.
std::vector<std::int32_t> quotas(std::span<const double> weights, std::size_t units) {
  std::vector<std::int32_t> quota(weights.size());
  std::vector<double> remainder(weights.size());
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto left = static_cast<std::int32_t>(units);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double exact = weights[j] * static_cast<double>(units);
    quota[j] = static_cast<std::int32_t>(std::floor(exact + 1e-9));
    remainder[j] = exact - quota[j];
    left -= quota[j];
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  for (std::size_t i = 0; left > 0; ++i, --left) ++quota[order[i % order.size()]];
  for (std::size_t i = order.size(); left < 0; ++left) --quota[order[--i]];
  return quota;
}

// Units in the order of their states; each takes the route that is furthest behind its weight and has a
// place.
std::vector<std::int32_t> spread(std::span<const double> weights, std::span<const std::int32_t> unit_state) {
  std::vector<std::int32_t> quota = quotas(weights, unit_state.size());
  std::vector<std::size_t> order(unit_state.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return unit_state[a] < unit_state[b]; });
  std::vector<double> behind(weights.size(), 0.0);
  std::vector<std::int32_t> route(unit_state.size());
  for (const std::size_t unit : order) {
    std::size_t best = weights.size();
    for (std::size_t j = 0; j < weights.size(); ++j) {
      behind[j] += weights[j];
      if (quota[j] > 0 && (best == weights.size() || behind[j] > behind[best])) best = j;
    }
    behind[best] -= 1;
    --quota[best];
    route[unit] = static_cast<std::int32_t>(best);
  }
  return route;
}

class Exchange {
 public:
  std::vector<double> counts;  // of all units on their routes
  std::vector<std::int32_t> route_of_unit;

  Exchange(const Objective& objective, const Occupancy& pilot, const ColumnGenerationResult& design,
           std::span<const std::int32_t> unit_state, const Constraints& constraints)
      : counts(objective.size(), 0.0),
        route_of_unit(spread(design.weights, unit_state)),
        objective_(objective),
        rows_(pilot, constraints),
        unit_state_(unit_state),
        routes_(design.corners.size()),
        left_(rows_.rows(), 0.0),
        change_(objective.size(), 0.0),
        changed_(objective.size() + 1),
        after_(objective.size() + 1) {
    Footprints footprints(pilot, constraints);
    for (const std::int32_t s : unit_state) {
      if (footprints_.contains(s)) continue;
      for (const Corner& corner : design.corners) {
        base::interruption_point();
        footprints_[s].push_back(footprints.of(corner.pair, s));
      }
    }
    for (std::size_t u = 0; u < unit_state.size(); ++u) put(unit_state[u], route_of_unit[u], 1);
  }

  // Tries every unit in turn, the best route for each, until a round changes nothing. Units in the same state
  // and on the same route are the same: one of them stands for all.
  std::int64_t run() {
    std::int64_t made = 0;
    const std::int64_t most = kChangesPerUnit * static_cast<std::int64_t>(unit_state_.size());
    for (bool changed = true; changed && made < most;) {
      changed = false;
      std::map<std::pair<std::int32_t, std::int32_t>, bool> settled;
      for (std::size_t u = 0; u < unit_state_.size(); ++u) {
        base::interruption_point();
        bool& done = settled[{unit_state_[u], route_of_unit[u]}];
        if (done) continue;
        const std::int32_t to = best_route(u);
        if (to < 0) {
          done = true;
          continue;
        }
        put(unit_state_[u], route_of_unit[u], -1);
        put(unit_state_[u], to, 1);
        route_of_unit[u] = to;
        settled.clear();
        changed = true;
        ++made;
      }
    }
    return made;
  }

  // Per constraint, in the units of its bound.
  std::vector<double> violations() const {
    std::vector<double> result(rows_.constraints(), 0.0);
    for (std::size_t i = 0; i < left_.size(); ++i) {
      double& worst = result[rows_.constraint_of(i)];
      worst = std::max(worst, left_[i] - rows_.bounds()[i] * rows_.scales()[i]);
    }
    return result;
  }

 private:
  void put(std::int32_t state, std::int32_t route, double sign) {
    around_.reset();
    const Footprint& f = footprints_.at(state)[static_cast<std::size_t>(route)];
    for (std::size_t i = 0; i < f.pair.size(); ++i) {
      counts[f.pair[i]] = std::max(0.0, counts[f.pair[i]] + sign * f.count[i]);
    }
    for (std::size_t i = 0; i < f.left.size(); ++i) left_[i] += sign * f.left[i];
  }

  // f after a change of route less f before.
  double gain(const Footprint& from, const Footprint& to) {
    for (std::size_t i = 0; i < from.pair.size(); ++i) change_[from.pair[i]] -= from.count[i];
    for (std::size_t i = 0; i < to.pair.size(); ++i) change_[to.pair[i]] += to.count[i];
    std::size_t size = 0;
    for (const Footprint* f : {&from, &to}) {
      for (const std::int32_t k : f->pair) {
        changed_[size] = k;
        after_[size] = std::max(0.0, counts[k] + change_[k]);
        size += change_[k] != 0;
        change_[k] = 0;
      }
    }
    if (!around_) around_ = objective_.around(counts);
    return around_->change(std::span(changed_).first(size), std::span(after_).first(size));
  }

  // The sum of violations after a change of route less that before, as shares of the rows' scales.
  double worse(const Footprint& from, const Footprint& to) const {
    double sum = 0;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const double bound = rows_.bounds()[i], scale = rows_.scales()[i];
      const double after = (left_[i] - from.left[i] + to.left[i]) / scale;
      sum += std::max(0.0, after - bound) - std::max(0.0, left_[i] / scale - bound);
    }
    return sum;
  }

  // The route that serves f best in place of the unit's own, or -1 where none does.
  std::int32_t best_route(std::size_t unit) {
    const std::vector<Footprint>& from_here = footprints_.at(unit_state_[unit]);
    const auto own = static_cast<std::size_t>(route_of_unit[unit]);
    const double small = 1e-12 * objective_.value(counts);
    std::int32_t best = -1;
    double best_repair = 0, best_value = 0;
    for (std::size_t j = 0; j < routes_; ++j) {
      if (j == own) continue;
      const double violation = worse(from_here[own], from_here[j]),
                   value = gain(from_here[own], from_here[j]);
      const double repair = violation < -kRepair ? violation : 0;
      if (violation > kRounding || (repair == 0 && value >= -small)) continue;
      if (best >= 0 && repair > best_repair - kRounding && (repair > best_repair || value >= best_value))
        continue;
      best = static_cast<std::int32_t>(j);
      best_repair = repair;
      best_value = value;
    }
    return best;
  }

  const Objective& objective_;
  ConstraintRows rows_;
  std::span<const std::int32_t> unit_state_;
  std::size_t routes_;
  std::map<std::int32_t, std::vector<Footprint>> footprints_;  // by state and route
  std::unique_ptr<const gap::Criterion::Around> around_;       // the counts; none where they changed
  std::vector<double> left_;                                   // of every row
  std::vector<double> change_;                                 // scratch, 0 between uses
  std::vector<std::int32_t> changed_;  // scratch: pairs that a change of route changes
  std::vector<double> after_;          // and their counts then
};

void check_units(const Occupancy& pilot, std::span<const std::int32_t> unit_state) {
  if (!pilot.is_finite()) throw InvalidArgument("assign_routes: only a finite pilot has routes");
  std::vector<double> positions(pilot.positions().size(), 0.0);
  for (const std::int32_t s : unit_state) {
    base::check_range("assign_routes", "unit_state", s, 0, pilot.mdp().states() - 1);
    positions[s] += 1;
  }
  for (std::size_t s = 0; s < positions.size(); ++s) {
    if (positions[s] == pilot.positions()[s]) continue;
    throw InvalidArgument(fmt::format(
        "assign_routes: {} units begin in state '{}', but the pilot was designed for {}", positions[s],
        base::printable(pilot.mdp().state_name(static_cast<std::int32_t>(s))), pilot.positions()[s]));
  }
}

}  // namespace

RouteAssignment assign_routes(const Objective& objective, const Occupancy& pilot,
                              const ColumnGenerationResult& design, std::span<const std::int32_t> unit_state,
                              const Constraints& constraints) {
  check_units(pilot, unit_state);
  base::check_simplex("assign_routes", "weights", design.weights);
  base::check_size("assign_routes", "weights", design.weights.size(), design.corners.size());
  base::check_size("assign_routes", "objective", objective.size(),
                   static_cast<std::size_t>(pilot.mdp().pairs()));
  for (const Corner& corner : design.corners) mdp::check_time_policy(pilot.mdp(), corner.pair, pilot.steps());
  Exchange exchange(objective, pilot, design, unit_state, constraints);
  RouteAssignment result;
  result.steps = pilot.steps();
  result.states = pilot.mdp().states();
  result.value_before_exchanges = objective.value(exchange.counts);
  result.exchanges = exchange.run();
  result.value = objective.value(exchange.counts);
  result.ratio = design.value > 0 ? result.value / design.value : 1;
  result.violations = exchange.violations();
  result.counts = std::move(exchange.counts);
  result.route_of_unit = std::move(exchange.route_of_unit);
  for (std::size_t j = 0; j < design.corners.size(); ++j) {
    std::vector<std::int32_t> from;
    for (std::size_t u = 0; u < unit_state.size(); ++u) {
      if (result.route_of_unit[u] == static_cast<std::int32_t>(j)) from.push_back(unit_state[u]);
    }
    result.routes.push_back({design.weights[j], static_cast<std::int32_t>(from.size()),
                             reachable_part(pilot.mdp(), design.corners[j].pair, pilot.steps(), from)});
  }
  return result;
}

std::vector<std::int32_t> reachable_part(const Mdp& mdp, std::span<const std::int32_t> pair,
                                         std::int64_t steps, std::span<const std::int32_t> from) {
  mdp::check_time_policy(mdp, pair, steps);
  const auto states = static_cast<std::size_t>(mdp.states());
  std::vector<std::int32_t> result(pair.size(), -1);
  Walk walk(mdp);
  walk(pair, steps, from, [&](std::int64_t step, std::int32_t s, std::int32_t k, double) {
    result[static_cast<std::size_t>(step) * states + static_cast<std::size_t>(s)] = k;
  });
  return result;
}

std::vector<Leg> likely_way(const mdp::Mdp& mdp, const Route& route, std::int32_t state) {
  std::vector<Leg> way;
  const auto states = static_cast<std::size_t>(mdp.states());
  for (std::size_t at = 0; at < route.pair.size(); at += states) {
    const std::int32_t pair = route.pair[at + static_cast<std::size_t>(state)];
    if (pair < 0) break;
    way.push_back({state, mdp.pair_action()[pair]});
    const mdp::Row row = mdp.row(pair);
    const auto most = std::max_element(row.probability.begin(), row.probability.end());
    state = row.next_state[static_cast<std::size_t>(most - row.probability.begin())];
  }
  return way;
}

}  // namespace mindgap::design
