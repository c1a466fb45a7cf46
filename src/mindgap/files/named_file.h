#pragma once

#include <filesystem>
#include <string>

#include "mindgap/base/error.h"
#include "mindgap/files/text_file.h"

// Files that a model or a world names. Somebody else may have written it: what it names must lie in its
// folder, and of a file that lies elsewhere no message shows what is in it.
namespace mindgap::files {

/// While one lives, models that this thread reads may name files outside their folder.
class AllowOutside {
 public:
  AllowOutside();
  ~AllowOutside();
  AllowOutside(const AllowOutside&) = delete;
  AllowOutside& operator=(const AllowOutside&) = delete;

 private:
  bool before_;
};

/// The path of `name` in `folder`. Throws StoreError where it is absolute or climbs out with "..", unless
/// that is allowed.
std::filesystem::path path_in(const std::filesystem::path& folder, const std::string& name);

/// Whether a file lies outside a folder, links followed.
bool lies_outside(const std::filesystem::path& folder, const std::filesystem::path& file);

/// What `read` gives. What is wrong with a file outside the folder is said without a word of it.
template <typename Read>
auto without_echo(const std::filesystem::path& folder, Read read) {
  try {
    return read();
  } catch (const InvalidModel& error) {
    if (error.where().file.empty() || !lies_outside(folder, error.where().file)) throw;
    throw InvalidModel(
        "the file is not what the model takes it for (what is in it is not shown, because it lies outside "
        "the model's "
        "folder)",
        {.file = error.where().file, .line = error.where().line});
  }
}

}  // namespace mindgap::files
