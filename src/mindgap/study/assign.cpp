#include "mindgap/study/assign.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mindgap/base/distributions.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/random.h"
#include "mindgap/design/design.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/study/plan.h"

namespace mindgap::study {
namespace {

// The streams of a study, all of one seed and purpose. `trial` tells them apart.
constexpr std::uint64_t kArms = 0, kDeals = 1, kEntries = std::uint64_t{1} << 40,
                        kLater = std::uint64_t{1} << 41, kRedrawn = std::uint64_t{1} << 42;

base::Stream stream(std::uint64_t seed, std::uint64_t trial, std::uint64_t unit, std::uint64_t step) {
  return base::Stream({seed, base::Purpose::planner, trial, unit, step});
}

template <typename Item>
void shuffle(std::vector<Item>& items, base::Stream words) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1],
              items[static_cast<std::size_t>(base::uniform_index(words, static_cast<std::int64_t>(i)))]);
}

// Where a unit is, or was last seen.
std::int32_t planned_state(const State& state, std::size_t unit) {
  const UnitPlace& place = state.places[unit];
  if (place.state >= 0) return place.state;
  return state.assignments[state.assignments_of_unit[unit].back()].state;
}

bool has_steps_left(const State& state, std::size_t unit) {
  const UnitPlace& place = state.places[unit];
  return place.next_step < state.options.horizon;
}

struct Explorers {
  std::vector<std::int32_t> unit, unit_state;
  std::vector<double> other_positions;
  std::int64_t others = 0, left = 0;  // steps left to whoever has most
};

Explorers explorers_of(const State& state) {
  Explorers found;
  found.other_positions.assign(static_cast<std::size_t>(state.mdp().states()), 0.0);
  for (std::size_t u = 0; u < state.units.size(); ++u) {
    if (!has_steps_left(state, u)) continue;
    found.left = std::max(found.left, state.options.horizon - state.places[u].next_step);
    if (state.units[u].arm == Arm::explore) {
      found.unit.push_back(static_cast<std::int32_t>(u));
      found.unit_state.push_back(planned_state(state, u));
    } else {
      ++found.other_positions[planned_state(state, u)];
      ++found.others;
    }
  }
  return found;
}

// The share of the units with steps left in each state; empty: the model's start counts.
std::vector<double> places_of(const State& state, const Explorers& explorers) {
  std::vector<double> share = explorers.other_positions;
  for (const std::int32_t s : explorers.unit_state) ++share[s];
  const auto all = static_cast<double>(explorers.others) + static_cast<double>(explorers.unit.size());
  if (all == 0 || !state.options.count_from_units) return {};
  for (double& s : share) s /= all;
  return share;
}

// Without routes where nobody explores or no steps are left.
design::Design design_for(const State& state, const Explorers& explorers, const belief::Knowledge& now,
                          int threads) {
  design::DesignOptions options;
  options.units = static_cast<std::int64_t>(explorers.unit.size());
  options.steps = std::min(state.options.steps_of_batch(), explorers.left);
  if (options.units == 0 || options.steps == 0) return {};
  options.unit_state = explorers.unit_state;
  options.others = explorers.others;
  options.other_positions = explorers.other_positions;
  options.start = places_of(state, explorers);
  options.limits = state.options.limits;
  options.run.seed = state.options.seed + state.batches.size();
  options.run.threads = threads;
  // Told how far it is, but not asked whether to stop: a design that is cut short could not be made again.
  options.run.listener.progress = [](const std::string& what, std::int64_t done, std::int64_t total) {
    base::report_progress(what, done, total);
  };
  return design::design_pilot(now, options);
}

// Who goes where: the routes of each state, dealt out to the units that are there. A unit that is still out
// keeps its state's routes in the shares, but is drawn on entry.
void deal(const State& state, const Explorers& explorers, const design::Pilot& pilot, Batch& batch) {
  batch.steps = pilot.steps;
  for (const design::Route& route : pilot.routes) batch.routes.push_back({.pair = route.pair});
  std::map<std::int32_t, std::vector<std::size_t>> by_state;
  for (std::size_t i = 0; i < explorers.unit.size(); ++i) by_state[explorers.unit_state[i]].push_back(i);
  for (const auto& [place, members] : by_state) {
    std::vector<std::int32_t> routes;
    for (const std::size_t i : members) routes.push_back(pilot.route_of_unit[i]);
    std::map<std::int32_t, std::int64_t> count;
    for (const std::int32_t route : routes) ++count[route];
    for (const auto& [route, units] : count) batch.shares.push_back({place, route, units});
    shuffle(routes,
            stream(state.options.seed, kDeals + state.batches.size(), static_cast<std::uint64_t>(place), 0));
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::int32_t unit = explorers.unit[members[i]];
      const bool out = state.places[unit].pending || state.places[unit].state < 0;
      batch.route_of_unit[unit] = out ? Batch::kDrawn : routes[i];
    }
  }
}

