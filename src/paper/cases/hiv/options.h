#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mindgap/base/run.h"

// Mobile HIV testing on a walled grid: teams of testers, a simulator that never saw the far side of the wall,
// and a cluster hidden there (paper, section "HIV mobile-testing program" and its appendix).
namespace mindgap::cases::hiv {

/// How a team walks to where it was sent.
enum class Navigation {
  blind,     // along the longer axis, and it stays where a wall is in the way: no other way is tried
  shortest,  // along a shortest path
};
/// What a planner makes of tests in a zone that is not warm yet.
enum class BeliefForm {
  plain,      // the same as of any other: the paper's
  corrected,  // that they see only a share of the prevalence
};
/// Where the teams are on the first day: zones of region A, one each.
enum class Starts {
  first,    // row after row
  nearest,  // by distance to the other region, then row after row
};

struct Cell {
  std::int32_t row = 0, column = 0;
  bool operator==(const Cell&) const = default;
};

/// Everything the numbers of this case depend on. The defaults are the paper's, and where the paper is silent
/// (marked "inferred") those that reproduce its table.
struct HivOptions {
  // The grid. Region A is left of the wall, region B begins at column `wall`; between them one can move (and
  // infect) in the rows of `corridors` only.
  std::int32_t rows = 5, columns = 8, wall = 4;
  std::vector<std::int32_t> corridors = {2};

  // The teams. A team makes max(1, Poisson(tests_per_day)) tests a day.
  std::int32_t teams = 8;
  Starts starts = Starts::first;  // inferred
  double tests_per_day = 8;
  bool transit_tests = true;  // inferred; false: who moved today does not test

  // A zone is warm after this many days with a team; until then a test sees only this share of the
  // prevalence. Zones of A begin warm, zones of B cold. It never cools.
  std::int32_t warmup_days = 3;
  double cold_yield = .2;

  // People per zone, and the law of the true prevalence: mean + Normal(0, sd^2), clipped to [.001, .5].
  double population_a = 500, population_b = 300;
  double prevalence_a = .05, prevalence_b = .04, prevalence_sd = .005;
  // Then overwritten in the cluster: its cell, and the cells of B within one row and one column of it.
  std::optional<Cell> cluster = {};  // none: the last row and column
  double epicentre = .30, surroundings = .18;

  // The simulator's map, which knows nothing of the cluster. Its mean in B is epicentre / factor.
  // With `localised` it knows where the cluster is: the true means of B over the factor (1: all of it).
  bool localised = false;
  double simulated_a = .05, simulated_a_sd = .003, simulated_b_sd = .002, factor = 15;

  // Transmission per day, within a zone and from each neighbour; treated people transmit (1 - treatment).
  double within = .002, between = .0005, treatment = .9;
  /// Found cases are not found again: a positive has the chance p (1 - D/N) instead of p, D of the N people
  /// of the zone being diagnosed.
  bool depletion = false;

  // The planners.
  double prior_strength = 10;
  Navigation navigation = Navigation::blind;  // inferred: what passive planners do
  BeliefForm belief = BeliefForm::plain;
  double optimism = .005;  // inferred: what the radii of UCRL2 and UCBVI are multiplied by; 1 is the textbook

  std::uint64_t seed = base::Run().seed;

  Cell cluster_cell() const;
  /// Throws InvalidArgument with the name and the value of what cannot be.
  void validate() const;
};

}  // namespace mindgap::cases::hiv
