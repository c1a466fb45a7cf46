#include "mindgap/study/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/base/report_progress.h"
#include "mindgap/study/schema.h"
#include "mindgap/study/write_ahead.h"

namespace mindgap::study {
namespace {

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

void write_units(Database& database, Chain& chain, const std::vector<UnitRow>& units) {
  Statement insert(database, "INSERT INTO unit (name, state, unit_group, arm, hash) VALUES (?, ?, ?, ?, ?)");
  for (const UnitRow& row : units) {
    insert.bind_text(1, row.name).bind(2, std::int64_t{row.state}).bind_text(3, row.group);
    insert.bind(4, static_cast<std::int64_t>(row.arm)).bind_blob(5, view(chain.add(row))).execute();
  }
}

void write_assignments(Database& database, Chain& chain, const std::vector<AssignmentRow>& assignments) {
  Statement insert(database,
                   "INSERT INTO assignment (unit, step, state, action, batch, arm, route, draw_probability, "
                   "probability, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const AssignmentRow& row : assignments) {
    insert.bind(1, std::int64_t{row.unit}).bind(2, std::int64_t{row.step}).bind(3, std::int64_t{row.state});
    insert.bind(4, std::int64_t{row.action}).bind(5, std::int64_t{row.batch});
    insert.bind(6, static_cast<std::int64_t>(row.arm));
    row.route < 0 ? insert.bind_null(7) : insert.bind(7, std::int64_t{row.route});
    insert.bind(8, row.draw_probability).bind(9, row.probability);
    insert.bind_blob(10, view(chain.add(row))).execute();
  }
}

void write_observations(Database& database, Chain& chain, const std::vector<ObservationRow>& observations) {
  Statement insert(database,
                   "INSERT INTO observation (unit, step, state, action, reward, next_state, censored, void, "
                   "deviation, replaces, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const ObservationRow& row : observations) {
    insert.bind(1, std::int64_t{row.unit}).bind(2, std::int64_t{row.step}).bind(3, std::int64_t{row.state});
    insert.bind(4, std::int64_t{row.action});
    row.has_reward ? insert.bind(5, row.reward) : insert.bind_null(5);
    row.next_state < 0 ? insert.bind_null(6) : insert.bind(6, std::int64_t{row.next_state});
    insert.bind(7, std::int64_t{row.censored} + std::int64_t{row.at_most}).bind(8, std::int64_t{row.is_void});
    insert.bind(9, std::int64_t{row.deviation});
    row.replaces < 0 ? insert.bind_null(10) : insert.bind(10, row.replaces + 1);
    insert.bind_blob(11, view(chain.add(row))).execute();
  }
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::filesystem::path study_file(const std::filesystem::path& folder) {
  std::filesystem::path path = std::filesystem::is_regular_file(folder) ? folder : folder / "study.db";
  if (!std::filesystem::exists(path))
    throw StoreError(fmt::format("{}: there is no study; {} begins one", path.string(),
                                 base::told("study init", "Study.init()")));
  return path;
}

void Store::check_free(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "study.db";
  if (!std::filesystem::exists(path)) return;
  Database database(path, Access::read);
  Statement any(database, "SELECT count(*) FROM sqlite_schema");
  any.step();
  if (any.whole(0) != 0) throw StoreError(path.string() + ": there is a study already");
}

Store Store::create(const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem)
    throw StoreError(fmt::format("{}: the folder cannot be made: {}", folder.string(), problem.message()));
  const std::filesystem::path path = folder / "study.db";
  check_free(folder);
  std::error_code ignored;
  const bool cut_short = std::filesystem::exists(path, ignored);
  auto database = std::make_unique<Database>(path, Access::create);
  database->run("PRAGMA journal_mode = WAL");
  if (cut_short) database->run("VACUUM");  // whoever began it may not have left room for checksums
  return Store(std::move(database));
}

Store::Store(const std::filesystem::path& folder, Access access, const Writer& writer) {
  const std::filesystem::path path = study_file(folder);
  // One that fails to open is not there to ask.
  std::filesystem::file_time_type before{};
  const auto written = [&] {
    std::error_code ignored;
    return std::filesystem::last_write_time(path, ignored);
  };
  bool opened = false;
  until_steady(
      path,
      [&] {
        before = written();
        open(path, access, writer);
        return opened = true;
      },
      [&] { return !opened && access == Access::read && written() != before; }, [] {});
}

void Store::open(const std::filesystem::path& path, Access access, const Writer& writer) {
  const std::string damage = write_ahead_damage(path);
  if (!damage.empty()) throw StoreError(fmt::format("{}: it is damaged: {}", path.string(), damage));
  database_ = std::make_unique<Database>(path, access);
  if (schema_version(*database_) != kSchemaVersion) bring_forward(access, writer);
  if (!database_->has_checksums())
    throw StoreError(path.string() + ": it is damaged: its first page does not say that it has checksums");
}

void Store::bring_forward(Access access, const Writer& writer) {
  if (access != Access::write) {
    throw StoreError(
        fmt::format("{}: the study was written by an older version; any command that writes ({}) brings it "
                    "forward",
                    database_->shown(), base::told("study assign", "Study.assign()")));
  }
  database_->add_checksums();
  Transaction transaction(*database_, true);
  const std::int64_t from = schema_version(*database_);
  if (from == kSchemaVersion) return;  // somebody else was faster
  migrate_schema(*database_);
  append({.time = writer.time,
          .program = writer.program,
          .kind = "migrate",
          .content = fmt::format("{{\"from\":{},\"to\":{}}}", from, kSchemaVersion)},
         {}, {}, {});
  transaction.commit();
}

Log Store::read_once(LogHashes& hashes) {
  Log log;
  hashes = {};
  read_events(*database_, log.events, hashes.events);
  read_units(*database_, log.units, hashes.units);
  read_assignments(*database_, log.assignments, hashes.assignments);
  read_observations(*database_, log.observations, hashes.observations);
  check_chain(log, hashes);
  if (database_->alone()) {
    head_.reset();
    head_ = head();
  }
  return log;
}

Log Store::read_log(LogHashes* hashes) {
  LogHashes found;
  Log log = until_steady(
      database_->shown(), [&] { return read_once(found); }, [&] { return database_->overtaken(); },
      [&] { database_->reopen(); });
  if (hashes != nullptr) *hashes = std::move(found);
  return log;
}

Digest Store::head() {
  if (head_) return *head_;
  Statement last(*database_,
                 "SELECT units, assignments, observations, hash FROM event ORDER BY number DESC LIMIT 1");
  if (!last.step()) return {};
  const char* table = last.whole(2) > 0   ? "observation"
                      : last.whole(1) > 0 ? "assignment"
                      : last.whole(0) > 0 ? "unit"
                                          : "event";
  Statement hash(*database_, fmt::format("SELECT hash FROM {} ORDER BY number DESC LIMIT 1", table));
  return hash.step() ? digest_of(hash.bytes(0)) : Digest{};
}

void Store::append(Event event, const std::vector<UnitRow>& units,
                   const std::vector<AssignmentRow>& assignments,
                   const std::vector<ObservationRow>& observations) {
  event.number = rows_of(*database_, "event") + 1;
  event.units = static_cast<std::int64_t>(units.size());
  event.assignments = static_cast<std::int64_t>(assignments.size());
  event.observations = static_cast<std::int64_t>(observations.size());
  Chain chain(head());
  Statement insert(
      *database_,
      "INSERT INTO event (number, time, program, kind, content, data, units, assignments, observations, "
      "hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, event.number).bind_text(2, event.time).bind_text(3, event.program).bind_text(4, event.kind);
  insert.bind_text(5, event.content).bind_blob(6, event.data).bind(7, event.units).bind(8, event.assignments);
  insert.bind(9, event.observations).bind_blob(10, view(chain.add(event))).execute();
  write_units(*database_, chain, units);
  write_assignments(*database_, chain, assignments);
  write_observations(*database_, chain, observations);
}

std::string Store::integrity() {
  Statement check(*database_, "PRAGMA integrity_check(1)");
  return check.step() ? std::string(check.bytes(0)) : "no answer";
}

}  // namespace mindgap::study
