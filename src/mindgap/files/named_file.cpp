#include "mindgap/files/named_file.h"

#include <fmt/format.h>

#include "mindgap/base/remedy.h"

namespace mindgap::files {
namespace fs = std::filesystem;
namespace {

thread_local bool outside_allowed = false;

// Whether a path in its shortest form begins by climbing.
bool climbs(const fs::path& path) {
  return !path.empty() && *path.begin() == "..";
}

}  // namespace

AllowOutside::AllowOutside() : before_(outside_allowed) {
  outside_allowed = true;
}

AllowOutside::~AllowOutside() {
  outside_allowed = before_;
}

fs::path path_in(const fs::path& folder, const std::string& name) {
  const fs::path path(name);
  if (!outside_allowed && (path.is_absolute() || climbs(path.lexically_normal())))
    throw StoreError(
        fmt::format("{}: the model names a file outside its folder, '{}'; if you trust it, say {}",
                    folder.string(), base::printable(name, 200), base::how_to(base::Remedy::allow_outside)));
  return folder / path;
}

bool lies_outside(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const fs::path home = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, error),
                 place = fs::weakly_canonical(file, error);
  return error || climbs(place.lexically_relative(home));
}

}  // namespace mindgap::files
