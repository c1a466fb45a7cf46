#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mindgap::study {

/// A folder that is written beside its place and put there in one step: what is in it is all of one moment,
/// however the writer ends. Where there is one already it must be empty or an export (it holds
/// observations.jsonl), else StoreError; what else somebody put into it stays there, but for `side_files`,
/// which belong to what is replaced. What is in place is on the disk. Temporary folders that killed exports
/// to the same place left are removed.
class ExportFolder {
 public:
  ExportFolder(const std::filesystem::path& target, std::vector<std::string> side_files);
  ~ExportFolder();
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  /// Where to write until commit().
  const std::filesystem::path& folder() const { return temporary_; }
  std::filesystem::path operator/(const std::string& name) const { return temporary_ / name; }
  void commit();

 private:
  void remove_leftovers() const;
  void put_in_place();
  void exchange();
  void move_in();
  void move_others(const std::filesystem::path& from, const std::filesystem::path& to) const;
  std::filesystem::path target_, temporary_;
  std::vector<std::string> side_files_;
  bool exists_ = false;
  bool done_ = false;
  int held_ = -1;  // a lock on the temporary folder: others see that it is being written
};

}  // namespace mindgap::study
