#include "mindgap/design/navigation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/parallel.h"
#include "mindgap/design/walk.h"

namespace mindgap::design {
namespace {

using mdp::Mdp;

bool is_allowed(std::span<const std::uint8_t> allowed, std::int32_t k) {
  return allowed.empty() || allowed[k] != 0;
}

void check_allowed(const char* function, const Mdp& mdp, std::span<const std::uint8_t> allowed) {
  if (allowed.empty()) return;
  base::check_size(function, "allowed", allowed.size(), static_cast<std::size_t>(mdp.pairs()));
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const auto row = base::part_of(allowed, mdp.pairs_of(s));
    if (std::all_of(row.begin(), row.end(), [](std::uint8_t may) { return may == 0; })) {
      throw InvalidArgument(
          fmt::format("{}: no pair of state '{}' is allowed, but one must be", function, mdp.state_name(s)));
    }
  }
}

// One state's step backward: the shortest way on, the worthiest of equals.
struct Backward {
  const Mdp& mdp;
  std::span<const double> worth;
  std::span<const std::uint8_t> allowed;
  double tie;  // steps; differences up to this are rounding

  struct Choice {
    std::int32_t pair = -1;
    double steps = std::numeric_limits<double>::infinity(), seen = 0;
  };

  Choice take(std::int32_t k, std::span<const double> steps, std::span<const double> seen) const {
    Choice choice{k, 1, worth.empty() ? 0 : worth[k]};
    for (const std::int64_t i : mdp.entries_of(k)) {
      choice.steps += mdp.probability()[i] * steps[mdp.next_state()[i]];
      choice.seen += mdp.probability()[i] * seen[mdp.next_state()[i]];
    }
    return choice;
  }
  Choice best(std::int32_t s, std::span<const double> steps, std::span<const double> seen) const {
    Choice best;
    for (const std::int32_t k : mdp.pairs_of(s)) {
      if (!is_allowed(allowed, k)) continue;
      const Choice choice = take(k, steps, seen);
      const bool shorter = choice.steps < best.steps - tie;
      if (shorter || (choice.steps <= best.steps + tie && choice.seen > best.seen)) best = choice;
    }
    return best;
  }
};

// The units one by one, each with the distribution it begins with.
std::vector<std::vector<double>> unit_starts(const NavigationProblem& problem) {
  const auto& positions = problem.positions;
  const double total = std::accumulate(positions.begin(), positions.end(), 0.0);
  const bool whole =
      std::all_of(positions.begin(), positions.end(), [](double x) { return x == std::floor(x); });
  std::vector<std::vector<double>> starts;
  if (!whole) {
    std::vector<double> share = positions;
    for (double& x : share) x /= total;
    starts.assign(static_cast<std::size_t>(std::llround(total)), share);
    return starts;
  }
  for (std::size_t s = 0; s < positions.size(); ++s) {
    std::vector<double> here(positions.size());
    here[s] = 1;
    starts.insert(starts.end(), static_cast<std::size_t>(positions[s]), here);
  }
  return starts;
}

// The best-ranked pairs whose state the unit can be in before the last step ends.
std::vector<std::int32_t> candidates_of(const NavigationProblem& problem, std::span<const double> start,
                                        std::span<const double> contribution, std::int32_t count) {
  const std::vector<std::uint8_t> near =
      states_within(problem.mdp, start, problem.steps - 1, problem.allowed);
  std::vector<std::int32_t> pairs;
  for (std::int32_t s = 0; s < problem.mdp.states(); ++s) {
    if (near[s] == 0) continue;
    for (const std::int32_t k : problem.mdp.pairs_of(s)) {
      if (contribution[k] > 0 && is_allowed(problem.allowed, k)) pairs.push_back(k);
    }
  }
  const auto best = std::min<std::ptrdiff_t>(count, std::ssize(pairs));
  std::partial_sort(pairs.begin(), pairs.begin() + best, pairs.end(), [&](std::int32_t a, std::int32_t b) {
    return contribution[a] != contribution[b] ? contribution[a] > contribution[b] : a < b;
  });
  pairs.resize(static_cast<std::size_t>(best));
  return pairs;
}

std::int32_t first_allowed(const NavigationProblem& problem, std::span<const double> start) {
  std::int32_t s = 0;
  while (start[s] == 0) ++s;
  std::int32_t k = problem.mdp.pair_begin()[s];
  while (!is_allowed(problem.allowed, k)) ++k;
  return k;
}

// Tries every candidate with what is known so far; the lowest criterion afterwards wins.
UnitWay choose(const NavigationProblem& problem, const Objective& objective, std::span<const double> counts,
               std::span<const double> start, const NavigationOptions& options,
               const base::Threads& threads) {
  std::vector<double> worth(counts.size());
  objective.derivatives(counts, worth);
  for (double& slope : worth) slope = -slope;
  auto goals = candidates_of(problem, start, objective.reducible(counts), options.candidates);
  if (goals.empty()) goals.push_back(first_allowed(problem, start));
  std::vector<double> after(goals.size());
  const auto follow = [&](std::int32_t goal) {
    UnitWay unit;
    unit.way = shortest_way(problem.mdp, goal, problem.steps, worth, problem.allowed);
    unit.counts = walk_counts(problem.mdp, unit.way.pair, problem.steps, start);
    return unit;
  };
  threads.for_each_chunk(std::ssize(goals), [&](std::int64_t i) {
    std::vector<double> sum = follow(goals[i]).counts;
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += counts[k];
    after[i] = objective.value(sum);
  });
  UnitWay unit = follow(goals[std::min_element(after.begin(), after.end()) - after.begin()]);
  const std::vector<std::int32_t> there{problem.mdp.state_of_pair(unit.way.goal)};
  unit.start.assign(start.begin(), start.end());
  unit.arrival = entering(problem.mdp, unit.way.pair, problem.steps, start, there);
  return unit;
}

}  // namespace

