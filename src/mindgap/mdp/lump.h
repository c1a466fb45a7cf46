#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::mdp {

/// A model whose states are classes of states of another: a bisimulation (Givan, Dean and Greig 2003). Two
/// states of a class have the same actions and, for every action, the same reward and the same probability of
/// going to each class. Every optimal value is the same in all states of a class.
struct Lumping {
  Mdp mdp;  // of classes, in the order of their first states and named after them; starts are added up
  std::vector<std::int32_t> class_of_state;
  std::vector<std::int32_t> first_state;  // of each class: the lowest; its rows are those of the class
  /// How far a state of a class may be from its first state: largest difference of a reward, and largest sum
  /// over classes of the differences of a probability. 0 where the numbers agree to the last bit.
  double reward_error = 0;
  double probability_error = 0;

  std::int32_t classes() const { return static_cast<std::int32_t>(first_state.size()); }
};

/// The coarsest such classes. "The same" is meant up to rounding: two probabilities of going to a class (each
/// a sum over its states, added exactly in steps of 2^-60) are the same if they round to the same multiple of
/// 2^-40, and two rewards if they round to the same multiple of 2^-40 of a power of two that is at least the
/// largest |reward|. Time is O(n log n) in the number of transitions n, memory 28 bytes a transition.
/// Rounding in this sense can only lose or gain a merger of numbers that differ by about 1e-12; what that
/// does to a value is not for this function to say: see solve_lumped(). docs/math/lumping.md.
Lumping lump(const Mdp& mdp);

struct LumpedSolution {
  Solution solution;  // of the model that was given: value, policy and bounds are about its states
  std::int32_t classes = 0;
  std::vector<std::int32_t> class_of_state;
  std::vector<std::int32_t> first_state;
  double reward_error = 0, probability_error = 0;  // as in Lumping
  double lump_seconds = 0;                         // part of solution.seconds
};

/// As solve(), with most of the work done on the lumped model. Its value is carried over to the states of
/// `mdp`, and the bounds come from a full sweep over `mdp` itself: they hold whatever the lumping has done.
/// Should they be wider than asked, the solver goes on from there on `mdp`. Iterations are added up.
LumpedSolution solve_lumped(const Mdp& mdp, const SolveOptions& options = {});

}  // namespace mindgap::mdp
