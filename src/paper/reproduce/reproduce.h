#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/report/page.h"
#include "mindgap/view/json.h"
#include "paper/reproduce/artefact.h"

// The only door to the paper's tables and figures: a request in, an answer out.
namespace mindgap::reproduce {

struct ReproduceRequest {
  std::string name = {};                    // of an artefact or a group (small, hiv, vending), or "all"
  std::optional<std::int64_t> trials = {};  // none: as many as the paper
  base::Run run = {};
};

struct ReproduceAnswer {
  std::vector<Reproduction> results;
  std::string name;  // as asked for, like what follows
  std::optional<std::int64_t> trials;
  std::uint64_t seed = base::Run().seed;
  std::string report_file = {};  // that the page is written to, or ""

  std::string text() const;
  view::Json json() const;  // an array, one object per artefact
  report::Page page() const;
  /// write_data() of all of them.
  void write(const std::filesystem::path& folder) const;
};

/// Throws InvalidArgument for an unknown artefact or a bad number of trials; call it before anything is
/// written.
void validate(const ReproduceRequest& request);
ReproduceAnswer reproduce(const ReproduceRequest& request);

/// A line per artefact, and those for groups and "all".
std::string list_of_artefacts();

}  // namespace mindgap::reproduce
