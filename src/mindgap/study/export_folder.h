#pragma once

#include <filesystem>
#include <string>

namespace mindgap::study {

/// A folder that is written beside its place and put there in one step: what is in it is all of one moment,
/// however the writer ends. Where there is one already it must be empty or an export (it holds
/// observations.jsonl), else StoreError; what else somebody put into it stays there.
class ExportFolder {
 public:
  explicit ExportFolder(const std::filesystem::path& target);
  ~ExportFolder();
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  /// Where to write `name` until commit().
  std::filesystem::path operator/(const std::string& name) const { return temporary_ / name; }
  void commit();

 private:
  void exchange();
  void move_in();
  std::filesystem::path target_, temporary_;
  bool exists_ = false;
  bool done_ = false;
};

}  // namespace mindgap::study
