#include "mindgap/mdp/gpu_engine.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"

namespace mindgap::mdp {
namespace {

constexpr const char* kLibrary = "libmindgap_cuda.so";

// The folder of the program or shared object that this code is in.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&gpu_engine), &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  const std::filesystem::path own = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::filesystem::path() : own.parent_path();
}

std::vector<std::string> places() {
  if (const char* const said = std::getenv("MINDGAP_CUDA_LIBRARY"); said && *said) return {said};
  std::vector<std::string> found;
  if (const std::filesystem::path folder = own_folder(); !folder.empty())
    found = {(folder / kLibrary).string(), (folder.parent_path() / "lib" / kLibrary).string()};
  found.emplace_back(kLibrary);
  return found;
}

[[noreturn]] void refuse(const std::string& why) {
  throw InvalidArgument(fmt::format(
      "{}: {}. It takes an NVIDIA GPU with its driver, and {}, which is built with -DMINDGAP_CUDA=ON (needs "
      "nvcc of CUDA 12 or later) and looked for beside the program or where MINDGAP_CUDA_LIBRARY says; "
      "without a GPU, leave the option out",
      base::option_value("device", "gpu"), why, kLibrary));
}

const MindgapEngine& open() {
  void* library = nullptr;
  std::string missing;
  for (const std::string& place : places()) {
    library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library) break;
    if (std::error_code none; missing.empty() || std::filesystem::exists(place, none)) missing = dlerror();
  }
  if (!library) refuse(fmt::format("{} cannot be loaded ({})", kLibrary, missing));
  void* const symbol = dlsym(library, MINDGAP_OPEN_ENGINE);
  if (!symbol) refuse(fmt::format("{} is no engine of mindgap", kLibrary));
  const char* why = "";
  const MindgapEngine* const engine = reinterpret_cast<MindgapOpenEngine>(symbol)(&why);
  if (!engine) refuse(why);
  if (engine->abi != MINDGAP_ENGINE_ABI)
    refuse(fmt::format("{} belongs to another version of mindgap", kLibrary));
  return *engine;
}

}  // namespace

const MindgapEngine& gpu_engine() {
  static const MindgapEngine& engine = open();
  return engine;
}

const MindgapEngine* engine_of(const std::string& device) {
  if (device == "cpu") return nullptr;
  if (device == "gpu") return &gpu_engine();
  throw InvalidArgument(
      fmt::format("{} is '{}': cpu or gpu is wanted", base::option_name("device"), base::printable(device)));
}

}  // namespace mindgap::mdp
