#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decide/problems.h"
#include "mindgap/decide/decide.h"

// A stated gain found again: how much of the difference is the sample of worlds, and how much is that another
// seed designs another pilot?
namespace mindgap::decide {

struct VariationOptions {
  std::int64_t worlds = 1'024;                    // of the decision
  std::int64_t fresh_worlds = 12'000;             // on which gains are found again
  std::size_t designs = 4;                        // of the same pilot from other draws; below 2: none
  std::vector<std::int32_t> members = {64, 512};  // of the design's target; the decision has the first
  std::uint64_t seed = 42;
  std::vector<Plan> plans = {};  // that decisions are between; empty: the default plans
};

struct Variation {
  std::string plan, other;
  double stated = 0, standard_error = 0;  // the decision's gain
  double lower = 0, upper = 0;            // its interval
  double same = 0, same_error = 0;        // the same design, fresh worlds
  std::vector<double> designs;            // gains of other designs like it, on those same worlds
  /// Standard deviation of the gain over designs, without what the sample of worlds adds to it, for each
  /// number of members; empty where neither plan is a pilot.
  std::vector<double> design_sd;
  /// A decision with another seed: what it compares, and its gain on fresh worlds of that seed.
  std::string again_plan, again_other;
  double again = 0, again_error = 0;
  /// It recommends what the first compared with, and the other way round, within the indifference: `again`
  /// has the sign of the first.
  bool turned = false;
  bool settled = false, again_settled = false;  // the verdicts
  bool differs = false;                         // the two plans of the decision differ in some world

  bool holds(double gain) const { return lower <= gain && gain <= upper; }
};

Variation vary(const Problem& problem, std::uint64_t number, const VariationOptions& options);

}  // namespace mindgap::decide