// The route of an explorer that enters the latest batch now.
std::int32_t entry_route(const State& state, std::size_t unit) {
  const Batch& batch = state.batches.back();
  const std::int32_t dealt = batch.route_of_unit[unit];
  const UnitPlace& place = state.places[unit];
  // What was dealt is for where the unit was then; a correction may have put it elsewhere since.
  const bool there = dealt != Batch::kDrawn && place.state == place.design_state;
  if (state.units[unit].arm == Arm::control || there) return dealt;
  const std::vector<double> p = batch.route_probabilities(place.state);
  base::Stream words = stream(state.options.seed, kEntries + state.batches.size(), unit,
                              static_cast<std::uint64_t>(place.next_step));
  double left = base::uniform(words);
  std::int32_t last = Batch::kPolicy;
  for (std::size_t r = 0; r < p.size(); ++r) {
    if (p[r] == 0) continue;
    last = static_cast<std::int32_t>(r);
    if (left < p[r]) break;
    left -= p[r];
  }
  return last;
}

// P(action | arm, observed states of this unit in this batch, design, policies in force): of the routes that
// would have given the same actions so far, the share that gives this one now. An arm is drawn once for the
// whole study, and the design is made for the explorers that there are: given the arm this is what was drawn
// from, in every batch. Where a route says nothing it is the policy of that time that counts.
class Probabilities {
 public:
  explicit Probabilities(const State& state) : state_(state), batch_(state.batches.back()) {
    if (state.options.plan.empty()) return;
    for (std::size_t u = 0; u < static_cast<std::size_t>(state.founding()); ++u) {
      auto& [controls, units] = arms_in_[state.units[u].state];
      controls += state.units[u].arm == Arm::control;
      ++units;
    }
  }

  void fill(AssignmentRow& row, const UnitPlace& entered) {
    const double control = chance_of_control(row.unit);
    const std::vector<double>& routes = routes_from(entered.entry_state);
    const std::int32_t chosen = state_.mdp().find_pair(row.state, row.action);
    double agreed = 0, same = 0;
    const auto count = [&](std::int32_t route, double p) {
      if (p == 0 || !agrees(row, entered, route)) return;
      agreed += p;
      if (batch_.pair(route, row.step - entered.entry_step, row.state, state_.policies.back()) == chosen)
        same += p;
    };
    const bool by_policy = row.arm == Arm::control || routes.empty();
    if (by_policy) count(Batch::kPolicy, 1);
    for (std::size_t r = 0; !by_policy && r < routes.size(); ++r)
      count(static_cast<std::int32_t>(r), routes[r]);
    row.probability = std::min(1.0, same / agreed);
    const bool by_route = row.arm == Arm::explore && entered.route >= 0;
    const double drawn = by_route ? routes.at(static_cast<std::size_t>(entered.route)) : 1;
    row.draw_probability = (row.arm == Arm::control ? control : 1 - control) * drawn;
  }

 private:
  // Whether a route would have assigned what was assigned since the unit entered.
  bool agrees(const AssignmentRow& row, const UnitPlace& entered, std::int32_t route) const {
    const auto& steps = state_.assignments_of_unit[row.unit];
    for (std::int32_t t = entered.entry_step; t < row.step; ++t) {
      const AssignmentRow& past = state_.assignments[steps[t]];
      const std::vector<std::int32_t>& policy = state_.policies[state_.policy_of[steps[t]]];
      if (batch_.pair(route, t - entered.entry_step, past.state, policy) != pair_of(state_.mdp(), past))
        return false;
    }
    return true;
  }

  // With a plan the number of controls is fixed in each state.
  double chance_of_control(std::int32_t unit) const {
    if (state_.options.plan.empty() || unit >= state_.founding()) return state_.options.control_share;
    const auto& [controls, units] = arms_in_.at(state_.units[unit].state);
    return static_cast<double>(controls) / static_cast<double>(units);
  }

