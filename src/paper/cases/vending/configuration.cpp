#include "paper/cases/vending/configuration.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/base/readable.h"
#include "paper/cases/vending/fields.h"

namespace mindgap::cases::vending {
namespace {

constexpr std::size_t kMostMachines = 10'000, kMostKinds = 100;

using Path = std::vector<std::string>;

/// Keeps the first problem.
struct Checker {
  std::optional<Problem> found = {};

  void need(bool good, Path path, std::string text, std::string value = {}) {
    if (!good && !found) found = {std::move(path), std::move(text), std::move(value)};
  }

  void number(Path path, double value, double lowest, double highest) {
    const bool good = std::isfinite(value) && value >= lowest && value <= highest;
    if (good) return;
    std::string text = fmt::format("'{}' must be from {} to {}", fmt::join(path, "."),
                                   base::number(lowest, 6), base::number(highest, 6));
    need(false, std::move(path), std::move(text), base::shortest(value));
  }

  template <typename Table>
  void fields(const Path& path, const Table& table, std::span<const Field<Table>> all) {
    for (const Field<Table>& field : all) {
      Path key = path;
      key.emplace_back(field.key);
      number(std::move(key), value_of(table, field), field.lowest, field.highest);
    }
  }

  void numbers(const Path& path, const std::vector<double>& values, std::size_t size, double lowest,
               double highest) {
    need(values.size() == size, path, fmt::format("'{}' must have {} numbers", fmt::join(path, "."), size),
         std::to_string(values.size()));
    for (const double value : values) number(path, value, lowest, highest);
  }

  void sums_to_one(const Path& path, const std::vector<double>& values) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    need(std::abs(sum - 1) <= 1e-9, path,
         fmt::format("the probabilities of '{}' must sum to 1", fmt::join(path, ".")), base::shortest(sum));
  }

  template <typename Thing>
  void names(const char* key, const std::vector<Thing>& things, std::size_t most) {
    need(!things.empty() && things.size() <= most, {key}, fmt::format("there must be 1 to {} {}", most, key),
         std::to_string(things.size()));
    std::set<std::string> seen;
    for (const Thing& thing : things) {
      need(!thing.name.empty(), {key}, fmt::format("a name in '{}' is empty", key));
      need(seen.insert(thing.name).second, {key}, fmt::format("a name in '{}' occurs twice", key),
           thing.name);
    }
  }
};

void check_segment(Checker& checker, const Configuration& all, const Segment& segment) {
  const Path path = {"segment", segment.name};
  const auto at = [&](const char* key) { return Path{"segment", segment.name, key}; };
  checker.fields(path, segment, segment_fields());
  checker.need(!segment.day_parts.empty(), at("day_parts"), "a segment needs at least one part of the day");
  checker.numbers(at("day_parts"), segment.day_parts, segment.day_parts.size(), 0, 1);
  checker.sums_to_one(at("day_parts"), segment.day_parts);
  checker.numbers(at("preference"), segment.preference, all.products.size(), 0, 1);
  checker.sums_to_one(at("preference"), segment.preference);
}

void check_machine(Checker& checker, const Configuration& all, const Machine& machine) {
  const Path path = {"machine", machine.name};
  const auto at = [&](const char* key) { return Path{"machine", machine.name, key}; };
  checker.fields(path, machine, machine_fields());
  checker.numbers(at("true_rate"), machine.true_rate, all.segments.size(), 0, 1e6);
  checker.numbers(at("simulator_rate"), machine.simulator_rate, all.segments.size(), 0, 1e6);
  for (const Event& event : machine.events) {
    checker.need(
        event.from >= 0 && event.until > event.from, at("events"),
        fmt::format("an event of '{}' must begin at day 0 or later and end after it begins", machine.name),
        fmt::format("{} to {}", event.from, event.until));
    checker.number(at("events"), event.factor, 0, 1e6);
  }
}

void check_planning(Checker& checker, const Planning& planning) {
  checker.fields({"planning"}, planning, planning_fields());
  checker.need(planning.pilot_price_highest >= planning.pilot_price_lowest,
               {"planning", "pilot_price_highest"},
               "'planning.pilot_price_highest' must not be below 'planning.pilot_price_lowest'");
  for (const auto& [key, grid] : {std::pair{"price_grid", &planning.price_grid},
                                  std::pair{"epsilon_prices", &planning.epsilon_prices}}) {
    checker.need(!grid->empty(), {"planning", key}, fmt::format("'planning.{}' is empty", key));
    checker.numbers({"planning", key}, *grid, grid->size(), 1e-6, 1000);
  }
}

std::vector<Segment> default_segments() {
  return {
      {"commuter", 1.07, .825, {.40, .28, .32}, 3.45, .32, .65, {.5, .3, .2}},
      {"family", .93, 1.175, {.28, .36, .36}, 2.80, .32, .65, {.4, .1, .5}},
      {"student", 1, 1, {.28, .32, .40}, 1.95, .32, .65, {.2, .6, .2}},
  };
}

std::vector<Machine> default_machines() {
  return {
      {.name = "Downtown",
       .true_rate = {6, 1, 2},
       .simulator_rate = {5.5, 1, 2},
       .group = 0,
       .trend = -.01,
       .events = {{50, 80, .45}}},
      {.name = "Suburb", .true_rate = {2, 4, 1}, .simulator_rate = {2, 4, 1}, .group = 1},
      {.name = "Office",
       .true_rate = {5, .5, .5},
       .simulator_rate = {5, .5, .5},
       .group = 0,
       .events = {{60, kForEver, .75}}},
      {.name = "University",
       .true_rate = {1, .5, 8},
       .simulator_rate = {1, .5, 3},
       .confounded = true,
       .group = 1,
       .drift = .008,
       .drift_sd = .02},
      {.name = "New Neighborhood",
       .true_rate = {1, 6, 2},
       .simulator_rate = {1, 1.5, 1},
       .confounded = true,
       .group = 1,
       .drift = .006,
       .drift_sd = .02,
       .events = {{35, 36, 2.5}}},
  };
}

}  // namespace

