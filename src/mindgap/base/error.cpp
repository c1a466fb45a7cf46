#include "mindgap/base/error.h"

#include <fmt/format.h>

#include <algorithm>

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

// Bytes of the UTF-8 character (RFC 3629) that `text` begins with; 0: it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (first < 0xc2 || length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) >= 0xa0, beyond = first == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
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
