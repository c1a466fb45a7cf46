#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>

namespace mindgap::study {

/// Rewrites a study's file as version 1 did: the same tables, without room for checksums.
inline void write_as_version_1(const std::filesystem::path& file) {
  const std::filesystem::path taken = file.string() + ".taken";
  std::filesystem::rename(file, taken);
  sqlite3* handle = nullptr;
  sqlite3_open(file.c_str(), &handle);
  std::string sql = "PRAGMA journal_mode = WAL; PRAGMA application_id = 0x6d676170; PRAGMA user_version = 1;";
  const auto collect = [](void* text, int, char** columns, char**) {
    *static_cast<std::string*>(text) += std::string(columns[0]) + ";";
    return 0;
  };
  ASSERT_EQ(
      sqlite3_exec(handle, ("ATTACH '" + taken.string() + "' AS taken").c_str(), nullptr, nullptr, nullptr),
      SQLITE_OK);
  for (const char* query : {"SELECT sql FROM taken.sqlite_schema WHERE type = 'table'",
                            "SELECT 'INSERT INTO main.' || name || ' SELECT * FROM taken.' || name FROM "
                            "taken.sqlite_schema WHERE type = 'table'",
                            "SELECT sql FROM taken.sqlite_schema WHERE type = 'trigger'"})
    ASSERT_EQ(sqlite3_exec(handle, query, collect, &sql, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle);
  sqlite3_close(handle);
  std::filesystem::remove(taken);
}

}  // namespace mindgap::study
