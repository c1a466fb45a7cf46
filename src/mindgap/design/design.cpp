#include "mindgap/design/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/design/coordinate_descent.h"
#include "mindgap/design/forbidden.h"
#include "mindgap/design/interior_point.h"
#include "mindgap/design/mirror_descent.h"
#include "mindgap/design/route_search.h"
#include "mindgap/mdp/pair_name.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/mdp/units.h"

namespace mindgap::design {
namespace {

using belief::Belief;
using belief::Knowledge;
using mdp::Mdp;

std::vector<std::int32_t> listed(const std::vector<std::uint8_t>& flags) {
  std::vector<std::int32_t> places;
  for (std::size_t k = 0; k < flags.size(); ++k) {
    if (flags[k] != 0) places.push_back(static_cast<std::int32_t>(k));
  }
  return places;
}

TargetWeights target_weights_for(const Belief& belief, const DesignOptions& options,
                                 std::optional<mdp::Policy> explorer) {
  TargetOptions target;
  target.policy = std::move(explorer);
  target.start = options.start;
  target.weights.probes = options.probes;
  target.weights.run = {options.run.seed, options.run.threads, {}};
  target.uniform_transition = options.block == Block::transitions ? 1 : 0;
  target.run = options.run;
  return target_weights(belief, options.target, target);
}

class Designer {
 public:
  Designer(const Knowledge& knowledge, const DesignOptions& options)
      : belief_(knowledge.now), mdp_(knowledge.now.mean()), options_(options) {
    if (knowledge.variance.empty()) belief::ask_for_variance("a design");
    options.validate(mdp_);
  }

  Design run() {
    const auto started = std::chrono::steady_clock::now();
    place_units();
    current_ = mdp::solve(mdp_, {.threads = options_.run.threads}).policy;
    pilot_ = options_.finite
                 ? finite_occupancies_without(mdp_, positions_, options_.steps,
                                              listed(options_.limits.forbidden), options_.run.threads)
                 : discounted_occupancies_without(mdp_, positions_,
                                                  static_cast<double>(options_.units * options_.steps),
                                                  listed(options_.limits.forbidden), options_.run.threads);
    give_credit();
    constrain();
    minimise();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
    hand_out(std::max(0.0, options_.time_limit - spent.count()));
    summarise();
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return std::move(result_);
  }

  Design judge(const Pilot& given) {
    place_units();
    base::check_size("judge_pilot", "units", given.route_of_unit.size(), result_.unit_state.size());
    base::check_range("judge_pilot", "states", given.states, mdp_.states(), mdp_.states());
    base::check_range("judge_pilot", "steps", static_cast<double>(given.steps),
                      static_cast<double>(options_.steps), static_cast<double>(options_.steps));
    current_ = mdp::solve(mdp_, {.threads = options_.run.threads}).policy;
    pilot_ = finite_occupancies(mdp_, positions_, options_.steps, options_.run.threads);
    give_credit();
    constrain();
    result_.target = weights_for({});
    objective_.emplace(result_.target.weights, gap::precision_of(belief_), options_.block, credit_);
    static_cast<Pilot&>(result_) = given;
    follow(given);
    result_.after = result_.after_rounding = optimum_.value = objective_->value(result_.counts);
    summarise();
    return std::move(result_);
  }

 private:
  void progress(const char* what, std::int64_t done, std::int64_t total) const {
    options_.run.listener.tell(what, done, total);
  }

  void place_units() {
    result_.unit_state =
        options_.unit_state.empty() ? mdp::spread_units(mdp_.start(), options_.units) : options_.unit_state;
    positions_.assign(static_cast<std::size_t>(mdp_.states()), 0.0);
    for (const std::int32_t s : result_.unit_state) ++positions_[s];
  }

  std::vector<double> other_positions() const {
    std::vector<double> others = options_.other_positions;
    if (others.empty()) {
      for (const double p : mdp_.start()) others.push_back(p * static_cast<double>(options_.others));
    }
    return others;
  }

  void give_credit() {
    if (options_.others == 0 || !options_.use_credit) return;
    credit_ = credit(belief_, other_positions(), options_.steps, options_.run.threads);
  }

