#pragma once

#include <string>
#include <vector>

#include "mindgap/gap/history_test.h"
#include "mindgap/mdp/mdp.h"
#include "mindgap/report/page.h"
#include "mindgap/view/json.h"

// What history says against itself before any pilot: part of `mindgap diagnose --history`.
namespace mindgap::view {

/// One sentence for each finding, the limits of it last.
std::vector<std::string> history_findings(const mdp::Mdp& mdp, const gap::HistoryTest& test);
std::string history_text(const mdp::Mdp& mdp, const gap::HistoryTest& test, std::size_t top);
Json history_json(const mdp::Mdp& mdp, const gap::HistoryTest& test);
report::Section history_section(const mdp::Mdp& mdp, const gap::HistoryTest& test, std::size_t top);

}  // namespace mindgap::view
