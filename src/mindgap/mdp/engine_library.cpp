#include "mindgap/mdp/engine_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace mindgap::mdp {
namespace {

// The folder of the program or shared object that this code is in.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&open_engine_library), &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  const std::filesystem::path own = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::filesystem::path() : own.parent_path();
}

std::vector<std::string> places(const char* library, const char* variable) {
  if (const char* const said = std::getenv(variable); said && *said) return {said};
  std::vector<std::string> found;
  if (const std::filesystem::path folder = own_folder(); !folder.empty())
    found = {(folder / library).string(), (folder.parent_path() / "lib" / library).string()};
  found.emplace_back(library);
  return found;
}

}  // namespace

void* open_engine_library(const char* library, const char* variable, std::string& missing) {
  missing.clear();
  for (const std::string& place : places(library, variable)) {
    if (void* const opened = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
    if (std::error_code none; missing.empty() || std::filesystem::exists(place, none)) missing = dlerror();
  }
  return nullptr;
}

}  // namespace mindgap::mdp
