#pragma once

#include <filesystem>
#include <string>

// A study that is served has one writer, the server. It holds a lock on a file beside the study; whoever else
// wants to write looks for that lock and is told who has it. Readers do not care.
namespace mindgap::study {

class ServingLock {
 public:
  /// `where` is what others are told, as "http://127.0.0.1:8080". Throws StoreError where somebody else has
  /// it.
  ServingLock(std::filesystem::path file, const std::string& where);
  ~ServingLock();
  ServingLock(const ServingLock&) = delete;
  ServingLock& operator=(const ServingLock&) = delete;
  /// Tells others another place from now on.
  void move_to(const std::string& where);

 private:
  std::filesystem::path file_;
  int held_ = -1;
};

/// Throws StoreError where a server holds the lock on this file.
void refuse_while_served(const std::filesystem::path& file);

}  // namespace mindgap::study
