#pragma once

#include "mindgap/study/storage.h"

namespace mindgap::study {

/// The file study.db of a study's folder, or a file by its own name. SQLite writes it, so that many may read
/// while one writes and a kill loses nothing; every page has a checksum (pages.h).
class SqliteStorage final : public Storage {
 public:
  explicit SqliteStorage(std::filesystem::path place) : place_(std::move(place)) {}

  std::string name() const override;  // as it was given; file() follows links
  bool exists() const override;
  void check_free() const override;
  std::unique_ptr<Transaction> begin(Access access, const Writer& writer) const override;
  bool lies_in(const std::filesystem::path& folder) const override;
  bool is_in_use() const override;
  std::filesystem::path serving_file() const override;
  std::vector<std::string> side_files() const override;

 private:
  std::filesystem::path file() const;
  std::filesystem::path place_;  // the folder, or the file
};

}  // namespace mindgap::study
