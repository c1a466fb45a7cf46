#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// SQLite's system layer with somebody who looks over its shoulder: every call can be held back, and
// everything that changes a file is told. Files are real ones, but nothing is synced: what a disk would have
// is reckoned from what is told (power_cut.h).
namespace mindgap::study {

/// A call of the system layer, before it is made.
struct VfsCall {
  const char* what;  // "write", "lock", ...
  std::string file;  // its name without the folder
};

/// What a call did to a file or to the folder, after it was made.
struct VfsChange {
  enum class What { made, written, cut, synced, removed };
  What what;
  std::string file;
  std::int64_t offset = 0;           // written; cut: the size that is left
  std::vector<unsigned char> bytes;  // written
  bool folder_synced = false;        // synced, removed: the folder was, too
};

struct VfsWatch {
  std::function<void(const VfsCall& call)> before = {};
  std::function<void(VfsChange change)> changed = {};
  std::function<void()> waits = {};  // SQLite sleeps, for somebody else to go on
};

/// Makes the layer SQLite's default one, below the checksums of pages; before any study is opened.
void step_through_vfs();

/// The watch of all calls from now on; {} ends it. Nothing may be going on in SQLite meanwhile.
void watch_vfs(VfsWatch watch);

}  // namespace mindgap::study
