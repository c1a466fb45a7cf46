#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "mindgap/base/error.h"
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
  void open(const std::filesystem::path& path, Access access, const Writer& writer);
  Log read_once(LogHashes& hashes);
  void bring_forward(Access access, const Writer& writer);
  std::unique_ptr<Database> database_;
  std::optional<Digest> head_;  // of the log that was read without locks
};

/// Some who read have no locks (Database::overtaken). Calls `deed` until it was not overtaken, `again` before
/// each further time, and gives up with a StoreError that says so: what fails meanwhile is no damage.
template <typename Deed, typename Overtaken, typename Again>
auto until_steady(const std::filesystem::path& path, Deed deed, Overtaken overtaken, Again again) {
  for (int round = 0; round < 6; ++round) {
    if (round > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(25 << round));
      again();
    }
    try {
      auto result = deed();
      if (!overtaken()) return result;
    } catch (const Error&) {
      if (!overtaken()) throw;
    }
  }
  throw StoreError(path.string() + ": it is being written to: try again");
}

}  // namespace mindgap::study
