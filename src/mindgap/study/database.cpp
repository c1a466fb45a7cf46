#include "mindgap/study/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/option_name.h"
#include "mindgap/base/remedy.h"
#include "mindgap/files/place.h"
#include "mindgap/study/pages.h"

namespace mindgap::study {
namespace {

constexpr std::chrono::seconds kPatience{60};  // that a writer waits for another one
constexpr int kLooks = 20;                     // of a reader that finds one of a writer's two files
constexpr std::chrono::milliseconds kBetweenLooks{10};

// A path as an SQLite URI: what has a meaning there is escaped.
std::string uri_of(const std::filesystem::path& path, const std::string& options) {
  std::string uri = "file:";
  for (const char c : files::absolute_path(path).string()) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      uri.push_back(c);
    }
  }
  return uri + options;
}

constexpr int kFlags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;

constexpr std::int64_t kTick = 20'000'000;  // nanoseconds: file times go on in steps of less

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Of "<path>-wal" and the like; -1 where it is not there.
std::int64_t size_beside(const std::filesystem::path& path, const char* ending) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path.string() + ending, error);
  return error ? -1 : static_cast<std::int64_t>(size);
}

// Whether anybody has the database open by way of "<path>-shm": all hold a lock on its byte 128.
bool is_in_use(const std::filesystem::path& path) {
  const int file = ::open((path.string() + "-shm").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno != ENOENT;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = 128;
  lock.l_len = 1;
  const bool free = ::fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
  ::close(file);
  return !free;
}

// Another user who only looked may have left files that the owner may not write to. Without rows in them
// they are worth nothing, and nobody uses them.
void remove_leftovers(const std::filesystem::path& path) {
  const std::string wal = path.string() + "-wal", shared = path.string() + "-shm";
  const auto closed = [](const std::string& name) {
    return ::access(name.c_str(), F_OK) == 0 && ::access(name.c_str(), W_OK) != 0;
  };
  if (!closed(wal) && !closed(shared)) return;
  if ((closed(wal) && size_beside(path, "-wal") != 0) || is_in_use(path)) return;
  if (closed(wal)) ::unlink(wal.c_str());
  ::unlink(shared.c_str());
}

std::string advice(int code) {
  if (code == SQLITE_IOERR_DATA) {
    return fmt::format(
        "it is damaged, or another program wrote to it: a page does not match its checksum; if another "
        "program opened the file, {} checks the whole log and signs the pages anew; else go back to a copy "
        "({} writes one)",
        base::how_to(base::Remedy::sign_study), base::told("study export", "Study.export()"));
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
      return "it is damaged: go back to a copy";
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

// SQLite asks whether to try again, and is C: what an interruption point throws comes out of fail().
int Database::wait(void* self, int tried) {
  Database& database = *static_cast<Database*>(self);
  const auto now = std::chrono::steady_clock::now();
  if (tried == 0) {
    database.waiting_since_ = now;
    database.interrupted_ = nullptr;
  }
  if (now - database.waiting_since_ >= kPatience) return 0;
  try {
    base::interruption_point();
  } catch (...) {
    database.interrupted_ = std::current_exception();
    return 0;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(std::min(tried + 1, 50)));
  return 1;
}

void Database::fail(int code) const {
  if (interrupted_) std::rethrow_exception(interrupted_);
  throw StoreError(fmt::format("{}: {} (SQLite: {})", shown_, advice(code),
                               handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_)));
}

Database::Database(const std::filesystem::path& path, Access access)
    : path_(path), access_(access), shown_(path.string()) {
  open();
}

Database::Mark Database::mark_of(const std::filesystem::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {found.st_size, nanoseconds(found.st_mtim), nanoseconds(found.st_ctim),
          static_cast<std::int64_t>(found.st_ino), std::max<std::int64_t>(size_beside(path, "-wal"), 0)};
}

// Without locks and without a file beside it, and so blind to a writer.
int Database::open_alone() {
  sqlite3_close(handle_);
  alone_ = true;
  return sqlite3_open_v2(uri_of(path_, "?immutable=1").c_str(), &handle_, kFlags | SQLITE_OPEN_READONLY,
                         checked_pages());
}

// With what waits in the write-ahead log, but without room for the shared file: a connection that has the
// database to itself keeps in memory what else would be in that file.
int Database::open_without_shared() {
  sqlite3_close(handle_);
  int code =
      sqlite3_open_v2(uri_of(path_, "").c_str(), &handle_, kFlags | SQLITE_OPEN_READWRITE, checked_pages());
  if (code != SQLITE_OK) return code;
  sqlite3_busy_handler(handle_, &Database::wait, this);
  code = sqlite3_exec(handle_, "PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_schema", nullptr,
                      nullptr, nullptr);
  return code;
}

// SQLite reads beside a writer by means of two files, which the last one to leave removes, if it may write.
// Who may not write to the database would make them as files of its own and lock the owner out: it reads
// without them where they are not there. Then, without changes that wait in one, there was no writer either.
int Database::open_to_read() {
  mark_ = mark_of(path_);
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  fresh_ = std::abs(nanoseconds(now) - mark_.written) < kTick;
  int code =
      sqlite3_open_v2(uri_of(path_, "").c_str(), &handle_, kFlags | SQLITE_OPEN_READWRITE, checked_pages());
  if (code != SQLITE_OK) return code;
  sqlite3_busy_handler(handle_, &Database::wait, this);
  const bool waiting = size_beside(path_, "-wal") > 0;
  const bool both = size_beside(path_, "-wal") >= 0 && size_beside(path_, "-shm") >= 0;
  if (sqlite3_db_readonly(handle_, "main") == 1 && !waiting && !both) return open_alone();
  // A writer makes the two files one after the other: where one is there and not yet the other, look again.
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) std::this_thread::sleep_for(kBetweenLooks);
    code = sqlite3_exec(handle_, "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr);
    const int kind = code & 0xff;
    // The shared file may not be made, or there is no room for it.
    const bool no_room = kind == SQLITE_FULL || code == SQLITE_IOERR_SHMSIZE ||
                         code == SQLITE_IOERR_SHMOPEN || code == SQLITE_IOERR_SHMMAP ||
                         code == SQLITE_IOERR_WRITE;
    if (kind != SQLITE_CANTOPEN && kind != SQLITE_READONLY && !no_room) return code;
    if (size_beside(path_, "-wal") <= 0) return open_alone();
    if (no_room) return open_without_shared();
  }
  throw StoreError(
      fmt::format("{0}: its latest rows are in {0}-wal, and reading that takes a folder that may "
                  "be written to: copy both files to one, and read them there",
                  shown_));
}

void Database::open() {
  try {
    int code = SQLITE_OK;
    if (access_ == Access::read) {
      code = open_to_read();
    } else {
      if (access_ != Access::create) remove_leftovers(path_);
      const int create = access_ == Access::create ? SQLITE_OPEN_CREATE : 0;
      const std::string uri = uri_of(path_, access_ == Access::mend ? "?unchecked=1" : "");
      code = sqlite3_open_v2(uri.c_str(), &handle_, kFlags | SQLITE_OPEN_READWRITE | create, checked_pages());
    }
    if (code != SQLITE_OK) fail(code);
    sqlite3_busy_handler(handle_, &Database::wait, this);
    run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA synchronous = FULL;"
        "PRAGMA temp_store = MEMORY");
    // Who reads goes through the file once.
    run(access_ == Access::read ? "PRAGMA cache_size = -4096; PRAGMA query_only = ON"
                                : "PRAGMA cache_size = -65536");
    if (access_ == Access::create) reserve();
    if (access_ == Access::mend) run("PRAGMA locking_mode = EXCLUSIVE");
    if (access_ != Access::create && access_ != Access::read && sqlite3_db_readonly(handle_, "main") == 1)
      throw StoreError(shown_ + ": it is read-only");
  } catch (...) {  // what was not made is not destroyed
    close();
    throw;
  }
}

