#include "mindgap/mdp/gpu_engine.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/mdp/engine_library.h"

namespace mindgap::mdp {
namespace {

constexpr const char* kLibrary = "libmindgap_cuda.so";

[[noreturn]] void refuse(const std::string& why) {
  throw InvalidArgument(fmt::format(
      "{}: {}. It takes an NVIDIA GPU with its driver, and {}, which is built with -DMINDGAP_CUDA=ON (needs "
      "nvcc of CUDA 12 or later) and looked for beside the program or where MINDGAP_CUDA_LIBRARY says; "
      "without a GPU, leave the option out",
      base::option_value("device", "gpu"), why, kLibrary));
}

const MindgapEngine& open() {
  std::string missing;
  void* const library = open_engine_library(kLibrary, "MINDGAP_CUDA_LIBRARY", missing);
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
      fmt::format("{} is '{}': expected cpu or gpu", base::option_name("device"), base::printable(device)));
}

}  // namespace mindgap::mdp
