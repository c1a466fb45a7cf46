#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "mindgap/report/page.h"
#include "paper/reproduce/artefact.h"

// What people see of a reproduction, apart from the terminal's text.
namespace mindgap::reproduce {

/// "" where nothing was published, else one of "agrees", "agrees by our error alone: too few trials",
/// "differs, explained", "DIFFERS, cause unknown", "not reproduced".
std::string verdict(const Line& line);

/// Why numbers differ, or what is open, one for each reason: "WHAT; WHAT; and 3 more: WHY".
std::vector<std::string> reasons_of(const Reproduction& result);

/// Published beside ours: what, published, ours, interval, tolerance, verdict.
report::Table line_table(const Reproduction& result);

/// Of one artefact or of several, one after another; `footer` says how it was made.
report::Page page_of(const std::vector<Reproduction>& results, const std::string& footer);

/// A section per artefact: method, published beside ours, the claims.
std::string markdown_of(const std::vector<Reproduction>& results);

/// Writes the data behind the figures as CSV and the tables as Markdown, tables.md, into a folder, which is
/// made where it is not there. Throws StoreError.
void write_data(const std::filesystem::path& folder, const std::vector<Reproduction>& results);

}  // namespace mindgap::reproduce
