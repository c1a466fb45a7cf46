#include "mindgap/cases/hiv/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"

namespace mindgap::cases::hiv {
namespace {

constexpr double kLowestDrawn = .001, kHighestDrawn = .5;
constexpr std::uint64_t kMapUnit = std::uint64_t{1} << 32;  // streams of zones, apart from those of teams

double clipped(double prevalence) {
  return std::clamp(prevalence, kLowestDrawn, kHighestDrawn);
}

}  // namespace

Known known_to_planners(const HivOptions& options, const Geography& geography, std::vector<double> simulator,
                        std::uint64_t trial) {
  Known known;
  known.geography = &geography;
  known.transmission = transmission_of(options, geography);
  known.simulator = std::move(simulator);
  known.teams = options.teams;
  known.tests_per_day = options.tests_per_day;
  known.warmup_days = options.warmup_days;
  known.cold_yield = options.cold_yield;
  known.prior_strength = options.prior_strength;
  known.navigation = options.navigation;
  known.belief = options.belief;
  known.optimism = options.optimism;
  known.seed = options.seed;
  known.trial = trial;
  return known;
}

Maps draw_maps(const HivOptions& options, const Geography& geography, std::uint64_t trial) {
  Maps maps;
  const Cell centre = options.cluster_cell();
  for (Zone j = 0; j < geography.zones(); ++j) {
    base::Stream stream(
        {options.seed, base::Purpose::world, trial, kMapUnit + static_cast<std::uint64_t>(j), 0});
    const double truth_noise = base::normal(stream), simulator_noise = base::normal(stream);
    const bool b = geography.in_b(j);
    const double mean = b ? options.prevalence_b : options.prevalence_a;
    const double simulated = b ? options.epicentre / options.factor : options.simulated_a;
    const double spread = b ? options.simulated_b_sd : options.simulated_a_sd;
    double truth = clipped(mean + options.prevalence_sd * truth_noise);
    const Cell cell = geography.cell(j);
    if (cell == centre) {
      truth = options.epicentre;
    } else if (b && std::abs(cell.row - centre.row) <= 1 && std::abs(cell.column - centre.column) <= 1) {
      truth = options.surroundings;
    }
    maps.truth.push_back(truth);
    maps.simulator.push_back(clipped(simulated + spread * simulator_noise));
  }
  return maps;
}

World::World(const HivOptions& options, const Geography& geography, Maps maps, std::uint64_t trial)
    : options_(options),
      geography_(geography),
      transmission_(transmission_of(options, geography)),
      tests_of_a_day_(options.tests_per_day),
      trial_(trial),
      position_(geography.starts(options.starts, options.teams)),
      previous_(position_),
      prevalence_(std::move(maps.truth)),
      diagnosed_(prevalence_.size(), 0.0),
      simulator_(std::move(maps.simulator)),
      share_(prevalence_.size()) {
  for (Zone j = 0; j < geography.zones(); ++j) {
    warm_.push_back(geography.in_b(j) ? 0 : options.warmup_days);
  }
}

std::span<const TeamDay> World::live_one_day(std::span<const Zone> next) {
  move_teams(next);
  tests_.clear();
  for (std::size_t team = 0; team < position_.size(); ++team) {
    test_one_team(team, position_[team] != previous_[team]);
  }
  end_day();
  return tests_;
}

void World::move_teams(std::span<const Zone> next) {
  previous_ = position_;
  for (std::size_t team = 0; team < position_.size(); ++team) {
    const Zone to = next[team];
    if (to < 0 || to >= geography_.zones() || geography_.distance(position_[team], to) > 1 ||
        geography_.distance(position_[team], to) < 0) {
      throw InvalidArgument(fmt::format("hiv: team {} cannot move from {} to zone {} in a day", team,
                                        geography_.name(position_[team]), to));
    }
    position_[team] = to;
  }
}

// n = max(1, Poisson), k ~ Binomial(n, p phi), and with depletion p (1 - D/N) phi; D as it was this morning.
void World::test_one_team(std::size_t team, bool moved) {
  const Zone zone = position_[team];
  TeamDay& test = tests_.emplace_back();
  test.team = static_cast<std::int32_t>(team);
  test.zone = zone;
  if (moved && !options_.transit_tests) return;
  const auto j = static_cast<std::size_t>(zone);
  base::Stream stream({options_.seed, base::Purpose::world, trial_, team, static_cast<std::uint64_t>(day_)});
  double chance = prevalence_[j];
  if (warm_[j] < options_.warmup_days) chance *= options_.cold_yield;
  if (options_.depletion) chance *= 1 - diagnosed_[j] / transmission_.population[j];
  const TestsOfADay::Draw drawn = tests_of_a_day_.draw(stream, chance);
  test.tests = drawn.tests;
  test.positives = drawn.positives;
}

void World::end_day() {
  for (const TeamDay& test : tests_) {
    const auto j = static_cast<std::size_t>(test.zone);
    cases_found_ += test.positives;
    diagnosed_[j] = std::min(transmission_.population[j], diagnosed_[j] + test.positives);
  }
  // Once a day, however many teams are there.
  for (std::size_t team = 0; team < position_.size(); ++team) {
    const auto seen = position_.begin() + static_cast<std::ptrdiff_t>(team);
    if (std::find(position_.begin(), seen, *seen) != seen) continue;
    std::int32_t& warm = warm_[static_cast<std::size_t>(*seen)];
    warm = std::min(options_.warmup_days, warm + 1);
  }
  spread_one_day(geography_, transmission_, diagnosed_, prevalence_, share_);
  ++day_;
}

void run_days(World& world, HivPlanner& planner, std::int64_t days,
              const std::function<void(const World&)>& after_day) {
  std::vector<Zone> next(world.position().size());
  for (std::int64_t day = 0; day < days; ++day) {
    planner.decide(world.day(), world.position(), next);
    planner.observe(world.live_one_day(next));
    after_day(world);
  }
}

}  // namespace mindgap::cases::hiv