  void constrain() {
    for (const auto& [group, share] : options_.limits.minimum_shares) {
      constraints_.linear.push_back(minimum_share(*pilot_, group, share));
    }
    for (const auto& [group, share] : options_.limits.maximum_shares) {
      constraints_.linear.push_back(maximum_share(*pilot_, group, share));
    }
    if (options_.limits.cost_budget) {
      constraints_.linear.push_back(cost_budget(*pilot_, options_.limits.cost, *options_.limits.cost_budget));
    }
    if (options_.limits.max_loss) {
      constraints_.linear.push_back(loss_limit(*pilot_, *current_, *options_.limits.max_loss));
    }
    if (options_.limits.keep_rates) {
      const std::vector<double> others =
          options_.others == 0 ? std::vector<double>{}
                               : expected_observations(mdp_, *current_, other_positions(), options_.steps);
      for (LinearConstraint& row : kept_rates(*pilot_, *current_, others, *options_.limits.keep_rates))
        constraints_.linear.push_back(std::move(row));
    }
    for (std::size_t s = 0; s < options_.limits.capacity.size(); ++s) {
      if (std::isfinite(options_.limits.capacity[s])) {
        constraints_.capacity.push_back({static_cast<std::int32_t>(s), options_.limits.capacity[s]});
      }
    }
  }

  TargetWeights weights_for(std::optional<mdp::Policy> explorer) const {
    return options_.weights ? *options_.weights : target_weights_for(belief_, options_, std::move(explorer));
  }

  void minimise_once() {
    const gap::Precision precision = gap::precision_of(belief_);
    objective_.emplace(result_.target.weights, precision, options_.block, credit_);
    if (method() != Minimiser::columns) return minimise_without_columns();
    ColumnGenerationOptions columns;
    columns.relative_gap = options_.relative_gap;
    columns.time_limit = options_.time_limit;
    columns.initial = std::move(optimum_.corners);
    columns.on_iteration = [&](double, double) { progress("minimising", ++iteration_, 0); };
    optimum_ = minimise_by_columns(*objective_, *pilot_, constraints_, columns);
  }

  Minimiser method() const {
    if (options_.method != Minimiser::automatic) return options_.method;
    constexpr std::int32_t kColumnStates = 5000;
    const bool large = !options_.finite && constraints_.empty() && mdp_.states() > kColumnStates;
    return large ? Minimiser::mirror_descent : Minimiser::columns;
  }

  // The listing has no certificate of its own; where it stopped is judged like any other policy.
  Minimum certified_coordinate_descent() const {
    CoordinateDescentOptions coordinate;
    coordinate.run.seed = options_.run.seed;
    coordinate.block = options_.block;
    coordinate.credit = credit_;
    CoordinateDescent found =
        coordinate_descent(result_.target.weights, gap::precision_of(belief_), *pilot_, coordinate);
    Certificate certificate(*objective_, *pilot_, options_.run.threads);
    certificate.raise(found.counts, 1e-6 * found.value);
    Minimum minimum;
    minimum.status = MinimumStatus::iteration_limit;
    minimum.value = found.value;
    minimum.gap = certificate.gap(found.value);
    minimum.relative_gap = certificate.relative_gap(found.value);
    minimum.iterations = coordinate.iterations;
    minimum.seconds = found.seconds;
    minimum.counts = std::move(found.counts);
    minimum.pi = std::move(found.pi);
    return minimum;
  }

  void minimise_without_columns() {
    if (options_.finite || !constraints_.empty()) {
      throw InvalidArgument("design: routes and constraints need the method columns");
    }
    const auto on_iteration = [&](double, double) { progress("minimising", ++iteration_, 0); };
    Minimum minimum;
    if (method() == Minimiser::mirror_descent) {
      MirrorDescentOptions mirror;
      mirror.relative_gap = options_.relative_gap;
      mirror.time_limit = options_.time_limit;
      mirror.threads = options_.run.threads;
      mirror.on_iteration = on_iteration;
      minimum = mirror_descent(*objective_, *pilot_, mirror);
    } else if (method() == Minimiser::interior_point) {
      InteriorPointOptions interior;
      interior.relative_gap = options_.relative_gap;
      minimum = interior_point(*objective_, *pilot_, interior);
    } else {
      minimum = certified_coordinate_descent();
    }
    optimum_ = {};
    optimum_.status = minimum.status;
    optimum_.counts = std::move(minimum.counts);
    optimum_.value = minimum.value;
    optimum_.gap = minimum.gap;
    optimum_.relative_gap = minimum.relative_gap;
    optimum_.iterations = minimum.iterations;
    optimum_.seconds = minimum.seconds;
    result_.policy = std::move(minimum.pi);
  }

  // The explorer's own value as the target (the paper's listing): its weights move with it, so the two are
  // found in turn until the variance settles.
  void minimise() {
    constexpr int kRounds = 10;
    const bool moving = options_.target.kind == TargetKind::explorer;
    result_.target = weights_for({});
    minimise_once();
    for (int round = 1; moving && round < kRounds; ++round) {
      const double last = optimum_.value;
      result_.target = weights_for(explorer());
      minimise_once();
      if (std::abs(optimum_.value - last) <= 1e-3 * last) break;
    }
  }