Configuration default_configuration() {
  Configuration result;
  result.name = "Five vending machines";
  result.products = {{"soda", .85, 20, .01, .4}, {"energy", 1.55, 27, .02, .1}, {"snack", .75, 9, .015, .05}};
  result.segments = default_segments();
  result.machines = default_machines();
  return result;
}

std::optional<Problem> find_problem(const Configuration& all) {
  Checker checker;
  checker.names("products", all.products, kMostKinds);
  checker.names("segments", all.segments, kMostKinds);
  checker.names("machines", all.machines, kMostMachines);
  for (const Product& product : all.products) {
    checker.fields({"product", product.name}, product, product_fields());
    checker.need(std::abs(product.weather) * all.demand.weather_limit < 1,
                 {"product", product.name, "weather"},
                 "|weather| times demand.weather_limit must be below 1: nobody pays a negative price",
                 base::shortest(product.weather));
  }
  for (const Segment& segment : all.segments) check_segment(checker, all, segment);
  for (const Machine& machine : all.machines) check_machine(checker, all, machine);
  checker.fields({"demand"}, all.demand, demand_fields());
  checker.fields({"logistics"}, all.logistics, logistics_fields());
  checker.need(all.logistics.start_slot_stock <= all.logistics.slot_capacity,
               {"logistics", "start_slot_stock"},
               "'logistics.start_slot_stock' must not exceed 'logistics.slot_capacity'",
               std::to_string(all.logistics.start_slot_stock));
  checker.need(all.logistics.start_depot_stock <= all.logistics.depot_capacity,
               {"logistics", "start_depot_stock"},
               "'logistics.start_depot_stock' must not exceed 'logistics.depot_capacity'",
               std::to_string(all.logistics.start_depot_stock));
  checker.fields({"finance"}, all.finance, finance_fields());
  check_planning(checker, all.planning);
  return checker.found;
}

void check(const Configuration& configuration) {
  const std::optional<Problem> problem = find_problem(configuration);
  if (!problem) return;
  const std::string got = problem->value.empty() ? "" : fmt::format(" (got {})", problem->value);
  throw InvalidArgument(fmt::format("vending: {}{}", problem->text, got));
}

Configuration with_errors(Configuration configuration, bool confounding, bool drift) {
  for (Machine& machine : configuration.machines) {
    if (!confounding && machine.confounded) machine.simulator_rate = machine.true_rate;
    if (!drift) machine.drift = 0;
  }
  return configuration;
}

}  // namespace mindgap::cases::vending
