#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mindgap/design/design.h"
#include "mindgap/study/state.h"

// Who does what. Given the design and the policy in force nothing looks at rewards: arms, routes and actions
// follow from the seed and the states that were observed, so what comes of an action is what the action does.
namespace mindgap::study {

/// The arms of a study's units, drawn once. Units of the same state are put in a random order and every
/// 1/share-th of the whole list, from a random place on, is a control (systematic sampling): each unit is one
/// with probability `share`, and the numbers are as even over the states as whole units allow.
/// `trial` tells draws of the same seed apart.
std::vector<Arm> draw_arms(std::span<const std::int32_t> unit_state, double share, std::uint64_t seed,
                           std::uint64_t trial = 0);
/// The arms of the units that a study begins with. Where it follows a plan, as many units of each state
/// explore as the plan sends from there, drawn among those that begin there; else as above.
std::vector<Arm> draw_arms(std::span<const std::int32_t> unit_state, const StudyOptions& options,
                           const mdp::Mdp& mdp);
/// Arms of units that join the `present` ones later.
std::vector<Arm> draw_later_arms(std::span<const std::int32_t> unit_state, const StudyOptions& options,
                                 std::size_t present);
/// The arms of the units that a study began with, drawn again in the same way; `number` from 0. For tests by
/// permutation.
std::vector<Arm> redrawn_arms(const State& state, std::int64_t number);

/// A design for the units as they stand: what the design of the explorers (design::design_pilot) makes of
/// what is known now, with credit for what the controls will observe; what they should find out counts from
/// where all units are (options.count_from_units). Of the explorers that begin in a state each is as likely
/// on a route as any other: the design's routes there are dealt out by a random permutation. Units whose
/// result is still out are planned for from where they were, and drawn when they come in. Without `explore`
/// there are no routes: everybody follows the policy that is best by what is known now. The first design of a
/// study that follows a plan is the plan's: its routes and how many units of each state are on which.
Batch make_batch(const State& state, bool explore = true, int threads = 0);

/// What make_batch() would send the explorers on now, before its routes are dealt out.
struct NextPilot {
  std::vector<std::int32_t> unit_state;  // of all units that have steps left, explorers first
  std::int64_t left = 0;                 // steps left to whoever has most
  design::Design design = {};            // of the explorers; no routes where there is nobody or nothing left
};
NextPilot next_pilot(const State& state, const belief::Knowledge& now, int threads = 0);

/// Whether the policy is to be found again before the next assignments: since the one in force as many
/// results came as all units have in options.update_every steps. Units that are done do not count, nor do
/// those who are that many steps behind the furthest: whoever is lost holds nobody up.
bool update_is_due(const State& state, std::optional<std::int64_t> step = {});
/// The policy that is best by what is known now: a pair per state.
std::vector<std::int32_t> best_policy(const State& state, int threads = 0);

/// The next assignments: for each unit that has its last result in and steps left, its next step (with
/// `step`: only where that is the one). In the order of units.
std::vector<AssignmentRow> next_assignments(const State& state, std::optional<std::int64_t> step = {});

}  // namespace mindgap::study
