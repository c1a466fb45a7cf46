#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mindgap/study/database.h"

namespace mindgap::study {

/// Lays out a new file. Inside a transaction.
void create_schema(Database& database);

/// The file's version. Throws StoreError where the file is no study, was never finished (version 0), or is
/// from a newer version of mindgap.
std::int64_t schema_version(Database& database);

/// Says that an older file has been brought forward. Inside a transaction; what it takes comes before:
///   1 -> 2: pages with checksums (Database::add_checksums).
void migrate_schema(Database& database);

/// What differs from the layout this version makes, in words; empty: nothing. The triggers are part of it.
std::string schema_difference(Database& database);

}  // namespace mindgap::study
