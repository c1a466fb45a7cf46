#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mindgap/report/page.h"
#include "mindgap/trial/case.h"
#include "mindgap/trial/run.h"
#include "mindgap/trial/summary.h"
#include "mindgap/view/json.h"

// A comparison as text, as JSON and as a page.
namespace mindgap::view {

/// `left_out`: trials that were run but failed, and are in no row.
std::string text_of(const trial::RunDescription& run, const std::vector<trial::SummaryRow>& rows,
                    std::size_t left_out = 0);

/// As in docs/reference/json.md.
Json json_of(const trial::RunDescription& run, const std::vector<trial::SummaryRow>& rows);

/// Who gathered most, a table for each horizon and a picture of all.
report::Page page_of(const trial::RunDescription& run, const std::vector<trial::SummaryRow>& rows,
                     std::size_t left_out = 0);

/// What a user should know before trusting the comparison, one line.
std::string text_of(const trial::CaseWarning& warning);

/// Names with one line about each, below headings for both.
std::string list_of(const std::vector<trial::PlannerName>& names, const std::string& name,
                    const std::string& description);

}  // namespace mindgap::view
