#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "mindgap/study/storage.h"

struct sqlite3;
struct sqlite3_stmt;

// SQLite behind three small classes. Whatever it refuses becomes a StoreError that says what a user can do.
namespace mindgap::study {

class Database {
 public:
  Database(const std::filesystem::path& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Statements without parameters and without results.
  void run(const std::string& sql);
  /// Writes everything into the main file and closes it. Throws nothing: what was committed is safe in
  /// either.
  void close();
  /// A copy of the file as this connection sees it, inside its transaction where one is open.
  void copy_to(const std::filesystem::path& path);

  /// Whether its pages have checksums (pages.h): files that are made here do.
  bool has_checksums();
  /// Writes the file anew with them. Outside transactions; others see the same rows before and after.
  void add_checksums();
  /// Writes the checksums of all pages anew. Opened to mend, outside transactions.
  void sign();
  /// What is wrong with the bytes of its pages, used or not, or "". Inside a transaction.
  std::string page_damage();

  /// Whether the file was changed by somebody while it was read without locks, as it is where nothing may be
  /// written beside it: what was found may then be of no one moment.
  bool overtaken() const;
  bool alone() const { return alone_; }  // whether it is read in that way
  /// Opens the file anew, and a transaction where one was open. No statement may be left.
  void reopen();

  sqlite3* handle() const { return handle_; }
  const std::string& shown() const { return shown_; }
  const std::filesystem::path& path() const { return path_; }
  /// Throws StoreError for what SQLite says, or what ended the wait for another writer.
  [[noreturn]] void fail(int code) const;

 private:
  // What tells one state of the file from another; times in nanoseconds. The file is not opened for it:
  // closing it again would end the locks that this process has on it.
  struct Mark {
    std::int64_t size = 0, written = 0, changed = 0, node = 0, waiting = 0;
    bool operator==(const Mark&) const = default;
  };
  static Mark mark_of(const std::filesystem::path& path);

  void open();
  int open_to_read();
  int open_alone();
  int open_without_shared();
  void reserve();
  static int wait(void* self, int tried);
  sqlite3* handle_ = nullptr;
  std::filesystem::path path_;
  Access access_;
  bool alone_ = false;  // read without locks
  Mark mark_;
  bool fresh_ = false;  // written to so shortly before the mark that its time may not tell
  std::string shown_;
  std::chrono::steady_clock::time_point waiting_since_;
  std::exception_ptr interrupted_;
};

/// One prepared statement. Parameters count from 1, columns from 0.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int place, std::int64_t value);
  Statement& bind(int place, double value);
  /// Text or blob; the bytes must live until the next step.
  Statement& bind_text(int place, std::string_view text);
  Statement& bind_blob(int place, std::string_view bytes);
  Statement& bind_null(int place);

  /// Whether there is a row.
  bool step();
  /// step() of a statement without rows, and ready to be bound again.
  void execute();

  bool is_null(int column) const;
  std::int64_t whole(int column) const;
  double number(int column) const;
  std::string_view bytes(int column) const;  // until the next step

 private:
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

/// Rolled back unless committed.
class DatabaseTransaction {
 public:
  DatabaseTransaction(Database& database, bool write);
  ~DatabaseTransaction();
  DatabaseTransaction(const DatabaseTransaction&) = delete;
  DatabaseTransaction& operator=(const DatabaseTransaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace mindgap::study
