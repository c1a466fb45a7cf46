#pragma once

#include <string>
#include <vector>

#include "mindgap/gap/hidden_cost.h"
#include "mindgap/report/page.h"
#include "mindgap/view/json.h"

// What it costs to forget where a truth has a hidden state that stays: part of `mindgap diagnose --truth`.
namespace mindgap::view {

std::vector<std::string> hidden_findings(const gap::HiddenCost& cost);
std::string hidden_text(const gap::HiddenCost& cost);
Json hidden_json(const gap::HiddenCost& cost);
report::Section hidden_section(const gap::HiddenCost& cost);

}  // namespace mindgap::view
