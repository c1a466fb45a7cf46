#pragma once

#include "mindgap/mdp/mdp.h"

namespace mindgap::mdp {

/// The arrays of a model but for its transitions, for one that differs in where actions lead: row_begin is
/// {0}, next_state and probability are empty, to be filled pair by pair.
MdpArrays without_rows(const Mdp& mdp);

}  // namespace mindgap::mdp