  const std::vector<double>& routes_from(std::int32_t state) {
    const auto found = by_state_.find(state);
    if (found != by_state_.end()) return found->second;
    return by_state_.emplace(state, batch_.route_probabilities(state)).first->second;
  }

  const State& state_;
  const Batch& batch_;
  std::map<std::int32_t, std::vector<double>> by_state_;
  std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> arms_in_;  // controls and units by state
};

std::vector<std::int32_t> best_policy(const belief::Belief& now, int threads) {
  const mdp::Policy policy = mdp::solve(now.mean(), {.threads = threads}).policy;
  return {policy.pair_of_state().begin(), policy.pair_of_state().end()};
}

StudyPlan plan_of(const StudyOptions& options, const mdp::Mdp& mdp) {
  return parse_plan(options.plan, "the study's plan", mdp);
}

// So many explorers in each state, any of the units that begin there as likely.
std::vector<Arm> fixed_arms(std::span<const std::int32_t> unit_state,
                            std::map<std::int32_t, std::size_t> explorers, std::uint64_t seed,
                            std::uint64_t trial) {
  std::map<std::int32_t, std::vector<std::size_t>> by_state;
  for (std::size_t u = 0; u < unit_state.size(); ++u) by_state[unit_state[u]].push_back(u);
  std::vector<Arm> arms(unit_state.size(), Arm::control);
  for (auto& [place, members] : by_state) {
    shuffle(members, stream(seed, trial, static_cast<std::uint64_t>(place), 0));
    for (std::size_t i = 0; i < std::min(members.size(), explorers[place]); ++i)
      arms[members[i]] = Arm::explore;
  }
  return arms;
}

// The plan's routes, dealt out to the explorers of each state.
void deal_planned(const State& state, const Explorers& explorers, Batch& batch) {
  const StudyPlan plan = plan_of(state.options, state.mdp());
  if (plan.pilot.routes.empty()) return;
  std::map<std::int32_t, std::vector<std::int32_t>> routes_from;
  for (std::size_t i = 0; i < plan.members.size(); ++i)
    routes_from[plan.members[i].state].push_back(plan.pilot.route_of_unit[i]);
  std::map<std::int32_t, std::size_t> taken;
  design::Pilot pilot = plan.pilot;
  pilot.route_of_unit.clear();
  for (const std::int32_t s : explorers.unit_state)
    pilot.route_of_unit.push_back(routes_from.at(s).at(taken[s]++));
  deal(state, explorers, pilot, batch);
  batch.before = plan.before;
  batch.after = plan.after;
  batch.relative_gap = plan.relative_gap;
  batch.expected_loss = plan.expected_loss;
}

}  // namespace

std::vector<Arm> draw_arms(std::span<const std::int32_t> unit_state, const StudyOptions& options,
                           const mdp::Mdp& mdp) {
  if (options.plan.empty()) return draw_arms(unit_state, options.control_share, options.seed);
  std::map<std::int32_t, std::size_t> explorers;
  for (const StudyPlan::Member& member : plan_of(options, mdp).members) ++explorers[member.state];
  return fixed_arms(unit_state, std::move(explorers), options.seed, kArms);
}

std::vector<Arm> draw_later_arms(std::span<const std::int32_t> unit_state, const StudyOptions& options,
                                 std::size_t present) {
  return draw_arms(unit_state, options.control_share, options.seed, kLater + present);
}

std::vector<Arm> redrawn_arms(const State& state, std::int64_t number) {
  const std::uint64_t trial = kRedrawn + static_cast<std::uint64_t>(number);
  std::vector<std::int32_t> unit_state;
  std::map<std::int32_t, std::size_t> explorers;
  for (std::size_t u = 0; u < static_cast<std::size_t>(state.founding()); ++u) {
    unit_state.push_back(state.units[u].state);
    explorers[unit_state.back()] += state.units[u].arm == Arm::explore ? 1 : 0;
  }
  if (!state.options.plan.empty())
    return fixed_arms(unit_state, std::move(explorers), state.options.seed, trial);
  return draw_arms(unit_state, state.options.control_share, state.options.seed, trial);
}

