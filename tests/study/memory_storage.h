#pragma once

#include <memory>

#include "mindgap/study/storage.h"

namespace mindgap::study {

/// A study in memory: the second storage, by which tests tell what belongs to a study from what belongs to
/// its file.
class MemoryStorage final : public Storage {
 public:
  struct Content {
    Log log;
    LogHashes hashes;
  };

  std::string name() const override { return "memory"; }
  bool exists() const override { return *content_ != nullptr; }
  void check_free() const override;
  std::unique_ptr<Transaction> begin(Access access, const Writer& writer) const override;

  /// What is in it, for those who damage it.
  Content& content() { return **content_; }
  /// So many times from now on, whoever reads finds that somebody wrote meanwhile.
  int overtakes = 0;

 private:
  std::shared_ptr<std::unique_ptr<Content>> content_ = std::make_shared<std::unique_ptr<Content>>();
};

}  // namespace mindgap::study
