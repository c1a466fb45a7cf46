#include "mindgap/files/toml_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/files/text_file.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

std::string type_name(const toml::node& node) {
  std::string name;
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

constexpr std::size_t kLargestToml = std::size_t{1} << 26;  // bytes
constexpr int kMostDots = 16, kMostBrackets = 16;

// Where the string that begins at `at` ends: behind its closing quotes, or at the end of what cannot be one.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool lines = text.substr(at).starts_with(three);
  for (at += lines ? 3 : 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (!lines && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    } else if (lines && text.substr(at).starts_with(three)) {
      at += 3;
      for (int more = 0; more < 2 && at < text.size() && text[at] == quote; ++more) ++at;
      return at;
    }
  }
  return text.size();
}

// The parser and the tree it makes call themselves once per level, and a key has a level per dot: a file must
// not be able to use up the stack. Looks for keys with many dots and for brackets in brackets, outside
// strings and comments.
void check_depth(std::string_view text, const std::string& file) {
  int dots = 0, brackets = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = end_of_string(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '.') ++dots;
    if (c == '[' || c == '{') ++brackets;
    if (c == ']' || c == '}') brackets = std::max(brackets - 1, 0);
    if (c == '\n' || c == '=' || c == ',' || c == '[' || c == '{') dots = 0;
    if (dots > kMostDots || brackets > kMostBrackets) {
      throw InvalidModel(
          fmt::format("keys and values are nested too deeply: at most {} levels are read", kMostDots),
          {.file = file,
           .line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')});
    }
    ++at;
  }
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& file) {
  if (text.size() > kLargestToml)
    throw InvalidModel("the file has more than 64 MiB, too much for TOML: large tables belong into CSV",
                       {.file = file});
  check_depth(text, file);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw InvalidModel("not valid TOML: " + base::printable(error.description(), 300),
                       {.file = file, .line = error.source().begin.line});
  }
}

const toml::node* TomlTable::find(std::string_view key) {
  known_.emplace_back(key);
  return table_.get(key);
}

const toml::node& TomlTable::get(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) {
    throw InvalidModel(fmt::format("the key '{}{}' is missing", prefix_, key), {.file = file_});
  }
  return *node;
}

std::optional<double> TomlTable::number(std::string_view key) {
  const toml::node* node = find(key);
  return node == nullptr ? std::nullopt : std::optional(as_number(key, *node));
}

std::optional<double> TomlTable::number(std::string_view key, const ValueRule& rule) {
  const std::optional<double> value = number(key);
  if (value && !rule.good(*value)) fail(*table_.get(key), rule.problem, base::shortest(*value));
  return value;
}

double TomlTable::as_number(std::string_view key, const toml::node& node) const {
  if (!node.is_number()) wrong_type(key, node, "a number");
  return *node.value<double>();
}

std::string TomlTable::as_string(std::string_view key, const toml::node& node) const {
  if (!node.is_string()) wrong_type(key, node, "a string");
  return node.as_string()->get();
}

std::string TomlTable::path(std::string_view key) {
  const toml::node& node = get(key);
  return as_path(key, node);
}

std::string TomlTable::as_path(std::string_view key, const toml::node& node) const {
  std::string text = as_string(key, node);
  if (text.empty() || text.find('\0') != std::string::npos) {
    fail(node, fmt::format("'{}{}' must name a file", prefix_, key), text);
  }
  return text;
}

NameTable TomlTable::names(std::string_view key, std::string_view what) {
  const toml::node& node = get(key);
  const toml::array* names = node.as_array();
  if (names == nullptr) wrong_type(key, node, "an array of names");
  if (names->empty()) fail(node, fmt::format("the model has no {}s", what));
  NameTable table;
  for (const toml::node& element : *names) {
    const std::string name = as_string(key, element);
    try {
      check_name(what, name);
    } catch (const InvalidModel& error) {
      fail(element, error.problem(), error.where().value);
    }
    if (table.add(name) < 0) fail(element, fmt::format("the {} name occurs twice", what), name);
  }
  return table;
}

void TomlTable::finish() const {
  for (const auto& [key, node] : table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
    throw InvalidModel(fmt::format("unknown key '{}{}'", prefix_, base::printable(key.str())),
                       {.file = file_, .line = key.source().begin.line});
  }
}

void TomlTable::wrong_type(std::string_view key, const toml::node& node, std::string_view wanted) const {
  fail(node, fmt::format("'{}{}' is {}, expected {}", prefix_, key, type_name(node), wanted));
}

void TomlTable::fail(const toml::node& node, const std::string& problem, const std::string& value) const {
  throw InvalidModel(problem, {.file = file_, .line = node.source().begin.line, .value = excerpt(value)});
}

// TOML wants a point or an exponent in a float; without one a large number would be an integer out of range.
std::string toml_number(double value) {
  std::string text = base::shortest(value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04X}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string toml_names(const NameTable& names) {
  std::string text = "[";
  for (std::int32_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : ", ") + toml_string(names[i]);
  return text + "]";
}

}  // namespace mindgap::files
