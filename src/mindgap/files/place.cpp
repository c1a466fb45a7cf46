#include "mindgap/files/place.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"

namespace mindgap::files {
namespace fs = std::filesystem;

fs::file_status status_at(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error && status.type() != fs::file_type::not_found)
    throw StoreError(fmt::format("{}: cannot be looked at: {}", path.string(), error.message()));
  return status;
}

bool is_there(const fs::path& path) {
  return fs::exists(status_at(path));
}

bool is_folder(const fs::path& path) {
  return fs::is_directory(status_at(path));
}

bool is_file(const fs::path& path) {
  return fs::is_regular_file(status_at(path));
}

fs::path absolute_path(const fs::path& path) {
  std::error_code error;
  fs::path whole = fs::absolute(path, error);
  if (error) throw StoreError(fmt::format("{}: {}", path.string(), error.message()));
  return whole;
}

}  // namespace mindgap::files
