#include "paper/cases/hiv/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"

namespace mindgap::cases::hiv {
namespace {

constexpr double kLowestDrawn = .001, kHighestDrawn = .5;
constexpr std::uint64_t kMapUnit = std::uint64_t{1} << 32;    // streams of zones, apart from those of teams
constexpr std::uint64_t kTestsUnit = std::uint64_t{2} << 32;  // the one of all teams

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
    const double spread = b ? options.simulated_b_sd : options.simulated_a_sd;
    double truth = clipped(mean + options.prevalence_sd * truth_noise), level = mean;
    const Cell cell = geography.cell(j);
    if (cell == centre) {
      truth = level = options.epicentre;
    } else if (b && std::abs(cell.row - centre.row) <= 1 && std::abs(cell.column - centre.column) <= 1) {
      truth = level = options.surroundings;
    }
    const double known = options.localised ? level : options.epicentre;
    const double simulated = b ? known / options.factor : options.simulated_a;
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
      epidemic_(geography, transmission_, maps.truth),
      warm_up_(geography, options.warmup_days, options.cold_yield),
      trial_(trial),
      stream_(base::StreamKey{options.seed, base::Purpose::world, trial, kTestsUnit, 0}),
      position_(geography.starts(options.starts, options.teams)),
      diagnosed_(maps.truth.size(), 0.0),
      simulator_(std::move(maps.simulator)),
      moved_(position_.size()),
      words_(position_.size()),
      chance_(position_.size()),
      made_(position_.size()),
      found_(position_.size()),
      tests_(position_.size()) {}

std::span<const TeamDay> World::live_one_day(std::span<const Zone> next) {
  move_teams(next);
  test();
  warm_up_.end_day();
  epidemic_.spread_one_day();
  ++day_;
  return tests_;
}

void World::move_teams(std::span<const Zone> next) {
  for (std::size_t team = 0; team < position_.size(); ++team) {
    const Zone to = next[team];
    const bool there = static_cast<std::uint32_t>(to) < static_cast<std::uint32_t>(geography_.zones());
    if (!there || !geography_.near(position_[team], to)) {
      throw InvalidArgument(fmt::format("hiv: team {} cannot move from {} to zone {} in a day", team,
                                        geography_.name(position_[team]), to));
    }
    moved_[team] = to != position_[team] ? 1 : 0;
    position_[team] = to;
  }
}

// n = max(1, Poisson), k ~ Binomial(n, p phi), and with depletion p (1 - D/N) phi; D as it was this morning.
void World::test() {
  const std::span<const double> prevalence = epidemic_.prevalence();
  for (std::size_t team = 0; team < position_.size(); ++team) {
    const auto j = static_cast<std::size_t>(position_[team]);
    chance_[team] = prevalence[j] * warm_up_.detection(position_[team]);
    if (options_.depletion) chance_[team] *= 1 - diagnosed_[j] / transmission_.population[j];
  }
  draw_tests();
  std::int64_t found = 0;
  for (std::size_t team = 0; team < position_.size(); ++team) {
    const bool tested = options_.transit_tests || moved_[team] == 0;
    const double tests = tested ? made_[team] : 0, positives = tested ? found_[team] : 0;
    const Zone zone = position_[team];
    tests_[team] = {static_cast<std::int32_t>(team), zone, static_cast<std::int32_t>(tests),
                    static_cast<std::int32_t>(positives)};
    found += tests_[team].positives;
    const auto j = static_cast<std::size_t>(zone);
    diagnosed_[j] = std::min(transmission_.population[j], diagnosed_[j] + positives);
    epidemic_.diagnose(j, diagnosed_[j]);
    warm_up_.visit(zone);
  }
  cases_found_ += found;
}

void World::draw_tests() {
  if (tests_of_a_day_.one_word()) {
    stream_.fill(words_);
    tests_of_a_day_.draw(words_, chance_, made_, found_);
    return;
  }
  for (std::size_t team = 0; team < position_.size(); ++team) {
    base::Stream stream(
        {options_.seed, base::Purpose::world, trial_, team, static_cast<std::uint64_t>(day_)});
    tests_of_a_day_.draw(stream, chance_[team], made_[team], found_[team]);
  }
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