bool Database::overtaken() const {
  return alone_ && (fresh_ || !(mark_of(path_) == mark_));
}

void Database::reopen() {
  const bool inside = sqlite3_get_autocommit(handle_) == 0;
  close();
  alone_ = false;
  open();
  if (inside) run("BEGIN");
}

Database::~Database() {
  close();
}

void Database::close() {
  // What waits is left to who writes.
  if (access_ == Access::read && size_beside(path_, "-wal") > 0)
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
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

void Database::sign() {
  run("PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE)");
  const int code = sign_all_pages(handle_);
  if (code != SQLITE_OK) fail(code);
}

std::string Database::page_damage() {
  const std::int64_t bad = first_bad_page(handle_);
  if (bad == 0) return "";
  Statement pages(*this, "PRAGMA page_count");
  if (pages.step() && has_strange_end(handle_, pages.whole(0)))
    return "there is something behind its last page";
  // Perhaps what waits in the write-ahead log replaces it: read what a reader gets, every page of it.
  sqlite3* copy = nullptr;
  sqlite3_open(":memory:", &copy);
  sqlite3_backup* backup = sqlite3_backup_init(copy, "main", handle_, "main");
  const int code = backup == nullptr ? SQLITE_NOMEM : sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  sqlite3_close(copy);
  if (code == SQLITE_DONE) return "";
  if (interrupted_) fail(code);
  return code == SQLITE_IOERR_DATA
             ? fmt::format("page {} does not match its checksum (where another program opened the file: {})",
                           bad, base::how_to(base::Remedy::sign_study))
             : fmt::format("page {} cannot be read ({})", bad, sqlite3_errstr(code));
}

void Database::copy_to(const std::filesystem::path& path) {
  Database copy(path, Access::create);
  sqlite3_backup* backup = sqlite3_backup_init(copy.handle_, "main", handle_, "main");
  if (backup == nullptr) copy.fail(sqlite3_errcode(copy.handle_));
  const int code = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE) (interrupted_ ? *this : copy).fail(code);
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

DatabaseTransaction::DatabaseTransaction(Database& database, bool write) : database_(database) {
  database.run(write ? "BEGIN IMMEDIATE" : "BEGIN");
}

DatabaseTransaction::~DatabaseTransaction() {
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void DatabaseTransaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace mindgap::study
