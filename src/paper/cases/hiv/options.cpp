#include "paper/cases/hiv/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::cases::hiv {
namespace {

constexpr std::int32_t kLongestSide = 32;
constexpr std::string_view kWho = "hiv";

void check_whole(std::string_view name, std::int32_t value, std::int32_t lower, std::int32_t upper) {
  if (value >= lower && value <= upper) return;
  throw InvalidArgument(
      fmt::format("{}: {} is {}, but must be from {} to {}", kWho, name, value, lower, upper));
}

void check_grid(const HivOptions& options) {
  check_whole("rows", options.rows, 1, kLongestSide);
  check_whole("columns", options.columns, 2, kLongestSide);
  check_whole("wall", options.wall, 1, options.columns - 1);
  for (const std::int32_t row : options.corridors) check_whole("corridors", row, 0, options.rows - 1);
  const Cell cell = options.cluster_cell();
  if (cell.row < 0 || cell.row >= options.rows || cell.column < options.wall ||
      cell.column >= options.columns) {
    throw InvalidArgument(
        fmt::format("{}: cluster is {},{}, but must be in region B: rows 0 to {}, columns {} to {}", kWho,
                    cell.row, cell.column, options.rows - 1, options.wall, options.columns - 1));
  }
}

// Every team needs a zone of its own: to begin in A, and half of them in B.
void check_teams(const HivOptions& options) {
  const std::int32_t zones_a = options.rows * options.wall;
  const std::int32_t zones_b = options.rows * (options.columns - options.wall);
  if (options.teams < 2) {
    throw InvalidArgument(
        fmt::format("{}: teams is {}, but there must be at least 2, one a region", kWho, options.teams));
  }
  if (options.teams > zones_a) {
    throw InvalidArgument(
        fmt::format("{}: teams is {}, but region A has {} zones, and each team begins in one of its own",
                    kWho, options.teams, zones_a));
  }
  if ((options.teams + 1) / 2 > zones_b) {
    throw InvalidArgument(
        fmt::format("{}: teams is {}, but region B has {} zones, and half of the teams may be sent to one "
                    "each",
                    kWho, options.teams, zones_b));
  }
}

}  // namespace

Cell HivOptions::cluster_cell() const {
  return cluster.value_or(Cell{rows - 1, columns - 1});
}

void HivOptions::validate() const {
  check_grid(*this);
  check_teams(*this);
  base::check_positive(kWho, "tests_per_day", tests_per_day);
  base::check_range(kWho, "tests_per_day", tests_per_day, 0, 1e6);
  check_whole("warmup_days", warmup_days, 0, 1'000'000);
  base::check_range(kWho, "cold_yield", cold_yield, 1e-3, 1);
  base::check_range(kWho, "population_a", population_a, 1, 1e9);
  base::check_range(kWho, "population_b", population_b, 1, 1e9);
  base::check_probability(kWho, "prevalence_a", prevalence_a);
  base::check_probability(kWho, "prevalence_b", prevalence_b);
  base::check_probability(kWho, "epicentre", epicentre);
  base::check_probability(kWho, "surroundings", surroundings);
  base::check_probability(kWho, "simulated_a", simulated_a);
  base::check_nonnegative(kWho, "prevalence_sd", prevalence_sd);
  base::check_nonnegative(kWho, "simulated_a_sd", simulated_a_sd);
  base::check_nonnegative(kWho, "simulated_b_sd", simulated_b_sd);
  base::check_range(kWho, "factor", factor, 1, 1e6);
  base::check_range(kWho, "within", within, 0, 1);
  base::check_range(kWho, "between", between, 0, 1);
  base::check_probability(kWho, "treatment", treatment);
  base::check_range(kWho, "prior_strength", prior_strength, 0, 1e9);
  base::check_range(kWho, "optimism", optimism, 0, 1e6);
}

}  // namespace mindgap::cases::hiv
