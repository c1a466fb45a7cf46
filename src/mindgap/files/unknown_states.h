#pragma once

#include <string>
#include <vector>

#include "mindgap/files/text_file.h"
#include "mindgap/mdp/mdp.h"

namespace mindgap::files {

/// The states that a table (columns `state`, `next_state`, or one of them) names and the model does not have,
/// each once, in order of appearance. Throws InvalidModel where such a name cannot be a state's.
std::vector<std::string> unknown_states(const TextFile& table, const mdp::Mdp& mdp);

/// What is said where a state is not known: how to take it in.
std::string new_states_remedy();

}  // namespace mindgap::files
