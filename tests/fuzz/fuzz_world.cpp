// The bytes are the files of a world folder, split at 0x1e: world.toml, states, rewards, transitions,
// behaviour, calibration, deployment. Whatever they are, the reader returns a world whose projections exist,
// or throws an Error.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "mindgap/base/error.h"
#include "mindgap/files/text_file.h"
#include "mindgap/world/projection.h"
#include "mindgap/world/world_folder.h"

namespace {

using namespace mindgap;

constexpr std::size_t kParts = 7;
constexpr std::array<std::string_view, kParts> kNames{"world.toml",      "states.csv",    "rewards.csv",
                                                      "transitions.csv", "behaviour.csv", "calibration.csv",
                                                      "deployment.csv"};

std::array<std::string_view, kParts> split(std::string_view text) {
  std::array<std::string_view, kParts> parts;
  for (std::size_t i = 0; i < kParts; ++i) {
    const std::size_t end = i + 1 < kParts ? text.find('\x1e') : std::string_view::npos;
    parts[i] = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parts = split({reinterpret_cast<const char*>(data), size});
  try {
    const world::HiddenModel model =
        world::parse_world({"world.toml", parts[0], {}}, [&](const std::string& name) -> files::TextFile {
          for (std::size_t i = 1; i < kParts; ++i) {
            if (name == kNames[i]) return {name, parts[i], {}};
          }
          throw StoreError("no such file");
        });
    world::deployment_projection(model);
    world::calibration_kernel(model);
  } catch (const Error&) {
  }
  return 0;
}