void NavigationProblem::validate() const {
  const char* function = "NavigationProblem";
  base::check_size(function, "positions", positions.size(), static_cast<std::size_t>(mdp.states()));
  base::check_nonnegative(function, "positions", positions);
  base::check_range(function, "steps", static_cast<double>(steps), 1, 1e9);
  base::check_size(function, "reward weights", weights.reward.size(), static_cast<std::size_t>(mdp.pairs()));
  check_allowed(function, mdp, allowed);
  const double units = std::accumulate(positions.begin(), positions.end(), 0.0);
  base::check_range(function, "number of units", units, 1 - 1e-9, 1e9);
  if (std::abs(units - std::round(units)) > 1e-9 * units) {
    throw InvalidArgument(
        fmt::format("{}: the positions sum to {} units, but must to a whole number", function, units));
  }
}

Way shortest_way(const Mdp& mdp, std::int32_t goal, std::int64_t steps, std::span<const double> worth,
                 std::span<const std::uint8_t> allowed) {
  const char* function = "shortest_way";
  base::check_range(function, "goal", goal, 0, mdp.pairs() - 1);
  base::check_range(function, "steps", static_cast<double>(steps), 1, 1e9);
  if (!worth.empty())
    base::check_size(function, "worth", worth.size(), static_cast<std::size_t>(mdp.pairs()));
  base::check_finite(function, "worth", worth);
  check_allowed(function, mdp, allowed);
  if (!is_allowed(allowed, goal)) {
    throw InvalidArgument(fmt::format("{}: goal {} is not an allowed pair", function, goal));
  }
  const std::int32_t there = mdp.state_of_pair(goal);
  const auto states = static_cast<std::size_t>(mdp.states());
  const Backward backward{mdp, worth, allowed, 1e-12 * static_cast<double>(steps)};
  Way way;
  way.goal = goal;
  way.pair.resize(static_cast<std::size_t>(steps) * states);
  std::vector<double> togo(states), seen(states), togo_next(states), seen_next(states);
  for (std::int64_t step = steps - 1; step >= 0; --step) {
    std::swap(togo, togo_next);
    std::swap(seen, seen_next);
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      auto choice =
          s == there ? backward.take(goal, togo_next, seen_next) : backward.best(s, togo_next, seen_next);
      if (s == there) choice.steps = 0;
      way.pair[static_cast<std::size_t>(step) * states + static_cast<std::size_t>(s)] = choice.pair;
      togo[s] = choice.steps;
      seen[s] = choice.seen;
    }
  }
  way.steps_to_go = std::move(togo);
  return way;
}

Navigation navigate(const NavigationProblem& problem, const NavigationOptions& options) {
  problem.validate();
  base::check_range("navigate", "candidates", options.candidates, 1, 1e9);
  const base::Threads threads(options.threads);
  const Objective objective(problem.weights, problem.prior, problem.block, problem.credit);
  Navigation result;
  result.counts.resize(objective.size());
  result.pvv_before = objective.value(result.counts);
  for (const auto& start : unit_starts(problem)) {
    UnitWay unit = choose(problem, objective, result.counts, start, options, threads);
    for (std::size_t k = 0; k < result.counts.size(); ++k) result.counts[k] += unit.counts[k];
    result.units.push_back(std::move(unit));
  }
  result.pvv_after = objective.value(result.counts);
  return result;
}

}  // namespace mindgap::design
