#pragma once

#include <string>
#include <vector>

#include "mindgap/report/page.h"
#include "mindgap/trial/run.h"

// A comparison as text and as a page; as JSON it is trial::summary_json().
namespace mindgap::view {

std::string text_of(const trial::RunDescription& run, const std::vector<trial::SummaryRow>& rows);

/// Who gathered most, a table for each horizon and a picture of all.
report::Page page_of(const trial::RunDescription& run, const std::vector<trial::SummaryRow>& rows);

}  // namespace mindgap::view
