#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"

// Episodes that begin again when they end.
namespace mindgap::mdp {

/// The states that are recognised as ends of an episode: every action that is available there stays there for
/// sure and pays nothing. Ascending.
std::vector<std::int32_t> end_states(const Mdp& mdp);

/// The model in which an ended episode begins again. A move into one of the `ends` (ascending) leads to the
/// start distribution d instead:
///   P'(s'|s,a) = P(s'|s,a) + d(s') sum_{e in ends} P(e|s,a)  for s' that is no end, and 0 for ends.
/// The reward of the move stays as it is. Ends keep their numbers and their actions, which lead to the start
/// distribution and pay nothing, but no move enters them any more; applied again nothing changes.
///
/// Throws InvalidModel, with the state, where there are no ends, one of them has a start probability
/// (episodes would have no length), pays a reward, or leads anywhere else.
Mdp with_restart(const Mdp& mdp, std::span<const std::int32_t> ends);

}  // namespace mindgap::mdp
