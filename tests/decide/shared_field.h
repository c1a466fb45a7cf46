#pragma once

#include <cstdint>
#include <string>

#include "mindgap/decide/situation.h"

// An open 8 x 8 grid on which rewards resemble those of neighbouring cells: stay and four moves, certain; 4
// units from one corner, 60 steps, discount .95. The simulator says 0 everywhere, one observation has
// variance .4. Truths are drawn from a squared-exponential kernel of sd 1.
namespace mindgap::decide {

/// What a planner believes: errors of sd 1 that fade over `length` cells, or (0) that every pair has on its
/// own.
Situation field_situation(double length);

struct FieldShare {
  double share = 0;  // earned, of what knowing the truth earns; sums over truths
  double error = 0;  // its standard error, by the delta method
};

/// What following a plan (by its name, or a planner's) earns in `truths` truths of the given length.
FieldShare follow_in_fields(const Situation& situation, const std::string& name, double truth_length,
                            std::uint64_t truths, std::uint64_t seed = 42);

/// The plan that decide() recommends before anything is seen, from `worlds` drawn worlds.
std::string recommended_in_fields(const Situation& situation, std::int64_t worlds, std::uint64_t seed = 42);

}  // namespace mindgap::decide
