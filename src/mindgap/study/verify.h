#pragma once

#include <filesystem>
#include <string>

namespace mindgap::study {

struct Verification {
  bool good = false;
  std::string problem;  // the first one, where it is not
  std::int64_t events = 0, units = 0, assignments = 0, observations = 0, designs = 0;
  std::string head;  // hash of the last row: who noted it earlier can tell that nothing before it changed
};

/// Recomputes a study from its log alone: SQLite's own check of the file, the layout with its triggers, the
/// chain of hashes, then event by event the arms, every design, every assignment with its probabilities, what
/// results were taken for, and the look that each decision was made on. Every bit must match, so it must run
/// with the version (and on a machine) that computes the same floating point. Throws StoreError only where
/// there is no file to look at.
Verification verify(const std::filesystem::path& folder, int threads = 0);

}  // namespace mindgap::study
