#include "mindgap/study/pages.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <vector>

namespace mindgap::study {
namespace {

constexpr const char* kName = "mindgap-pages";
constexpr int kHeader = 100;                    // bytes of the file's header, on its first page
constexpr std::int64_t kLockByte = 0x40000000;  // the page with this byte is never used

using PageSums = std::array<std::uint64_t, 2>;

std::uint64_t word_at(const unsigned char* bytes) {
  std::uint64_t word = 0;
  for (int i = 0; i < 8; ++i) word |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  return word;
}

// Four lanes take the words in turn, lane <- rotate((lane ^ word) * odd). For a given word that is one to
// one in the lane, and the other way round: a change of a single word always changes its lane, and with it
// the sum of its half.
PageSums sums_of(std::span<const unsigned char> bytes, std::int64_t number) {
  constexpr std::uint64_t kOdd[] = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
                                    0xd6e8feb86659fd93};
  std::uint64_t lane[] = {static_cast<std::uint64_t>(number), 1, 2, ~static_cast<std::uint64_t>(number)};
  const auto take = [&](std::size_t place, std::size_t which) {
    lane[which] = std::rotl((lane[which] ^ word_at(bytes.data() + place)) * kOdd[which], 29);
  };
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    for (std::size_t i = 0; i < 4; ++i) take(at + 8 * i, i);
  }
  for (std::size_t i = 0; at < bytes.size(); at += 8, ++i) take(at, i);
  return {lane[0] + std::rotl(lane[1] * kOdd[2], 32), lane[3] + std::rotl(lane[2] * kOdd[1], 32)};
}

// What SQLite opens: this, and right behind it the file of the system's own layer.
struct CheckedFile {
  sqlite3_file base;
  bool trusting;  // checksums are written, not looked at
  bool checked;   // the header says that pages have room for a checksum; a new file's will

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

CheckedFile& checked_file(sqlite3_file* file) {
  return *reinterpret_cast<CheckedFile*>(file);
}

sqlite3_file* real(sqlite3_file* file) {
  return checked_file(file).real();
}

bool is_page(int amount, sqlite3_int64 offset) {
  return amount >= 512 && std::has_single_bit(static_cast<unsigned>(amount)) && offset % amount == 0;
}

// The header's byte 20 counts the bytes that are reserved at the end of each page.
void learn(CheckedFile& file, const unsigned char* bytes, int amount, sqlite3_int64 offset) {
  if (offset == 0 && amount >= kHeader) file.checked = bytes[20] == kReserved;
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}

int read_page(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
  const int code = real(file)->pMethods->xRead(real(file), into, amount, offset);
  CheckedFile& checked = checked_file(file);
  if (code == SQLITE_IOERR_SHORT_READ && checked.checked && !checked.trusting && is_page(amount, offset)) {
    sqlite3_int64 size = 0;  // SQLite would take what is missing for zeros
    if (size_of_file(file, &size) == SQLITE_OK && size > offset) return SQLITE_IOERR_DATA;
  }
  if (code != SQLITE_OK) return code;
  const auto* bytes = static_cast<const unsigned char*>(into);
  learn(checked, bytes, amount, offset);
  if (checked.trusting || !checked.checked || !is_page(amount, offset)) return code;
  const bool good = is_signed({bytes, static_cast<std::size_t>(amount)}, offset / amount + 1);
  return good ? SQLITE_OK : SQLITE_IOERR_DATA;
}

int write_page(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
  CheckedFile& checked = checked_file(file);
  const auto* bytes = static_cast<const unsigned char*>(from);
  learn(checked, bytes, amount, offset);
  if (!checked.checked && offset > 0) {  // somebody else may have added the checksums meanwhile
    unsigned char header[kHeader];
    if (real(file)->pMethods->xRead(real(file), header, kHeader, 0) == SQLITE_OK)
      learn(checked, header, kHeader, 0);
  }
  if (!checked.checked || !is_page(amount, offset))
    return real(file)->pMethods->xWrite(real(file), from, amount, offset);
  alignas(8) thread_local std::array<unsigned char, 65536> copy;  // SQLite's largest page
  std::memcpy(copy.data(), bytes, static_cast<std::size_t>(amount));
  sign_page({copy.data(), static_cast<std::size_t>(amount)}, offset / amount + 1);
  return real(file)->pMethods->xWrite(real(file), copy.data(), amount, offset);
}

int close_file(sqlite3_file* file) {
  return real(file)->pMethods->xClose(real(file));
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  return real(file)->pMethods->xTruncate(real(file), size);
}
int sync_file(sqlite3_file* file, int flags) {
  return real(file)->pMethods->xSync(real(file), flags);
}
int lock_file(sqlite3_file* file, int level) {
  return real(file)->pMethods->xLock(real(file), level);
}
int unlock_file(sqlite3_file* file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}
int check_reserved_lock(sqlite3_file* file, int* out) {
  return real(file)->pMethods->xCheckReservedLock(real(file), out);
}
int control_file(sqlite3_file* file, int operation, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
int sector_size(sqlite3_file* file) {
  return real(file)->pMethods->xSectorSize(real(file));
}
// Not parts of a page (0x8000): they could not be checked.
int device_characteristics(sqlite3_file* file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file)) & ~0x8000;
}
int map_shared(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
  return real(file)->pMethods->xShmMap(real(file), region, size, extend, out);
}
int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
void barrier_shared(sqlite3_file* file) {
  real(file)->pMethods->xShmBarrier(real(file));
}
int unmap_shared(sqlite3_file* file, int remove) {
  return real(file)->pMethods->xShmUnmap(real(file), remove);
}

