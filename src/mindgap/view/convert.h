#pragma once

#include <string>

#include "mindgap/view/json.h"

// The two faces of `mindgap convert`: text for people, JSON for programs.
namespace mindgap::view {

std::string text_of_written(const mdp::Model& model, const std::string& path);
Json json_of_written(const mdp::Model& model, const std::string& path);

}  // namespace mindgap::view
