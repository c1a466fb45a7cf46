#pragma once

#include <cstdint>
#include <string>

#include "mindgap/decide/situation.h"
#include "mindgap/mdp/model.h"

// Truths whose errors are shared, and what becomes of planners that know it and of those that do not.
namespace mindgap::decide {

struct SharedShare {
  double share = 0;  // earned, of what knowing the truth earns; sums over truths
  double error = 0;  // its standard error, by the delta method
};

/// What following a plan (by its name, or a planner's) earns in truths drawn from `nature`, whose moves are
/// the simulator's.
SharedShare follow_in_drawn(const belief::Belief& nature, const Situation& situation, const std::string& name,
                            std::uint64_t truths, std::uint64_t seed = 42);

/// The plan that decide() recommends before anything is seen, from `worlds` drawn worlds.
std::string recommended_before(const Situation& situation, std::int64_t worlds, std::uint64_t seed = 42);

/// An open 8 x 8 grid on which rewards resemble those of neighbouring cells: stay and four moves, certain; 4
/// units from one corner, 60 steps, discount .95. The simulator says 0 everywhere, one observation has
/// variance .4. Believed: errors of sd 1 that fade over `length` cells, or (0) that every pair has on its
/// own.
Situation field_situation(double length);

/// A model with states at places, its units at its start in turn: the errors of mean rewards have sd 1, of
/// which .6 is each pair's own and .8 fades over two units of length; or (`shared` false) all of it is each
/// pair's own.
Situation kernel_situation(const mdp::Model& model, std::int64_t units, std::int64_t horizon, bool shared);

}  // namespace mindgap::decide
