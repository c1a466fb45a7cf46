#pragma once

#include "mindgap/mdp/mdp.h"

namespace mindgap::gap {

/// Throws InvalidArgument unless both models have the same number of states and the same actions available in
/// each: then pair k of one is pair k of the other. Names the first state where they differ.
void check_same_pairs(const char* function, const mdp::Mdp& a, const mdp::Mdp& b);

}  // namespace mindgap::gap
