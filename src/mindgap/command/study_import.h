#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/command/source.h"
#include "mindgap/command/study.h"

// Results as other programs export them, into a study (files/field_export.h).
namespace mindgap::command {

struct StudyImportRequest {
  std::string folder = {};
  Source results = {};                // the export
  Source columns = {};                // columns.toml: which column is what
  std::optional<Source> parent = {};  // the export's file with the parents of these rows
  bool correct = false;               // what contradicts the log replaces what it says
  bool dry_run = false;               // say what would be recorded, and record nothing
  base::Run run = {};
  std::string key = {};
};

/// What was taken of an export, or would be.
struct StudyImported {
  study::Recorded recorded;   // `lines` are those of the export; where nothing was recorded: what would be
  std::int64_t left_out = 0;  // rows that the mapping leaves out
  bool dry_run = false;
  std::vector<std::string> warnings = {};

  std::string text() const;
  std::string json() const;
};
/// All rows or none. A row that does not say where its unit was, or what was done, is about what was
/// assigned. Throws InvalidModel with file, line and column, InvalidArgument and StoreError.
StudyImported study_import(const StudyImportRequest& request);

}  // namespace mindgap::command