// Version 2: without the calls that would map pages into memory past the check.
constexpr sqlite3_io_methods kMethods = {2,
                                         close_file,
                                         read_page,
                                         write_page,
                                         truncate_file,
                                         sync_file,
                                         size_of_file,
                                         lock_file,
                                         unlock_file,
                                         check_reserved_lock,
                                         control_file,
                                         sector_size,
                                         device_characteristics,
                                         map_shared,
                                         lock_shared,
                                         barrier_shared,
                                         unmap_shared,
                                         nullptr,
                                         nullptr};

sqlite3_vfs* system_layer() {
  static sqlite3_vfs* const kFound = sqlite3_vfs_find(nullptr);
  return kFound;
}

// Only the database itself is looked after; the write-ahead log has checksums of SQLite's own.
int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  sqlite3_vfs* system = system_layer();
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return system->xOpen(system, name, file, flags, out_flags);
  auto* checked = new (file) CheckedFile{};
  checked->real()->pMethods = nullptr;
  const int code = system->xOpen(system, name, checked->real(), flags, out_flags);
  if (checked->real()->pMethods == nullptr) return code;
  checked->base.pMethods = &kMethods;
  checked->trusting = sqlite3_uri_boolean(name, "unchecked", 0) != 0;
  checked->checked = true;  // until the header says otherwise
  return code;
}

struct Layout {
  sqlite3_file* file = nullptr;
  sqlite3_int64 size = 0;
  int page = 0;  // 0 where there is no header
};

Layout layout_of(sqlite3* database) {
  Layout layout;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &layout.file);
  if (layout.file == nullptr || layout.file->pMethods != &kMethods) return layout;
  sqlite3_file* below = real(layout.file);
  unsigned char header[kHeader];
  if (size_of_file(layout.file, &layout.size) != SQLITE_OK || layout.size < kHeader ||
      below->pMethods->xRead(below, header, kHeader, 0) != SQLITE_OK)
    return layout;
  layout.page = header[16] == 0 && header[17] == 1 ? 65536 : header[16] << 8 | header[17];
  return layout;
}

}  // namespace

void sign_page(std::span<unsigned char> page, std::int64_t number) {
  const PageSums sums = sums_of(page.first(page.size() - kReserved), number);
  unsigned char* end = page.data() + page.size() - kReserved;
  for (int i = 0; i < kReserved; ++i) end[i] = static_cast<unsigned char>(sums[i / 8] >> (8 * (i % 8)));
}

bool is_signed(std::span<const unsigned char> page, std::int64_t number) {
  const PageSums sums = sums_of(page.first(page.size() - kReserved), number);
  const unsigned char* end = page.data() + page.size() - kReserved;
  return word_at(end) == sums[0] && word_at(end + 8) == sums[1];
}

const char* checked_pages() {
  static sqlite3_vfs layer = [] {
    sqlite3_vfs made = *system_layer();
    made.zName = kName;
    made.pNext = nullptr;
    made.szOsFile += static_cast<int>(sizeof(CheckedFile));
    made.xOpen = open_file;
    return made;
  }();
  static const int kRegistered = sqlite3_vfs_register(&layer, 0);
  return kRegistered == SQLITE_OK ? kName : nullptr;
}

int sign_all_pages(sqlite3* database) {
  const Layout layout = layout_of(database);
  if (!is_page(layout.page, 0) || layout.size % layout.page != 0) return SQLITE_CORRUPT;
  sqlite3_file* file = layout.file;
  std::vector<unsigned char> page(static_cast<std::size_t>(layout.page));
  for (std::int64_t offset = 0; offset < layout.size; offset += layout.page) {
    const std::int64_t number = offset / layout.page + 1;
    if (number == kLockByte / layout.page + 1) continue;
    const int read = real(file)->pMethods->xRead(real(file), page.data(), layout.page, offset);
    if (read != SQLITE_OK) return read;
    if (is_signed(page, number)) continue;
    const int written = write_page(file, page.data(), layout.page, offset);
    if (written != SQLITE_OK) return written;
  }
  return sync_file(file, SQLITE_SYNC_FULL);
}

bool has_strange_end(sqlite3* database, std::int64_t pages) {
  const auto [file, size, page_size] = layout_of(database);
  if (!is_page(page_size, 0)) return true;
  if (size <= pages * page_size) return false;
  if (size % page_size != 0) return true;
  std::vector<unsigned char> page(static_cast<std::size_t>(page_size));
  for (std::int64_t number = pages + 1; number <= size / page_size; ++number) {
    if (number == kLockByte / page_size + 1) continue;
    const std::int64_t offset = (number - 1) * page_size;
    if (real(file)->pMethods->xRead(real(file), page.data(), page_size, offset) != SQLITE_OK) return true;
    const bool empty = std::all_of(page.begin(), page.end(), [](unsigned char c) { return c == 0; });
    if (!empty && !is_signed(page, number)) return true;
  }
  return false;
}

std::int64_t first_bad_page(sqlite3* database) {
  const auto [file, size, page_size] = layout_of(database);
  if (page_size == 0) return 1;
  if (!is_page(page_size, 0) || size % page_size != 0) return size / std::max(page_size, 512) + 1;
  std::vector<unsigned char> page(static_cast<std::size_t>(page_size));
  for (std::int64_t number = 1; number <= size / page_size; ++number) {
    if (number == kLockByte / page_size + 1) continue;
    const std::int64_t offset = (number - 1) * page_size;
    if (read_page(file, page.data(), page_size, offset) != SQLITE_OK) return number;
    if (!checked_file(file).checked) return 1;
  }
  return 0;
}

}  // namespace mindgap::study
