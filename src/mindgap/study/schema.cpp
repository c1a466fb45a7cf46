#include "mindgap/study/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"

namespace mindgap::study {
namespace {

constexpr std::int64_t kApplication = 0x6d676170;  // "mgap"

using Item = std::pair<std::string, std::string>;  // name, SQL as sqlite_schema keeps it

const std::vector<Item>& tables() {
  static const std::vector<Item> kItems = {
      {"event",
       "CREATE TABLE event (number INTEGER PRIMARY KEY, time TEXT NOT NULL, program TEXT NOT NULL, kind TEXT "
       "NOT "
       "NULL, content TEXT NOT NULL, data BLOB NOT NULL, units INTEGER NOT NULL, assignments INTEGER NOT "
       "NULL, "
       "observations INTEGER NOT NULL, hash BLOB NOT NULL) STRICT"},
      {"unit",
       "CREATE TABLE unit (number INTEGER PRIMARY KEY, name TEXT NOT NULL, state INTEGER NOT NULL, "
       "unit_group TEXT "
       "NOT NULL, arm INTEGER NOT NULL, hash BLOB NOT NULL) STRICT"},
      {"assignment",
       "CREATE TABLE assignment (number INTEGER PRIMARY KEY, unit INTEGER NOT NULL, step INTEGER NOT NULL, "
       "state "
       "INTEGER NOT NULL, action INTEGER NOT NULL, batch INTEGER NOT NULL, arm INTEGER NOT NULL, route "
       "INTEGER, "
       "draw_probability REAL NOT NULL, probability REAL NOT NULL, hash BLOB NOT NULL) STRICT"},
      {"observation",
       "CREATE TABLE observation (number INTEGER PRIMARY KEY, unit INTEGER NOT NULL, step INTEGER NOT NULL, "
       "state "
       "INTEGER NOT NULL, action INTEGER NOT NULL, reward REAL, next_state INTEGER, censored INTEGER NOT "
       "NULL, "
       "void INTEGER NOT NULL, deviation INTEGER NOT NULL, replaces INTEGER, hash BLOB NOT NULL) STRICT"}};
  return kItems;
}

std::vector<Item> triggers() {
  std::vector<Item> items;
  for (const Item& table : tables()) {
    for (const char* deed : {"UPDATE", "DELETE"}) {
      const std::string name = fmt::format("{}_keeps_{}", table.first, deed[0] == 'U' ? "content" : "rows");
      items.emplace_back(
          name, fmt::format("CREATE TRIGGER {} BEFORE {} ON {} BEGIN SELECT RAISE(ABORT, 'a study only "
                            "grows: rows are neither changed nor deleted'); END",
                            name, deed, table.first));
    }
  }
  return items;
}

std::int64_t pragma(Database& database, const std::string& name) {
  Statement statement(database, "PRAGMA " + name);
  return statement.step() ? statement.whole(0) : 0;
}

void create(Database& database, const std::vector<Item>& items) {
  for (const Item& item : items) database.run(item.second);
}

}  // namespace

void create_schema(Database& database) {
  database.run(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kLogVersion));
  create(database, tables());
  create(database, triggers());
}

std::int64_t schema_version(Database& database) {
  if (pragma(database, "application_id") != kApplication)
    throw StoreError(database.shown() + ": it is no study (or its first page is damaged)");
  const std::int64_t version = pragma(database, "user_version");
  if (version <= 0) {
    throw StoreError(
        fmt::format("{}: it says that it is a study of version {}, which there never was: it was "
                    "not made by mindgap, or its first page is damaged",
                    database.shown(), version));
  }
  if (version > kLogVersion) {
    throw StoreError(
        fmt::format("{}: the study was written by a newer version of mindgap (file version {}, this "
                    "program knows {}): use that one",
                    database.shown(), version, kLogVersion));
  }
  return version;
}

void migrate_schema(Database& database) {
  database.run(fmt::format("PRAGMA user_version = {}", kLogVersion));
}

std::string schema_difference(Database& database) {
  std::vector<Item> wanted = tables(), found;
  const std::vector<Item> more = triggers();
  wanted.insert(wanted.end(), more.begin(), more.end());
  Statement statement(database, "SELECT name, sql, type, tbl_name FROM sqlite_schema");
  while (statement.step()) {
    std::string name(statement.bytes(0)), sql(statement.bytes(1));
    const std::string type(statement.bytes(2)), table(statement.bytes(3));
    const bool is_trigger = sql.starts_with("CREATE TRIGGER");
    if (type != (is_trigger ? "trigger" : "table") ||
        (is_trigger ? !name.starts_with(table + "_") : name != table))
      return fmt::format("'{}' is listed as a {} of '{}'", base::printable(name), base::printable(type),
                         base::printable(table));
    found.emplace_back(std::move(name), std::move(sql));
  }
  std::sort(wanted.begin(), wanted.end());
  std::sort(found.begin(), found.end());
  for (const Item& item : wanted) {
    if (!std::binary_search(found.begin(), found.end(), item))
      return fmt::format("'{}' is missing or not as it was made", item.first);
  }
  if (found.size() != wanted.size()) return "there is something that mindgap did not make";
  return "";
}

}  // namespace mindgap::study