  // The stationary policy that takes actions as often as the design does in each state; even where it never
  // is.
  mdp::Policy explorer() const {
    std::vector<double> pi = mdp::Policy::uniform(mdp_).probability_of_pair(mdp_);
    for (std::int32_t s = 0; s < mdp_.states(); ++s) {
      const auto pairs = mdp_.pairs_of(s);
      const auto counts = base::part_of(std::span(optimum_.counts), pairs);
      const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
      if (!(sum > 0)) continue;
      for (const std::int32_t k : pairs) pi[k] = optimum_.counts[k] / sum;
    }
    return mdp::Policy::stochastic(mdp_, std::move(pi));
  }

  // Policies in use, heaviest first, with the units that follow them.
  void hand_out(double seconds_left) {
    result_.counts = optimum_.counts;
    result_.after = result_.after_rounding = optimum_.value;
    result_.steps = options_.finite ? options_.steps : 1;
    result_.states = mdp_.states();
    std::vector<Route> routes;
    std::vector<std::int32_t> route_of_unit;
    if (options_.finite) {
      progress("improving routes", 0, 1);
      RouteAssignment assigned =
          best_routes(*objective_, *pilot_, optimum_, result_.unit_state, constraints_,
                      options_.limits.forbidden, {.time_limit = seconds_left}, &result_.routes_searched);
      result_.counts = std::move(assigned.counts);
      result_.after_rounding = assigned.value;
      result_.violations = std::move(assigned.violations);
      check_kept();
      routes = std::move(assigned.routes);
      route_of_unit = std::move(assigned.route_of_unit);
    } else {
      for (std::size_t i = 0; i < optimum_.corners.size(); ++i) {
        routes.push_back({optimum_.weights[i], 0, optimum_.corners[i].pair});
      }
    }
    std::vector<std::int32_t> order(routes.size()), place(routes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
      return std::pair(routes[a].units, routes[a].weight) > std::pair(routes[b].units, routes[b].weight);
    });
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = static_cast<std::int32_t>(i);
      result_.routes.push_back(std::move(routes[order[i]]));
    }
    for (const std::int32_t route : route_of_unit) result_.route_of_unit.push_back(place[route]);
  }

  // What the units of a pilot that is there already observe, and where that breaks a limit.
  void follow(const Pilot& given) {
    const auto policy = current_->pair_of_state();
    result_.counts.assign(static_cast<std::size_t>(mdp_.pairs()), 0.0);
    std::vector<double> crowd(constraints_.capacity.size(), 0.0);  // the most there is at one step
    std::vector<std::vector<double>> now(given.routes.size() + 1,
                                         std::vector<double>(static_cast<std::size_t>(mdp_.states()), 0.0));
    for (std::size_t u = 0; u < given.route_of_unit.size(); ++u) {
      const std::int32_t group = given.route_of_unit[u] + 1;  // 0: those without a route
      now[static_cast<std::size_t>(group)][result_.unit_state[u]] += 1;
    }
    for (std::int64_t step = 0; step < given.steps; ++step) {
      for (std::size_t c = 0; c < crowd.size(); ++c) {
        double there = 0;
        for (const std::vector<double>& units : now) there += units[constraints_.capacity[c].state];
        crowd[c] = std::max(crowd[c], there);
      }
      for (std::size_t r = 0; r < now.size(); ++r) {
        std::vector<double> next(now[r].size(), 0.0);
        for (std::int32_t s = 0; s < mdp_.states(); ++s) {
          if (now[r][s] == 0) continue;
          const std::int32_t sent = given.pair_on(static_cast<std::int32_t>(r) - 1, step, s);
          const std::int32_t k = sent >= 0 ? sent : policy[s];
          if (!options_.limits.forbidden.empty() && options_.limits.forbidden[k] != 0) {
            throw InvalidArgument(
                fmt::format("the given pilot uses {}, which is forbidden", mdp::pair_name(mdp_, k)));
          }
          result_.counts[k] += now[r][s];
          for (const std::int64_t i : mdp_.entries_of(k))
            next[mdp_.next_state()[i]] += now[r][s] * mdp_.probability()[i];
        }
        now[r] = std::move(next);
      }
    }
    for (const LinearConstraint& row : constraints_.linear)
      result_.violations.push_back(std::max(0.0, row.left(result_.counts) - row.bound));
    for (std::size_t c = 0; c < crowd.size(); ++c)
      result_.violations.push_back(std::max(0.0, crowd[c] - constraints_.capacity[c].units));
    check_kept();
  }

