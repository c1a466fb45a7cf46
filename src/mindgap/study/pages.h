#pragma once

#include <cstdint>
#include <span>

struct sqlite3;

// Every page of a study's file ends in a checksum of the page and of its place in the file, written with the
// page and looked at whenever the page is read: also what SQLite leaves unused cannot change unseen. The
// bytes are those that SQLite's file format reserves for this, so that any SQLite can read the file; one that
// writes without this layer leaves pages behind whose checksums are wrong.
namespace mindgap::study {

/// Bytes at the end of a page: two 64-bit sums.
constexpr int kReserved = 16;

/// SQLite's system layer with the checksums: a name for sqlite3_open_v2, registered by the first call. With
/// "unchecked=1" in the file's URI they are written but not looked at.
const char* checked_pages();

/// Writes the checksum of page `number` (from 1) into its last bytes. A page is a multiple of 8 bytes.
void sign_page(std::span<unsigned char> page, std::int64_t number);
/// Whether they are right.
bool is_signed(std::span<const unsigned char> page, std::int64_t number);

/// Writes the checksum of every page of a connection's file anew, whatever was there. Nobody else may have
/// the file open, and nothing may wait in the write-ahead log. Returns SQLite's code.
int sign_all_pages(sqlite3* database);

/// The pages of a connection's file that do not match their checksums, the first one (from 1), or 0. What
/// waits in the write-ahead log takes their place, and is not looked at here.
std::int64_t first_bad_page(sqlite3* database);

/// Whether behind its `pages` pages a connection's file has something that no writer of ours left there,
/// killed or not: that would be whole pages, empty or with their checksums.
bool has_strange_end(sqlite3* database, std::int64_t pages);

}  // namespace mindgap::study
