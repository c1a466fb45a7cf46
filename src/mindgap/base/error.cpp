#include "mindgap/base/error.h"

#include <fmt/format.h>

namespace mindgap::base {
namespace {

std::string compose(const std::string& problem, const ModelLocation& where) {
  std::string text;
  if (!where.file.empty())
    text += where.line > 0 ? fmt::format("{}:{}: ", where.file, where.line) : where.file + ": ";
  std::string place;
  const auto add = [&](const char* what, const std::string& name) {
    if (!name.empty()) place += fmt::format("{}{} '{}'", place.empty() ? "" : ", ", what, printable(name));
  };
  add("state", where.state);
  add("hidden", where.hidden);
  add("action", where.action);
  if (!place.empty()) text += place + ": ";
  text += problem;
  if (!where.value.empty()) text += fmt::format(" (got '{}')", printable(where.value));
  return text;
}

}  // namespace

InvalidModel::InvalidModel(const std::string& problem, ModelLocation where)
    : Error(compose(problem, where)), problem_(problem), where_(std::move(where)) {}

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  const bool cut = text.size() > limit;
  for (const char c : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", byte);
    }
  }
  if (cut) result += "...";
  return result;
}

}  // namespace mindgap::base
