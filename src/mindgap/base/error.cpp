#include "mindgap/base/error.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/utf8.h"

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
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = utf8_length(text.substr(at));
    if (at + std::max<std::size_t>(length, 1) > limit) return result + "...";
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
      ++at;
    } else {
      result += text.substr(at, length);
      at += length;
    }
  }
  return result;
}

}  // namespace mindgap::base
