#pragma once

#include <filesystem>

#include "mindgap/study/database.h"
#include "mindgap/study/log.h"

// The file study.db of a study's folder.
namespace mindgap::study {

/// Who writes, and when: the time is the caller's to say.
struct Writer {
  std::string program;  // "mindgap 0.1.0"
  std::string time;     // "2026-03-01T09:30:00Z"
};

/// The system's clock in that form.
std::string utc_now();

/// The file of a folder's study; a file is its own. Throws StoreError where there is none.
std::filesystem::path study_file(const std::filesystem::path& folder);

class Store {
 public:
  /// A new study; the folder is made where it is not there. Throws StoreError where it holds a study already.
  static Store create(const std::filesystem::path& folder);
  /// Throws StoreError where it does.
  static void check_free(const std::filesystem::path& folder);
  /// A folder's study, or a file's. An older file is brought forward by whoever opens it to write.
  Store(const std::filesystem::path& folder, Access access, const Writer& writer = {});

  /// Rows are only seen and added inside a transaction.
  Database& database() { return *database_; }
  /// Throws StoreError where the rows are not as they were written: what their hashes say is checked.
  Log read_log(LogHashes* hashes = nullptr);
  /// The hash of the last row.
  Digest head();

  /// Adds an event and its rows; numbers and counts are filled in. Call inside a transaction.
  void append(Event event, const std::vector<UnitRow>& units, const std::vector<AssignmentRow>& assignments,
              const std::vector<ObservationRow>& observations);

  /// What SQLite's own check finds wrong, or "ok".
  std::string integrity();

 private:
  explicit Store(std::unique_ptr<Database> database) : database_(std::move(database)) {}
  void bring_forward(Access access, const Writer& writer);
  std::unique_ptr<Database> database_;
};

}  // namespace mindgap::study
