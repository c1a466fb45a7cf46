#include "mindgap/study/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "mindgap/base/error.h"
#include "mindgap/study/pages.h"

namespace mindgap::study {
namespace {

constexpr int kPatience = 60'000;  // milliseconds that a writer waits for another one

// A path as an SQLite URI: what has a meaning there is escaped.
std::string uri_of(const std::filesystem::path& path, const std::string& options) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      uri.push_back(c);
    }
  }
  return uri + options;
}

std::string_view advice(int code) {
  if (code == SQLITE_IOERR_DATA) {
    return "it is damaged, or another program wrote to it: a page does not match its checksum; go back to a "
           "copy (mindgap study export writes one)";
  }
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "the disk is full: nothing was written";
    case SQLITE_READONLY:
      return "it is read-only";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another command has been writing to it for a minute: try again";
    case SQLITE_CORRUPT:
      return "it is damaged: go back to a copy (mindgap study export writes one)";
    case SQLITE_NOTADB:
      return "it is no study";
    case SQLITE_IOERR:
      return "the disk cannot be written or read: nothing was written";
    case SQLITE_CANTOPEN:
      return "it cannot be opened";
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return "it may not be accessed";
    default:
      return "the database refuses";
  }
}

}  // namespace

void Database::fail(int code) const {
  throw StoreError(fmt::format("{}: {} (SQLite: {})", shown_, advice(code),
                               handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_)));
}

Database::Database(const std::filesystem::path& path, Access access) : shown_(path.string()) {
  const int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (access == Access::create  ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                     : access == Access::write ? SQLITE_OPEN_READWRITE
                                               : SQLITE_OPEN_READONLY);
  int code = sqlite3_open_v2(uri_of(path, "").c_str(), &handle_, flags, checked_pages());
  sqlite3_busy_timeout(handle_, kPatience);
  // In a folder that may not be written to the usual way to read beside a writer is closed; but then, without
  // a file of changes left behind, there is no writer either.
  if (code == SQLITE_OK && access == Access::read) {
    code = sqlite3_exec(handle_, "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr);
    if (((code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY) &&
        !std::filesystem::exists(path.string() + "-wal")) {
      sqlite3_close(handle_);
      code = sqlite3_open_v2(uri_of(path, "?immutable=1").c_str(), &handle_, flags, checked_pages());
    }
  }
  if (code != SQLITE_OK) {
    std::string problem;
    try {
      fail(code);
    } catch (const StoreError& error) {
      problem = error.what();
    }
    sqlite3_close(handle_);
    throw StoreError(problem);
  }
  try {
    run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA synchronous = FULL;"
        "PRAGMA temp_store = MEMORY");
    // Who reads goes through the file once.
    run(access == Access::read ? "PRAGMA cache_size = -4096" : "PRAGMA cache_size = -65536");
    if (access == Access::create) reserve();
    if (access == Access::write && sqlite3_db_readonly(handle_, "main") == 1)
      throw StoreError(shown_ + ": it is read-only");
  } catch (...) {  // what was not made is not destroyed
    close();
    throw;
  }
}

Database::~Database() {
  close();
}

void Database::close() {
  sqlite3_close_v2(handle_);
  handle_ = nullptr;
}

void Database::run(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

void Database::reserve() {
  int bytes = kReserved;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
}

bool Database::has_checksums() {
  int bytes = -1;
  return sqlite3_file_control(handle_, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes) == SQLITE_OK &&
         bytes == kReserved;
}

void Database::add_checksums() {
  if (has_checksums()) return;
  reserve();
  run("PRAGMA temp_store = DEFAULT; VACUUM; PRAGMA temp_store = MEMORY");
}

std::string Database::page_damage() {
  const std::int64_t bad = first_bad_page(handle_);
  if (bad == 0) return "";
  // Perhaps what waits in the write-ahead log replaces it: read what a reader gets, every page of it.
  sqlite3* copy = nullptr;
  sqlite3_open(":memory:", &copy);
  sqlite3_backup* backup = sqlite3_backup_init(copy, "main", handle_, "main");
  const int code = backup == nullptr ? SQLITE_NOMEM : sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  sqlite3_close(copy);
  if (code == SQLITE_DONE) return "";
  return code == SQLITE_IOERR_DATA ? fmt::format("page {} does not match its checksum", bad)
                                   : fmt::format("page {} cannot be read ({})", bad, sqlite3_errstr(code));
}

void Database::copy_to(const std::filesystem::path& path) {
  Database copy(path, Access::create);
  sqlite3_backup* backup = sqlite3_backup_init(copy.handle_, "main", handle_, "main");
  if (backup == nullptr) copy.fail(sqlite3_errcode(copy.handle_));
  const int code = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE) copy.fail(code);
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  const int code = sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

Statement& Statement::bind(int place, std::int64_t value) {
  sqlite3_bind_int64(statement_, place, value);
  return *this;
}

Statement& Statement::bind(int place, double value) {
  sqlite3_bind_double(statement_, place, value);
  return *this;
}

Statement& Statement::bind_text(int place, std::string_view text) {
  const char* data = text.empty() ? "" : text.data();  // a null pointer would mean NULL
  const int code = sqlite3_bind_text64(statement_, place, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind_blob(int place, std::string_view bytes) {
  const char* data = bytes.empty() ? "" : bytes.data();
  const int code = sqlite3_bind_blob64(statement_, place, data, bytes.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind_null(int place) {
  sqlite3_bind_null(statement_, place);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  return false;
}

void Statement::execute() {
  step();
  sqlite3_reset(statement_);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Statement::whole(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Statement::number(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::string_view Statement::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return {data == nullptr ? "" : data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Transaction::Transaction(Database& database, bool write) : database_(database) {
  database.run(write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace mindgap::study
