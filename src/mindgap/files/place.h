#pragma once

#include <filesystem>

// What is at a path. "Not there" is an answer; a path that cannot be looked at (no permission, too long,
// links in a circle) is a StoreError that names it and says why.
namespace mindgap::files {

std::filesystem::file_status status_at(const std::filesystem::path& path);
bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);  // a regular one

/// std::filesystem::absolute, with a StoreError where there is none: the folder in which one works may be
/// gone.
std::filesystem::path absolute_path(const std::filesystem::path& path);

}  // namespace mindgap::files
