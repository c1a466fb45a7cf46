#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/design/target.h"

namespace mindgap::design {
namespace {

constexpr std::string_view kSpellings =
    "ensemble[:M], difference[:M], sop, posterior, softmax:T, explorer, uniform, or a policy file";
constexpr double kMembersMax = 1'000'000;

struct KindName {
  TargetKind kind;
  std::string_view name;
};
constexpr std::array<KindName, 7> kNames{{{TargetKind::ensemble, "ensemble"},
                                          {TargetKind::difference, "difference"},
                                          {TargetKind::simulator_optimal, "sop"},
                                          {TargetKind::posterior_optimal, "posterior"},
                                          {TargetKind::softmax, "softmax"},
                                          {TargetKind::explorer, "explorer"},
                                          {TargetKind::uniform, "uniform"}}};

[[noreturn]] void fail(std::string_view text, std::string_view why) {
  throw InvalidArgument(fmt::format("target '{}': {}; known: {}", base::printable(text), why, kSpellings));
}

bool has_members(TargetKind kind) {
  return kind == TargetKind::ensemble || kind == TargetKind::difference;
}

// `argument` is what follows the colon; `given` is whether there is one.
void read_argument(std::string_view text, bool given, std::string_view argument, Target& target) {
  const bool softmax = target.kind == TargetKind::softmax;
  if (!has_members(target.kind) && !softmax) {
    if (given) fail(text, "it takes no number");
    return;
  }
  if (!given) {
    if (softmax) fail(text, "a temperature is missing");
    return;
  }
  double value = 0;
  if (base::parse_number(argument, value) != base::NumberStatus::ok) fail(text, "no number after the colon");
  if (softmax) {
    if (!(value > 0 && value <= 1e300)) fail(text, "the temperature must be positive");
    target.temperature = value;
    return;
  }
  if (!(value >= 1 && value <= kMembersMax && value == static_cast<double>(static_cast<int>(value)))) {
    fail(text, "M must be a whole number from 1 to 1,000,000");
  }
  target.members = static_cast<std::int32_t>(value);
}

}  // namespace

Target target_from_string(std::string_view text) {
  const std::size_t colon = text.find(':');
  for (const KindName& entry : kNames) {
    if (text.substr(0, colon) != entry.name) continue;
    Target target;
    target.kind = entry.kind;
    const bool given = colon != std::string_view::npos;
    read_argument(text, given, given ? text.substr(colon + 1) : std::string_view{}, target);
    return target;
  }
  std::error_code ignored;
  if (text.empty() || !std::filesystem::exists(std::filesystem::path(text), ignored)) {
    fail(text, "neither a target nor a file");
  }
  Target target;
  target.kind = TargetKind::policy;
  target.file = text;
  return target;
}

std::string to_string(const Target& target) {
  if (target.kind == TargetKind::policy) return target.file;
  for (const KindName& entry : kNames) {
    if (entry.kind != target.kind) continue;
    if (has_members(target.kind)) return fmt::format("{}:{}", entry.name, target.members);
    if (target.kind == TargetKind::softmax) {
      return fmt::format("{}:{}", entry.name, base::shortest(target.temperature));
    }
    return std::string(entry.name);
  }
  return "unknown";
}

}  // namespace mindgap::design
