#pragma once

#include <string>
#include <vector>

#include "mindgap/mdp/findings.h"
#include "mindgap/view/json.h"

// The two faces of `mindgap check`: text for people, JSON for programs.
namespace mindgap::view {

/// What looks odd, in sentences. The findings must be of the model, here and below.
std::vector<std::string> warnings_of(const mdp::Model& model, const mdp::Findings& findings);

std::string text_of(const mdp::Model& model, const mdp::Findings& findings);
Json json_of(const mdp::Model& model, const mdp::Findings& findings);

}  // namespace mindgap::view
