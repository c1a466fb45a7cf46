#include "mindgap/study/sqlite_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/option_name.h"
#include "mindgap/files/output.h"
#include "mindgap/files/place.h"
#include "mindgap/study/database.h"
#include "mindgap/study/schema.h"
#include "mindgap/study/serving.h"
#include "mindgap/study/write_ahead.h"

namespace mindgap::study {
namespace {

constexpr const char* kServing = "-serving";  // beside the file, while it is served

constexpr const char* kFile = "study.db";  // in a study's folder
constexpr const char *kWriteAhead = "-wal", *kShared = "-shm",
                     *kJournal = "-journal";  // what SQLite keeps beside it, by their endings

std::string_view view(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// What has no 32 bytes is no hash, and does not match any.
Digest digest_of(std::string_view bytes) {
  Digest digest{};
  if (bytes.size() == digest.size()) std::memcpy(digest.data(), bytes.data(), digest.size());
  return digest;
}

std::int64_t rows_of(Database& database, const char* table) {
  Statement statement(database, fmt::format("SELECT coalesce(max(number), 0) FROM {}", table));
  statement.step();
  return statement.whole(0);
}

// For the rows of a table; a damaged number must not ask for all memory.
std::size_t room_for(Database& database, const char* table) {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(rows_of(database, table), 0, 1 << 22));
}

// Says now and then how many rows of a table are read.
void report_rows(const char* what, std::size_t read, std::size_t total) {
  if (read % 8192 == 0)
    base::report_progress(what, static_cast<std::int64_t>(read), static_cast<std::int64_t>(total));
}

// Row numbers are 1, 2, ...: a gap would be a row that is gone.
void check_number(std::int64_t found, std::size_t before, const char* table) {
  if (found != static_cast<std::int64_t>(before) + 1)
    throw StoreError(fmt::format("the study is damaged: {} {} is followed by {}", table, before, found));
}

std::int32_t small(std::int64_t value, const char* what) {
  if (value < -1 || value > INT32_MAX)
    throw StoreError(fmt::format("the study is damaged: {} is {}", what, value));
  return static_cast<std::int32_t>(value);
}

// Flags and arms are 0 or 1.
bool flag(std::int64_t value, const char* what) {
  if (value != 0 && value != 1) throw StoreError(fmt::format("the study is damaged: {} is {}", what, value));
  return value == 1;
}

void read_events(Database& database, std::vector<Event>& events, std::vector<Digest>& hashes) {
  Statement row(
      database,
      "SELECT number, time, program, kind, content, data, units, assignments, observations, hash FROM event "
      "ORDER BY number");
  while (row.step()) {
    check_number(row.whole(0), events.size(), "event");
    events.push_back({row.whole(0), std::string(row.bytes(1)), std::string(row.bytes(2)),
                      std::string(row.bytes(3)), std::string(row.bytes(4)), std::string(row.bytes(5)),
                      row.whole(6), row.whole(7), row.whole(8)});
    hashes.push_back(digest_of(row.bytes(9)));
  }
}

void read_units(Database& database, std::vector<UnitRow>& units, std::vector<Digest>& hashes) {
  Statement row(database, "SELECT number, name, state, unit_group, arm, hash FROM unit ORDER BY number");
  while (row.step()) {
    check_number(row.whole(0), units.size(), "unit");
    units.push_back({std::string(row.bytes(1)), small(row.whole(2), "a state"), std::string(row.bytes(3)),
                     flag(row.whole(4), "an arm") ? Arm::control : Arm::explore});
    hashes.push_back(digest_of(row.bytes(5)));
  }
}

void read_assignments(Database& database, std::vector<AssignmentRow>& assignments,
                      std::vector<Digest>& hashes) {
  assignments.reserve(room_for(database, "assignment"));
  hashes.reserve(assignments.capacity());
  Statement row(
      database,
      "SELECT number, unit, step, state, action, batch, arm, route, draw_probability, probability, hash FROM "
      "assignment ORDER BY number");
  while (row.step()) {
    report_rows("reading assignments", assignments.size(), assignments.capacity());
    check_number(row.whole(0), assignments.size(), "assignment");
    AssignmentRow next;
    next.unit = small(row.whole(1), "a unit");
    next.step = small(row.whole(2), "a step");
    next.state = small(row.whole(3), "a state");
    next.action = small(row.whole(4), "an action");
    next.batch = small(row.whole(5), "a batch");
    next.arm = flag(row.whole(6), "an arm") ? Arm::control : Arm::explore;
    next.route = row.is_null(7) ? -1 : small(row.whole(7), "a route");
    next.draw_probability = row.number(8);
    next.probability = row.number(9);
    assignments.push_back(next);
    hashes.push_back(digest_of(row.bytes(10)));
  }
}

void read_observations(Database& database, std::vector<ObservationRow>& observations,
                       std::vector<Digest>& hashes) {
  observations.reserve(room_for(database, "observation"));
  hashes.reserve(observations.capacity());
  Statement row(
      database,
      "SELECT number, unit, step, state, action, reward, next_state, censored, void, deviation, replaces, "
      "hash FROM observation ORDER BY number");
  while (row.step()) {
    report_rows("reading results", observations.size(), observations.capacity());
    check_number(row.whole(0), observations.size(), "observation");
    ObservationRow next;
    next.unit = small(row.whole(1), "a unit");
    next.step = small(row.whole(2), "a step");
    next.state = small(row.whole(3), "a state");
    next.action = small(row.whole(4), "an action");
    next.has_reward = !row.is_null(5);
    next.reward = next.has_reward ? row.number(5) : 0;
    next.next_state = row.is_null(6) ? -1 : small(row.whole(6), "a state");
    next.at_most = row.whole(7) == 2;  // 0: not censored, 1: at least, 2: at most
    next.censored = next.at_most || flag(row.whole(7), "censored");
    next.is_void = flag(row.whole(8), "void");
    next.deviation = flag(row.whole(9), "deviation");
    next.replaces = row.is_null(10) ? -1 : row.whole(10) - 1;
    observations.push_back(next);
    hashes.push_back(digest_of(row.bytes(11)));
  }
}

void write_units(Database& database, std::span<const UnitRow> units, std::span<const Digest> hashes) {
  Statement insert(database, "INSERT INTO unit (name, state, unit_group, arm, hash) VALUES (?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < units.size(); ++i) {
    const UnitRow& row = units[i];
    insert.bind_text(1, row.name).bind(2, std::int64_t{row.state}).bind_text(3, row.group);
    insert.bind(4, static_cast<std::int64_t>(row.arm)).bind_blob(5, view(hashes[i])).execute();
  }
}

void write_assignments(Database& database, std::span<const AssignmentRow> assignments,
                       std::span<const Digest> hashes) {
  Statement insert(database,
                   "INSERT INTO assignment (unit, step, state, action, batch, arm, route, draw_probability, "
                   "probability, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    const AssignmentRow& row = assignments[i];
    insert.bind(1, std::int64_t{row.unit}).bind(2, std::int64_t{row.step}).bind(3, std::int64_t{row.state});
    insert.bind(4, std::int64_t{row.action}).bind(5, std::int64_t{row.batch});
    insert.bind(6, static_cast<std::int64_t>(row.arm));
    row.route < 0 ? insert.bind_null(7) : insert.bind(7, std::int64_t{row.route});
    insert.bind(8, row.draw_probability).bind(9, row.probability);
    insert.bind_blob(10, view(hashes[i])).execute();
  }
}

void write_observations(Database& database, std::span<const ObservationRow> observations,
                        std::span<const Digest> hashes) {
  Statement insert(database,
                   "INSERT INTO observation (unit, step, state, action, reward, next_state, censored, void, "
                   "deviation, replaces, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const ObservationRow& row = observations[i];
    insert.bind(1, std::int64_t{row.unit}).bind(2, std::int64_t{row.step}).bind(3, std::int64_t{row.state});
    insert.bind(4, std::int64_t{row.action});
    row.has_reward ? insert.bind(5, row.reward) : insert.bind_null(5);
    row.next_state < 0 ? insert.bind_null(6) : insert.bind(6, std::int64_t{row.next_state});
    insert.bind(7, std::int64_t{row.censored} + std::int64_t{row.at_most}).bind(8, std::int64_t{row.is_void});
    insert.bind(9, std::int64_t{row.deviation});
    row.replaces < 0 ? insert.bind_null(10) : insert.bind(10, row.replaces + 1);
    insert.bind_blob(11, view(hashes[i])).execute();
  }
}

void write_event(Database& database, const Event& event, const Digest& hash) {
  Statement insert(
      database,
      "INSERT INTO event (number, time, program, kind, content, data, units, assignments, observations, "
      "hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, event.number).bind_text(2, event.time).bind_text(3, event.program).bind_text(4, event.kind);
  insert.bind_text(5, event.content).bind_blob(6, event.data).bind(7, event.units).bind(8, event.assignments);
  insert.bind(9, event.observations).bind_blob(10, view(hash)).execute();
}

class SqliteTransaction final : public Transaction {
 public:
  SqliteTransaction(std::unique_ptr<Database> database, Access access)
      : Transaction(database->shown()),
        database_(std::move(database)),
        access_(access),
        open_(std::in_place, *database_, access == Access::create || access == Access::write) {}

  Database& database() { return *database_; }

  void commit() override {
    open_->commit();
    database_->close();
    if (access_ == Access::create) files::sync_to_disk(database_->path().parent_path());
  }

  std::string damage() override {
    if (access_ != Access::mend) {
      const std::string pages = database_->page_damage();
      if (!pages.empty()) return "the bytes of the file have changed: " + pages;
    }
    Statement check(*database_, "PRAGMA integrity_check(1)");
    const std::string integrity = check.step() ? std::string(check.bytes(0)) : "no answer";
    if (integrity != "ok") return "SQLite finds the file damaged: " + integrity;
    const std::string layout = schema_difference(*database_);
    return layout.empty() ? "" : "the layout of the file was changed: " + layout;
  }

  std::int64_t version() override { return schema_version(*database_); }

  void sign() override {
    open_.reset();
    database_->sign();
  }

  void copy_to(const std::filesystem::path& folder) override { database_->copy_to(folder / kFile); }

  bool overtaken() const override { return database_->overtaken(); }

 private:
  void read(Log& log, LogHashes& hashes) override {
    read_events(*database_, log.events, hashes.events);
    read_units(*database_, log.units, hashes.units);
    read_assignments(*database_, log.assignments, hashes.assignments);
    read_observations(*database_, log.observations, hashes.observations);
  }

  End read_end() override {
    Statement last(*database_,
                   "SELECT number, units, assignments, observations FROM event ORDER BY number DESC LIMIT 1");
    if (!last.step()) return {};
    const char* table = last.whole(3) > 0   ? "observation"
                        : last.whole(2) > 0 ? "assignment"
                        : last.whole(1) > 0 ? "unit"
                                            : "event";
    Statement hash(*database_, fmt::format("SELECT hash FROM {} ORDER BY number DESC LIMIT 1", table));
    return {last.whole(0), hash.step() ? digest_of(hash.bytes(0)) : Digest{}};
  }

  void write(const Event& event, std::span<const UnitRow> units, std::span<const AssignmentRow> assignments,
             std::span<const ObservationRow> observations, const LogHashes& hashes) override {
    write_event(*database_, event, hashes.events.front());
    write_units(*database_, units, hashes.units);
    write_assignments(*database_, assignments, hashes.assignments);
    write_observations(*database_, observations, hashes.observations);
  }

  void reopen() override { database_->reopen(); }

  std::unique_ptr<Database> database_;
  Access access_;
  std::optional<DatabaseTransaction> open_;  // ends before the database is closed
};

// Throws where there are rows, or could be.
void check_empty(const std::filesystem::path& path) {
  if (!files::is_there(path)) return;
  Database database(path, Access::read);
  Statement any(database, "SELECT count(*) FROM sqlite_schema");
  any.step();
  if (any.whole(0) != 0) throw StoreError(path.string() + ": there is a study already");
}

// A new file, laid out, in a folder that is made where it is not there.
std::unique_ptr<Transaction> begin_new(const std::filesystem::path& folder) {
  files::make_folders(folder);
  const std::filesystem::path path = folder / kFile;
  check_empty(path);
  std::error_code ignored;
  const bool cut_short = std::filesystem::exists(path, ignored);
  auto database = std::make_unique<Database>(path, Access::create);
  database->run("PRAGMA journal_mode = WAL");
  if (cut_short) database->run("VACUUM");  // whoever began it may not have left room for checksums
  auto transaction = std::make_unique<SqliteTransaction>(std::move(database), Access::create);
  create_schema(transaction->database());
  return transaction;
}

void bring_forward(std::unique_ptr<Database> database, Access access, const Writer& writer) {
  if (access != Access::write) {
    throw StoreError(
        fmt::format("{}: the study was written by an older version; any command that writes ({}) brings it "
                    "forward",
                    database->shown(), base::told("study assign", "Study.assign()")));
  }
  database->add_checksums();
  SqliteTransaction transaction(std::move(database), access);
  const std::int64_t from = transaction.version();
  if (from == kLogVersion) return;  // somebody else was faster
  migrate_schema(transaction.database());
  transaction.append({.time = writer.time,
                      .program = writer.program,
                      .kind = "migrate",
                      .content = fmt::format(R"({{"from":{},"to":{}}})", from, kLogVersion)},
                     {}, {}, {});
  transaction.commit();
}

// Under another name of the same file SQLite would look for what waits in another place, and would not find
// it.
void check_one_name(const std::filesystem::path& path) {
  std::error_code error;
  const auto names = std::filesystem::hard_link_count(path, error);
  if (!error && names > 1)
    throw StoreError(
        fmt::format("{}: the file has {} names (hard links): what one of them writes is not seen by "
                    "the others; copy it, and use the copy",
                    path.string(), names));
}

std::unique_ptr<Database> open_database(const std::filesystem::path& path, Access access,
                                        const Writer& writer) {
  if (access != Access::read) check_one_name(path);
  const std::string damage = write_ahead_damage(path);
  if (!damage.empty()) throw StoreError(fmt::format("{}: it is damaged: {}", path.string(), damage));
  auto database = std::make_unique<Database>(path, access);
  if (schema_version(*database) != kLogVersion) {
    bring_forward(std::move(database), access, writer);
    database = std::make_unique<Database>(path, access);
  }
  if (!database->has_checksums())
    throw StoreError(path.string() + ": it is damaged: its first page does not say that it has checksums");
  return database;
}

}  // namespace

// Links are followed here, once: SQLite follows them, too, and keeps what waits beside the file itself.
std::filesystem::path SqliteStorage::file() const {
  const std::filesystem::path named = files::is_file(place_) ? place_ : place_ / kFile;
  return files::is_there(named) ? std::filesystem::canonical(named) : named;
}

std::string SqliteStorage::name() const {
  return (files::is_file(place_) ? place_ : place_ / kFile).string();
}

bool SqliteStorage::exists() const {
  return files::is_there(file());
}

void SqliteStorage::check_free() const {
  check_empty(place_ / kFile);
}

std::unique_ptr<Transaction> SqliteStorage::begin(Access access, const Writer& writer) const {
  if (access == Access::create) return begin_new(place_);
  check_there();
  const std::filesystem::path path = file();
  if (access != Access::read && !writer.serving) refuse_while_served(serving_file());
  // One that fails to open is not there to ask whether it was overtaken.
  std::filesystem::file_time_type before{};
  const auto written = [&] {
    std::error_code ignored;
    return std::filesystem::last_write_time(path, ignored);
  };
  std::unique_ptr<Database> database;
  until_steady(
      path.string(),
      [&] {
        before = written();
        database = open_database(path, access, writer);
        return true;
      },
      [&] { return database == nullptr && access == Access::read && written() != before; }, [] {});
  return std::make_unique<SqliteTransaction>(std::move(database), access);
}

bool SqliteStorage::lies_in(const std::filesystem::path& folder) const {
  std::error_code ignored;
  return std::filesystem::equivalent(std::filesystem::absolute(file()).parent_path(), folder, ignored);
}

bool SqliteStorage::is_in_use() const {
  std::error_code none;  // who only reads leaves an empty file
  const auto waiting = std::filesystem::file_size(file().string() + kWriteAhead, none);
  return !none && waiting > 0;
}

std::filesystem::path SqliteStorage::serving_file() const {
  return file().string() + kServing;
}

std::vector<std::string> SqliteStorage::side_files() const {
  const std::string name = file().filename().string();
  return {name + kWriteAhead, name + kShared, name + kJournal, name + kServing};
}

}  // namespace mindgap::study
