#pragma once

#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "mindgap/trial/run.h"

namespace mindgap::trial {

/// A folder that keeps the trials of a run as they finish, so that a run that was killed goes on where it
/// was:
///   run.json      what the numbers depend on
///   finished.csv  trials finished so far, while the run is under way
///   results.csv   trial,planner,horizon,value,check: one row each, once the run is complete
///   summary.json  the comparison
/// `check` is a checksum of its line; a line that does not match it is refused. Numbers are written in their
/// shortest exact form: results that were kept are bit for bit those computed.
class ResultsFolder {
 public:
  /// Opens or creates. Throws InvalidArgument where the folder holds results of other options and says the
  /// first difference (more trials than before are welcome), StoreError where it is not ours or cannot be
  /// written.
  ResultsFolder(std::filesystem::path folder, const RunDescription& run);
  ~ResultsFolder();
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;

  /// Trials that were finished before.
  const Results& finished() const { return finished_; }
  /// Keeps a trial: [planner * horizons + horizon]. From any thread. Throws StoreError where the disk
  /// refuses; what was kept before stays.
  void keep(std::uint64_t trial, std::span<const double> values);
  /// Writes results.csv and summary.json and removes finished.csv.
  void complete(const Results& results, const std::string& summary);

 private:
  void load();
  void start_journal();

  std::filesystem::path folder_;
  RunDescription run_;
  Results finished_;
  std::mutex mutex_;
  int journal_ = -1;
  std::int64_t journal_size_ = 0;  // of whole trials
};

/// Joins the complete folders of all shards of one run. Throws InvalidArgument where one is missing, doubled,
/// not complete or of another run.
struct Merged {
  RunDescription run;  // as if it had not been cut
  Results results;
};
Merged merge(const std::vector<std::filesystem::path>& folders);

/// results.csv.
std::string results_csv(const Results& results);

}  // namespace mindgap::trial