  void check_kept() {
    result_.constraints_kept =
        std::all_of(result_.violations.begin(), result_.violations.end(), [](double v) { return v <= 1e-6; });
  }

  void summarise() {
    const bool good = optimum_.relative_gap <= options_.relative_gap || optimum_.value == 0;
    result_.status = good ? MinimumStatus::converged : optimum_.status;
    result_.gap = optimum_.gap;
    result_.relative_gap = optimum_.relative_gap;
    result_.iterations = optimum_.iterations;
    const Objective plain(result_.target.weights, gap::precision_of(belief_), options_.block);
    const std::vector<double> none(static_cast<std::size_t>(mdp_.pairs()), 0.0);
    result_.before = plain.value(none);
    result_.with_credit = objective_->value(none);
    result_.contributions_before = plain.contributions(none);
    result_.contributions_after = objective_->contributions(result_.counts);
    const double budget = pilot_->budget();
    result_.share_by_group.assign(static_cast<std::size_t>(mdp_.labels().groups.size()), 0.0);
    for (std::int32_t s = 0; s < mdp_.states() && !mdp_.labels().group_of_state.empty(); ++s) {
      const std::int32_t group = mdp_.labels().group_of_state[s];
      if (group < 0) continue;
      for (const std::int32_t k : mdp_.pairs_of(s))
        result_.share_by_group[group] += result_.counts[k] / budget;
    }
    const LinearConstraint loss = loss_limit(*pilot_, *current_, 0);
    result_.expected_loss = loss.left(result_.counts);
    if (std::abs(result_.expected_loss) < 1e-12 * budget * mdp_.reward_magnitude()) result_.expected_loss = 0;
  }

  const Belief& belief_;
  const Mdp mdp_;  // the belief's mean
  const DesignOptions& options_;
  std::vector<double> positions_, credit_;
  std::optional<mdp::Policy> current_;
  std::unique_ptr<Occupancy> pilot_;
  Constraints constraints_;
  std::optional<Objective> objective_;
  ColumnGenerationResult optimum_;
  std::int64_t iteration_ = 0;
  Design result_;
};

}  // namespace

void Limits::validate(const Mdp& mdp) const {
  const char* function = "design";
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  if (!forbidden.empty()) base::check_size(function, "forbidden", forbidden.size(), pairs);
  if (!capacity.empty())
    base::check_size(function, "capacity", capacity.size(), static_cast<std::size_t>(mdp.states()));
  if (cost_budget.has_value() != !cost.empty())
    throw InvalidArgument("design: costs and a cost budget need each other");
  if (!cost.empty()) base::check_size(function, "cost", cost.size(), pairs);
  if (keep_rates) base::check_probability(function, "keep_rates", *keep_rates);
}

void DesignOptions::validate(const Mdp& mdp) const {
  const char* function = "design";
  const auto all_states = static_cast<std::size_t>(mdp.states());
  base::check_range(function, "units", static_cast<double>(units), 1, 1e6);
  base::check_range(function, "steps", static_cast<double>(steps), 1, 1e6);
  base::check_range(function, "others", static_cast<double>(others), 0, 1e12);
  if (!unit_state.empty())
    base::check_size(function, "positions", unit_state.size(), static_cast<std::size_t>(units));
  for (const std::int32_t s : unit_state) base::check_range(function, "position", s, 0, mdp.states() - 1);
  if (!other_positions.empty())
    base::check_size(function, "other positions", other_positions.size(), all_states);
  if (!start.empty()) base::check_size(function, "start", start.size(), all_states);
  limits.validate(mdp);
  if (!limits.capacity.empty() && !finite)
    throw InvalidArgument("design: capacities per step need a finite pilot");
  base::check_range(function, "relative_gap", relative_gap, 1e-9, 1);
  if (!(time_limit >= 0)) base::check_nonnegative(function, "time_limit", time_limit);
}

TargetWeights weights_of_target(const Knowledge& knowledge, const DesignOptions& options) {
  if (knowledge.variance.empty()) belief::ask_for_variance("a design");
  return target_weights_for(knowledge.now, options, {});
}

Design design_pilot(const Knowledge& knowledge, const DesignOptions& options) {
  return Designer(knowledge, options).run();
}

Design judge_pilot(const Knowledge& knowledge, const DesignOptions& options, const Pilot& pilot) {
  return Designer(knowledge, options).judge(pilot);
}

}  // namespace mindgap::design