std::vector<Arm> draw_arms(std::span<const std::int32_t> unit_state, double share, std::uint64_t seed,
                           std::uint64_t trial) {
  std::map<std::int32_t, std::vector<std::size_t>> by_state;
  for (std::size_t u = 0; u < unit_state.size(); ++u) by_state[unit_state[u]].push_back(u);
  base::Stream start = stream(seed, trial, 0, 1);
  double position = base::uniform(start);
  std::vector<Arm> arms(unit_state.size(), Arm::explore);
  for (auto& [place, members] : by_state) {
    shuffle(members, stream(seed, trial, static_cast<std::uint64_t>(place), 0));
    for (const std::size_t u : members) {
      position += share;
      if (position < 1) continue;
      position -= 1;
      arms[u] = Arm::control;
    }
  }
  return arms;
}

NextPilot next_pilot(const State& state, const belief::Knowledge& now, int threads) {
  const Explorers explorers = explorers_of(state);
  NextPilot next{explorers.unit_state, explorers.left, design_for(state, explorers, now, threads)};
  for (std::size_t u = 0; u < state.units.size(); ++u) {
    if (state.units[u].arm == Arm::control && has_steps_left(state, u))
      next.unit_state.push_back(planned_state(state, u));
  }
  return next;
}

Batch make_batch(const State& state, bool explore, int threads) {
  const Explorers explorers = explorers_of(state);
  const belief::Knowledge knowledge = knowledge_now(state);
  Batch batch;
  batch.policy = best_policy(knowledge.now, threads);
  batch.route_of_unit.assign(state.units.size(), Batch::kPolicy);
  batch.states = state.mdp().states();
  batch.steps = std::min(state.options.steps_of_batch(), explorers.left);
  if (state.batches.empty() && !state.options.plan.empty()) {
    deal_planned(state, explorers, batch);
    return batch;
  }
  if (!explore) return batch;
  const design::Design design = design_for(state, explorers, knowledge, threads);
  if (design.routes.empty()) return batch;
  deal(state, explorers, design, batch);
  batch.before = design.before;
  batch.after = design.after_rounding;
  batch.relative_gap = design.relative_gap;
  batch.expected_loss = design.expected_loss;
  return batch;
}

bool update_is_due(const State& state, std::optional<std::int64_t> step) {
  const std::int64_t every = state.options.update_every;
  if (every == 0) return false;
  std::int64_t furthest = 0, active = 0;
  for (std::size_t u = 0; u < state.units.size(); ++u)
    if (has_steps_left(state, u)) furthest = std::max<std::int64_t>(furthest, state.places[u].next_step);
  bool ready = false;
  for (std::size_t u = 0; u < state.units.size(); ++u) {
    const UnitPlace& place = state.places[u];
    if (!has_steps_left(state, u)) continue;
    active += place.next_step + every > furthest;
    ready = ready || (!place.pending && place.state >= 0 && (!step || *step == place.next_step));
  }
  return ready &&
         static_cast<std::int64_t>(state.observations.size()) - state.policy_results >= every * active;
}

std::vector<std::int32_t> best_policy(const State& state, int threads) {
  return best_policy(knowledge_now(state).now, threads);
}

std::vector<AssignmentRow> next_assignments(const State& state, std::optional<std::int64_t> step) {
  std::vector<AssignmentRow> rows;
  const auto latest = static_cast<std::int32_t>(state.batches.size()) - 1;
  const Batch& batch = state.batches.back();
  Probabilities probabilities(state);
  for (std::size_t u = 0; u < state.units.size(); ++u) {
    const UnitPlace& place = state.places[u];
    if (place.pending || place.state < 0 || !has_steps_left(state, u)) continue;
    if (step && *step != place.next_step) continue;
    UnitPlace entered = place;
    if (place.batch != latest) {
      entered.batch = latest;
      entered.entry_step = place.next_step;
      entered.entry_state = place.state;
      entered.route = entry_route(state, u);
    }
    AssignmentRow row;
    row.unit = static_cast<std::int32_t>(u);
    row.step = place.next_step;
    row.state = place.state;
    row.batch = latest;
    row.arm = state.units[u].arm;
    row.route = entered.route;
    const std::int32_t pair =
        batch.pair(entered.route, row.step - entered.entry_step, row.state, state.policies.back());
    row.action = state.mdp().pair_action()[pair];
    probabilities.fill(row, entered);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace mindgap::study
