#include "study_store/stepping_vfs.h"

#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <new>
#include <utility>

namespace mindgap::study {
namespace {

VfsWatch watch;

sqlite3_vfs* below() {
  static sqlite3_vfs* const kFound = sqlite3_vfs_find("unix");
  return kFound;
}

// What SQLite opens: this, and right behind it the file of the layer below.
struct SteppedFile {
  sqlite3_file base;
  std::string* name;
  bool new_entry;  // the layer below syncs the folder with its first sync

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

SteppedFile& stepped(sqlite3_file* file) {
  return *reinterpret_cast<SteppedFile*>(file);
}

sqlite3_file* real(sqlite3_file* file) {
  return stepped(file).real();
}

std::string name_of(const char* path) {
  return path == nullptr ? "" : std::filesystem::path(path).filename().string();
}

void step(const char* what, const std::string& file) {
  if (watch.before) watch.before({what, file});
}

void step(const char* what, sqlite3_file* file) {
  step(what, *stepped(file).name);
}

void tell(VfsChange change) {
  if (watch.changed) watch.changed(std::move(change));
}

int close_file(sqlite3_file* file) {
  step("close", file);
  const int code = real(file)->pMethods->xClose(real(file));
  delete std::exchange(stepped(file).name, nullptr);
  return code;
}

int read_file(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
  step("read", file);
  return real(file)->pMethods->xRead(real(file), into, amount, offset);
}

int write_file(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
  step("write", file);
  const int code = real(file)->pMethods->xWrite(real(file), from, amount, offset);
  const auto* bytes = static_cast<const unsigned char*>(from);
  if (code == SQLITE_OK)
    tell({VfsChange::What::written, *stepped(file).name, offset, {bytes, bytes + amount}});
  return code;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  step("truncate", file);
  const int code = real(file)->pMethods->xTruncate(real(file), size);
  if (code == SQLITE_OK) tell({VfsChange::What::cut, *stepped(file).name, size, {}});
  return code;
}

int sync_file(sqlite3_file* file, int) {
  step("sync", file);
  const bool folder = std::exchange(stepped(file).new_entry, false);
  tell({VfsChange::What::synced, *stepped(file).name, 0, {}, folder});
  return SQLITE_OK;
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
  step("size", file);
  return real(file)->pMethods->xFileSize(real(file), size);
}

int lock_file(sqlite3_file* file, int level) {
  step("lock", file);
  return real(file)->pMethods->xLock(real(file), level);
}

int unlock_file(sqlite3_file* file, int level) {
  step("unlock", file);
  return real(file)->pMethods->xUnlock(real(file), level);
}

int check_reserved_lock(sqlite3_file* file, int* out) {
  step("check lock", file);
  return real(file)->pMethods->xCheckReservedLock(real(file), out);
}

int control_file(sqlite3_file* file, int operation, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

int sector_size(sqlite3_file* file) {
  return real(file)->pMethods->xSectorSize(real(file));
}

int device_characteristics(sqlite3_file* file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

int map_shared(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
  step("map shared", file);
  return real(file)->pMethods->xShmMap(real(file), region, size, extend, out);
}

int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  step("lock shared", file);
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

void barrier_shared(sqlite3_file* file) {
  step("barrier", file);
  real(file)->pMethods->xShmBarrier(real(file));
}

int unmap_shared(sqlite3_file* file, int remove) {
  step("unmap shared", file);
  return real(file)->pMethods->xShmUnmap(real(file), remove);
}

constexpr sqlite3_io_methods kStepped = {2,
                                         close_file,
                                         read_file,
                                         write_file,
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

int open_file(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  const std::string name = name_of(path);
  step("open", name);
  const bool is_new = path != nullptr && !std::filesystem::exists(path);
  auto* opened = new (file) SteppedFile{};
  opened->real()->pMethods = nullptr;
  const int code = below()->xOpen(below(), path, opened->real(), flags, out_flags);
  if (opened->real()->pMethods == nullptr) return code;
  opened->name = new std::string(name);
  opened->new_entry = (flags & SQLITE_OPEN_CREATE) != 0 &&
                      (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL)) != 0;
  opened->base.pMethods = &kStepped;
  if (is_new && std::filesystem::exists(path)) tell({VfsChange::What::made, name, 0, {}});
  return code;
}

int delete_file(sqlite3_vfs*, const char* path, int sync_folder) {
  step("delete", name_of(path));
  const int code = below()->xDelete(below(), path, sync_folder);
  if (code == SQLITE_OK) tell({VfsChange::What::removed, name_of(path), 0, {}, sync_folder != 0});
  return code;
}

int look_for(sqlite3_vfs*, const char* path, int flags, int* found) {
  step("look for", name_of(path));
  return below()->xAccess(below(), path, flags, found);
}

int full_name(sqlite3_vfs*, const char* path, int size, char* out) {
  return below()->xFullPathname(below(), path, size, out);
}

// The same words in every run.
int randomness(sqlite3_vfs*, int size, char* out) {
  std::memset(out, 0x5a, static_cast<std::size_t>(size));
  return size;
}

int pause(sqlite3_vfs*, int microseconds) {
  if (watch.waits) watch.waits();
  return microseconds;
}

}  // namespace

void step_through_vfs() {
  static sqlite3_vfs layer = [] {
    sqlite3_vfs made = *below();
    made.iVersion = 1;
    made.zName = "stepping";
    made.pNext = nullptr;
    made.szOsFile += static_cast<int>(sizeof(SteppedFile));
    made.xOpen = open_file;
    made.xDelete = delete_file;
    made.xAccess = look_for;
    made.xFullPathname = full_name;
    made.xRandomness = randomness;
    made.xSleep = pause;
    return made;
  }();
  sqlite3_vfs_register(&layer, 1);
}

void watch_vfs(VfsWatch next) {
  watch = std::move(next);
}

}  // namespace mindgap::study
