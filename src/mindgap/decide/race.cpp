#include "mindgap/decide/race.h"

#include <algorithm>
#include <cmath>

#include "mindgap/decide/compare_plans.h"
#include "mindgap/stats/moments.h"

namespace mindgap::decide {
namespace {

constexpr double kLevel = .99;  // of being behind for certain

// Who gives a pilot wants to see it: it races with nobody, as sop and asop.
Exploration group_of(const Plan& plan) {
  return plan.given ? Exploration::none : plan.exploration;
}

std::vector<std::size_t> of(Exploration exploration, std::span<const PreparedPlan> all,
                            std::span<const std::size_t> plans) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (group_of(all[plans[i]].plan) == exploration) columns.push_back(i);
  }
  return columns;
}

std::vector<double> means_of(const Outcomes& outcomes, Objective objective) {
  std::vector<double> mean;
  for (std::size_t i = 0; i < outcomes.plans; ++i) mean.push_back(stats::mean(outcomes.values(i, objective)));
  return mean;
}

// Who is left after a round, as race() says.
std::vector<std::size_t> left_after(const Simulation& simulation, const Round& round, Objective objective,
                                    double indifference, bool last) {
  const std::span<const PreparedPlan> all = simulation.plans();
  std::size_t undirected = kKeptOfEach, designed = kKeptOfEach;
  if (!last) {
    undirected = round.plans.size();
    designed = std::max(designed, (of(Exploration::designed, all, round.plans).size() + 1) / 2);
  }
  std::vector<std::size_t> left =
      thinned(all, round.plans, means_of(round.outcomes, objective), undirected, designed);
  const std::vector<std::size_t> in = contenders(all, round.plans, round.outcomes, objective, indifference);
  std::erase_if(left, [&](std::size_t place) { return std::find(in.begin(), in.end(), place) == in.end(); });
  return left;
}

bool has_to_drop(std::span<const PreparedPlan> all, std::span<const std::size_t> plans) {
  return of(Exploration::undirected, all, plans).size() > kKeptOfEach ||
         of(Exploration::designed, all, plans).size() > kKeptOfEach;
}

}  // namespace

std::vector<std::size_t> thinned(std::span<const PreparedPlan> all, std::span<const std::size_t> plans,
                                 std::span<const double> mean, std::size_t undirected, std::size_t designed) {
  std::vector<std::size_t> left;
  for (const std::size_t i : of(Exploration::none, all, plans)) left.push_back(plans[i]);
  for (const Exploration exploration : {Exploration::undirected, Exploration::designed}) {
    const std::size_t most = exploration == Exploration::undirected ? undirected : designed;
    std::vector<std::size_t> group = of(exploration, all, plans);
    std::stable_sort(group.begin(), group.end(), [&](auto a, auto b) { return mean[a] > mean[b]; });
    const auto pilot =
        std::find_if(group.begin(), group.end(), [&](auto i) { return all[plans[i]].plan.is_pilot(); });
    std::vector<std::size_t> best(group.begin(),
                                  group.begin() + static_cast<std::ptrdiff_t>(std::min(most, group.size())));
    if (pilot != group.end() && pilot - group.begin() >= static_cast<std::ptrdiff_t>(best.size())) {
      if (best.size() > 1) best.pop_back();
      best.push_back(*pilot);
    }
    for (const std::size_t i : best) left.push_back(plans[i]);
  }
  std::sort(left.begin(), left.end());
  return left;
}

std::vector<std::size_t> contenders(std::span<const PreparedPlan> all, std::span<const std::size_t> plans,
                                    const Outcomes& outcomes, Objective objective, double indifference) {
  constexpr std::int64_t kEnough = 128;  // worlds, to compare plans that explore in different ways
  const std::vector<double> mean = means_of(outcomes, objective);
  const auto best_of = [&](std::span<const std::size_t> columns) {
    return *std::max_element(columns.begin(), columns.end(),
                             [&](auto a, auto b) { return mean[a] < mean[b]; });
  };
  const auto is_behind = [&](std::size_t one, std::size_t other, double margin) {
    return surely_behind(outcomes.values(one, objective), outcomes.values(other, objective), kLevel, margin);
  };
  std::vector<std::size_t> experiments, pilots;
  std::vector<bool> out(plans.size());
  for (const Exploration exploration : {Exploration::undirected, Exploration::designed}) {
    const std::vector<std::size_t> group = of(exploration, all, plans);
    for (const std::size_t i : group) {
      out[i] = is_behind(i, best_of(group), 0);
      experiments.push_back(i);
      if (all[plans[i]].plan.is_pilot()) pilots.push_back(i);
    }
  }
  if (outcomes.worlds >= kEnough && !experiments.empty()) {
    const std::size_t best = best_of(experiments);
    for (const std::size_t i : experiments) {
      const double tied = indifference * std::max(std::abs(mean[best]), std::abs(mean[i]));
      out[i] = out[i] || is_behind(i, best, tied);
    }
  }
  if (!pilots.empty()) out[best_of(pilots)] = false;
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!out[i]) left.push_back(plans[i]);
  }
  return left;
}

std::vector<Round> race(const Simulation& simulation, std::vector<std::size_t> plans, Objective objective,
                        double indifference, const std::function<double()>& seconds_left,
                        std::int64_t most_worlds) {
  std::vector<Round> rounds;
  Outcomes seen;
  for (const std::int64_t worlds : kRaceWorlds) {
    if (!has_to_drop(simulation.plans(), plans)) break;
    const double left = seconds_left();
    if (!rounds.empty() && left <= 0) break;
    append(seen, simulation.run(plans, seen.worlds, worlds - seen.worlds, left, "thinning out plans"));
    Round round{plans, seen, {}};
    const bool last = worlds >= std::min(most_worlds, std::end(kRaceWorlds)[-1]) || seen.worlds < worlds ||
                      seconds_left() <= 0;
    round.left = left_after(simulation, round, objective, indifference, last);
    std::vector<std::size_t> columns;
    for (const std::size_t place : round.left)
      columns.push_back(
          static_cast<std::size_t>(std::find(plans.begin(), plans.end(), place) - plans.begin()));
    seen = only(seen, columns);
    plans = round.left;
    rounds.push_back(std::move(round));
    if (last) break;
  }
  return rounds;
}

}  // namespace mindgap::decide
