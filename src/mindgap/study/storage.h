#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/study/log.h"
#include "mindgap/study/signing.h"

// Where the log of a study is kept: events with their rows go in and come out, inside transactions. What the
// rows mean and how their hashes are chained is the same in every storage. A new kind of storage is a class
// derived from Storage and one derived from Transaction, and is chosen in storage_at().
namespace mindgap::study {

/// Who writes, and when: the time is the caller's to say.
struct Writer {
  std::string program;                         // "mindgap 0.1.0"
  std::string time;                            // "2026-03-01T09:30:00Z"
  std::shared_ptr<const SigningKey> key = {};  // that signs what is written; none: it is not signed
  bool serving = false;                        // the server that holds the study (serving.h)
};

/// The system's clock in that form.
std::string utc_now();

/// What a transaction is for.
enum class Access {
  create,  // there must be no study yet
  write,
  read,  // changes nothing, and leaves nothing behind
  mend,  // alone, and without a look at what sign() makes anew
};

/// Calls `deed` until it was not overtaken by somebody who wrote meanwhile, `again` before each further time,
/// and gives up with a StoreError that says so: what fails meanwhile is no damage.
template <typename Deed, typename Overtaken, typename Again>
auto until_steady(const std::string& name, Deed deed, Overtaken overtaken, Again again) {
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
  throw StoreError(name + ": it is being written to: try again");
}

/// A study as it is at one moment. What is appended is there for others after commit(), or never: a
/// transaction that is destroyed before has changed nothing. It takes all its calls on one thread.
class Transaction {
 public:
  explicit Transaction(std::string name) : name_(std::move(name)) {}
  virtual ~Transaction() = default;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// Throws StoreError where the rows are not as they were written: what their hashes say is checked.
  Log read_log(LogHashes* hashes = nullptr);
  /// The hash of the last row, and the number of events.
  Digest head();
  std::int64_t events();
  /// Adds an event and its rows; its number and its counts are filled in.
  void append(Event event, const std::vector<UnitRow>& units, const std::vector<AssignmentRow>& assignments,
              const std::vector<ObservationRow>& observations);
  /// Returns after everything is safe. Nothing may be asked of the transaction any more.
  virtual void commit() = 0;

  /// What is wrong with the way in which the rows are kept, in words; "": nothing. The log is not looked at.
  virtual std::string damage() = 0;
  /// The version (kLogVersion) that the storage says it is of.
  virtual std::int64_t version() = 0;
  /// Makes anew what tells damaged bytes from good ones. Begun to mend; the transaction is over then.
  virtual void sign() = 0;
  /// Writes a copy of the study into a folder, where storage_at() finds it.
  virtual void copy_to(const std::filesystem::path& folder) = 0;

  /// Some who read have no locks. Whether somebody has written meanwhile: what was found may then be of no
  /// one moment.
  virtual bool overtaken() const { return false; }
  /// Calls `deed`, and again from the then latest moment for as long as somebody overtakes it.
  template <typename Deed>
  auto steadily(Deed deed) {
    return until_steady(
        name_, deed, [this] { return overtaken(); },
        [this] {
          end_.reset();
          reopen();
        });
  }

 protected:
  /// Where the log ends.
  struct End {
    std::int64_t events = 0;
    Digest head{};  // of the last row
  };

 private:
  virtual void read(Log& log, LogHashes& hashes) = 0;
  virtual End read_end() = 0;
  /// A row of an event comes with its hash.
  virtual void write(const Event& event, std::span<const UnitRow> units,
                     std::span<const AssignmentRow> assignments, std::span<const ObservationRow> observations,
                     const LogHashes& hashes) = 0;
  /// Goes on with the latest moment, after overtaken().
  virtual void reopen() {}

  const End& end();

  std::string name_;
  std::optional<End> end_;  // where it is known
};

/// A place for one study.
class Storage {
 public:
  virtual ~Storage() = default;

  /// What messages call it.
  virtual std::string name() const = 0;
  /// Whether anything is there; it need not be a study that can be read.
  virtual bool exists() const = 0;
  /// Throws StoreError where nothing is.
  void check_there() const;
  /// Throws StoreError where a study cannot begin, because there is one.
  virtual void check_free() const = 0;

  /// Throws StoreError where there is no study, or none of a version that this program knows. A study of an
  /// older version is brought forward, with an event by `writer`, where the transaction is to write.
  virtual std::unique_ptr<Transaction> begin(Access access, const Writer& writer) const = 0;
  std::unique_ptr<Transaction> begin_reading() const { return begin(Access::read, {}); }

  /// For storages that are files in folders: whether it lies in this one;
  virtual bool lies_in(const std::filesystem::path&) const { return false; }
  /// whether something that was written to it is not in the file itself yet;
  virtual bool is_in_use() const { return false; }
  /// the file by which a server says that it alone writes (serving.h); "": it cannot be served;
  virtual std::filesystem::path serving_file() const { return {}; }
  /// and the files beside it that are of no use without it.
  virtual std::vector<std::string> side_files() const { return {}; }
};

/// The storage at a path: a study's folder, or the file itself. Nothing is opened or made yet.
std::unique_ptr<Storage> storage_at(const std::filesystem::path& path);

}  // namespace mindgap::study
