#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mindgap/base/random.h"
#include "study_store/stepping_vfs.h"

namespace mindgap::study {

/// What a disk holds if the power fails now. A file has surely what it had when it was last synced; of what
/// was written to it since, any part may be there, in any order, down to single sectors. A name that was made
/// or removed is surely so once the folder was synced; before, it may be either way.
class Disk {
 public:
  static constexpr std::int64_t kSector = 512;

  void change(const VfsChange& change);
  /// The folder is synced by somebody other than SQLite.
  void sync_folder();

  /// Which of the things that may have reached the disk did.
  struct Choice {
    enum class Kind { none, all, up_to, without, only, some } kind = Kind::none;
    std::size_t place = 0;   // number of a change: the first that is not there; the one that is, or is not
    bool names = false;      // names are as they were last synced, or else as they are
    std::uint64_t seed = 0;  // some: any sectors of any changes, any state of each name
    std::string shown() const;
  };
  /// Without chance: nothing, everything, each beginning of the changes in their order, all but each one,
  /// each one alone, with names both ways; and `random` choices at random.
  std::vector<Choice> choices(int random) const;
  /// Writes that state into an empty folder.
  void write(const std::filesystem::path& folder, const Choice& choice) const;

 private:
  using Bytes = std::vector<unsigned char>;
  struct Piece {
    std::int64_t offset = 0;  // the size, where it cuts
    Bytes bytes;
    bool cuts = false;
    std::size_t number = 0;  // of the change, among those of all files
  };
  struct Content {
    Bytes synced;
    std::vector<Piece> since;
  };
  using Entry = std::shared_ptr<Content>;  // null: there is no such file

  static void apply(const Piece& piece, Bytes& to);
  static Bytes bytes_of(const Content& content, const Choice& choice);
  std::vector<std::size_t> pending() const;  // numbers of the changes that are not synced

  std::size_t next_ = 0;
  std::map<std::string, std::vector<Entry>> names_;  // since the folder was synced; the first is sure
};

}  // namespace mindgap::study
