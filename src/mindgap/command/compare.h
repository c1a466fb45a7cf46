#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/report/page.h"
#include "mindgap/trial/case.h"
#include "mindgap/trial/open_case.h"
#include "mindgap/trial/results_folder.h"
#include "mindgap/trial/run.h"
#include "mindgap/trial/summary.h"
#include "mindgap/view/json.h"

namespace mindgap::command {

struct CompareRequest {
  /// Those of the case, those that are brought, and plans as decide names them (pilot-4x10, beb-2), which are
  /// designed on the case's belief. None: all of the case, and all that are brought.
  std::vector<std::string> planners = {};
  std::vector<std::int64_t> horizons = {};  // when to look, in any order; none: the case's own
  std::uint64_t first_trial = 0;
  std::int64_t trials = 0;  // 0: the case's own
  std::string reference = "asop";
  std::int64_t shard = 1, shards = 1;  // only the shard-th of so many parts of the trials
  std::string out = {};                // a folder that keeps results as they come, or ""
  base::Run run = {};
  std::vector<trial::OtherPlanner> others = {};  // that are brought to the case
};

/// What was compared and how it came out.
struct CompareAnswer {
  trial::RunDescription run;
  trial::Results results;                             // without the trials that failed
  std::vector<trial::SummaryRow> rows;                // none where every trial failed
  std::vector<std::string> warnings;                  // of the case (told to the listener before trials
                                                      // begin), and of what came to light meanwhile
  std::size_t failed = 0;                             // trials
  std::shared_ptr<trial::ResultsFolder> folder = {};  // of CompareRequest::out

  std::string text() const;
  view::Json json() const;
  report::Page page() const;
  /// results.csv and summary.json, where a folder was asked for. Call it once the answer is wanted.
  void write() const;
};

/// Planners on a known truth, on the same trials. Throws InvalidArgument (also where the case does not take
/// planners that are brought, or plans) and StoreError.
CompareAnswer compare(const trial::Case& on, const CompareRequest& request);

/// The planners that could be compared on a case, with one line about each; the cases of a list likewise.
std::string list_of_planners(const trial::Case& on, const CompareRequest& request);
std::string list_of_cases(const std::vector<trial::PlannerName>& cases);

/// The results of all shards together; `out` as CompareRequest::out.
CompareAnswer merge(const std::vector<std::filesystem::path>& folders, const std::string& out);

}  // namespace mindgap::command
