#pragma once

#include <string>

#include "mindgap/view/json.h"
#include "paper/reproduce/artefact.h"

namespace mindgap::view {

std::string text_of(const reproduce::Reproduction& result);
Json json_of(const reproduce::Reproduction& result);

}  // namespace mindgap::view
