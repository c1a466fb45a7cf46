#pragma once

#include <string>
#include <vector>

#include "mindgap/trial/run.h"

// A comparison as text; as JSON it is trial::summary_json().
namespace mindgap::view {

std::string text_of(const trial::RunDescription& run, const std::vector<trial::SummaryRow>& rows);

}  // namespace mindgap::view
