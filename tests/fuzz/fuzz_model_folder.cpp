// The bytes are the files of a model folder, split at 0x1e (the record separator of ASCII): model.toml,
// states, rewards, transitions, prior, and a policy. Whatever they are, the reader returns a model that
// passes check_model, or throws an Error.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/files/model_folder.h"
#include "mindgap/files/policy_file.h"

namespace {

using namespace mindgap::mdp;
using namespace mindgap::files;

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t end; parts.size() < 6 && (end = text.find('\x1e')) != std::string_view::npos;) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  parts.resize(6);
  return parts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parts = split({reinterpret_cast<const char*>(data), size});
  try {
    const Model model = parse_model_folder({"model.toml", parts[0], {}}, [&](const std::string& name) {
      const std::size_t part = name == "states.csv"    ? 1
                               : name == "rewards.csv" ? 2
                               : name == "prior.csv"   ? 4
                                                       : 3;
      return TextFile{name, parts[part], {}};
    });
    check_model(model);
    parse_policy({"policy.csv", parts[5], {}}, model.mdp);
  } catch (const mindgap::Error&) {
  }
  return 0;
}
