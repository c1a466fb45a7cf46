#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mindgap/study/database.h"

namespace mindgap::study {

/// Files of this version are written; older ones are brought forward, newer ones refused.
constexpr std::int64_t kSchemaVersion = 1;

/// Lays out a new file. Inside a transaction.
void create_schema(Database& database);

/// The file's version. Throws StoreError where the file is no study, or from a newer version of mindgap.
std::int64_t schema_version(Database& database);

/// Brings an older file forward, step by step. Inside a transaction.
///   0 -> 1: the triggers that refuse to change or delete a row.
void migrate_schema(Database& database, std::int64_t from);

/// What differs from the layout this version makes, in words; empty: nothing. The triggers are part of it.
std::string schema_difference(Database& database);

}  // namespace mindgap::study
