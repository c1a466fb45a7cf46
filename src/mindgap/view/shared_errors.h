#pragma once

#include <string>
#include <vector>

#include "mindgap/belief/knowledge.h"
#include "mindgap/view/json.h"

// What is said of errors that pairs share.
namespace mindgap::view {

/// What is shared and how much (by factors, or by the members of an ensemble), and whether it explains what
/// was observed; none where nothing is shared.
std::vector<std::string> notes_on_shared(const belief::Knowledge& knowledge);

/// How many there are and where they differ, for who has no prior yet.
std::string note_on_members(const mdp::Members& members);

/// The sentence for the first lines of an answer where neither shared errors nor any member of an ensemble
/// explain what was observed; else "".
std::string unexplained(const belief::Knowledge& knowledge);

/// {"share": of the prior variance, "factors": .., "surprise": .. or null}; null where nothing is shared.
Json json_of_shared(const belief::Knowledge& knowledge);
/// {"members": .., "effective_members": .., "surprise": .., "weights": [..], "parameters": [..]}; null where
/// there is no ensemble.
Json json_of_ensemble(const mdp::Model& model, const belief::Knowledge& knowledge);

}  // namespace mindgap::view
