#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "mindgap/study/anchor.h"
#include "mindgap/study/serving.h"
#include "mindgap/study/state.h"
#include "mindgap/study/storage.h"

// A study that stays open: the log is read once, what is written goes into it and into the state alike. For a
// server, which is the only writer for as long as it lives.
namespace mindgap::study {

/// The log up to a moment, and what follows from it.
struct LiveLog {
  State state;
  /// Of an event: its content without its data, and where its rows begin in the state.
  struct Entry {
    Event event;
    std::size_t first_unit = 0, first_assignment = 0, first_observation = 0;
  };
  std::vector<Entry> entries;  // event n is entries[n - 1]
  Anchor after = {};           // where the log ends; of what is on the disk

  std::int64_t sequence() const { return static_cast<std::int64_t>(entries.size()); }
  /// Adds an event that was numbered, with its rows.
  void add(const Event& event, std::span<const UnitRow> units, std::span<const AssignmentRow> assignments,
           std::span<const ObservationRow> observations);
};

/// What a deed gets to work with: the log with what was written before it.
class LiveWriting {
 public:
  LiveWriting(LiveLog& log, Transaction& transaction, const Writer& writer)
      : log_(log), transaction_(transaction), writer_(writer) {}
  const LiveLog& log() const { return log_; }
  const State& state() const { return log_.state; }
  const Writer& writer() const { return writer_; }
  /// Returns the event's number.
  std::int64_t append(Event event, const std::vector<UnitRow>& units = {},
                      const std::vector<AssignmentRow>& assignments = {},
                      const std::vector<ObservationRow>& observations = {});

 private:
  friend class LiveStudy;
  struct Added {
    Event event;
    std::vector<UnitRow> units;
    std::vector<AssignmentRow> assignments;
    std::vector<ObservationRow> observations;
  };
  LiveLog& log_;
  Transaction& transaction_;
  const Writer& writer_;
  std::vector<Added> added_;
};

class LiveStudy {
 public:
  /// Takes the study for itself; `where` is what other writers are told. Throws StoreError where it is taken,
  /// and InvalidArgument where it is signed and there is no key.
  LiveStudy(const std::filesystem::path& folder, const std::string& program,
            std::shared_ptr<const SigningKey> key, const std::string& where);
  ~LiveStudy();

  /// A deed decides by what is there and appends, or throws before it appended anything.
  using Deed = std::function<void(LiveWriting&)>;
  /// Does several in one transaction, one after the other, and returns after the disk has it. A deed that
  /// throws has done nothing, and its exception is in its place of the answer. Where the storage refuses,
  /// nothing was done and all have that exception. For one thread at a time.
  std::vector<std::exception_ptr> write(std::span<const Deed> deeds);

  /// Calls `look` with what is written by now; nothing changes meanwhile.
  template <typename Look>
  auto read(Look look) const {
    const std::shared_lock lock(mutex_);
    return look(static_cast<const LiveLog&>(*shown_));
  }

  const Storage& storage() const { return *storage_; }
  const std::filesystem::path& folder() const { return folder_; }
  void move_to(const std::string& where) { lock_->move_to(where); }
  /// Adds the log's head to heads.txt beside the study, where it is a new one. Throws StoreError.
  void note_head();

 private:
  void load();

  std::filesystem::path folder_;
  Writer writer_;
  std::unique_ptr<Storage> storage_;
  std::unique_ptr<ServingLock> lock_;
  std::optional<LiveLog> work_;  // of the thread that writes
  bool is_noted_ = false;
  mutable std::shared_mutex mutex_;
  std::optional<LiveLog> shown_;  // what is on the disk
};

}  // namespace mindgap::study
