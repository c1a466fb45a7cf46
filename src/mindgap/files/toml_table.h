#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/mdp/model_values.h"
#include "mindgap/mdp/names.h"

// What the TOML files of models and worlds have in common. Everything wrong is InvalidModel with file and
// line.
namespace mindgap::files {

/// Throws where `text` is not TOML.
toml::table parse_toml(std::string_view text, const std::string& file);

/// Reads the keys of one table; finish() refuses those that nobody asked for.
class TomlTable {
 public:
  /// `prefix` stands before the keys in messages, for example "prior."; table and file must outlive this.
  TomlTable(const toml::table& table, std::string prefix, const std::string& file)
      : table_(table), prefix_(std::move(prefix)), file_(file) {}

  const toml::node* find(std::string_view key);
  /// Throws where the key is missing.
  const toml::node& get(std::string_view key);
  std::optional<double> number(std::string_view key);
  std::optional<double> number(std::string_view key, const mdp::ValueRule& rule);
  double as_number(std::string_view key, const toml::node& node) const;
  std::string as_string(std::string_view key, const toml::node& node) const;
  /// A string that names a file.
  std::string path(std::string_view key);
  std::string as_path(std::string_view key, const toml::node& node) const;
  /// An array of names, each once, at least one. `what` says whose names, for example "action".
  mdp::NameTable names(std::string_view key, std::string_view what);
  void finish() const;

  const std::string& file() const { return file_; }
  [[noreturn]] void wrong_type(std::string_view key, const toml::node& node, std::string_view wanted) const;
  [[noreturn]] void fail(const toml::node& node, const std::string& problem,
                         const std::string& value = {}) const;

 private:
  const toml::table& table_;
  std::string prefix_;
  const std::string& file_;
  std::vector<std::string> known_;
};

/// Numbers, strings and arrays of names as TOML spells them; they read back the same.
std::string toml_number(double value);
std::string toml_string(std::string_view text);
std::string toml_names(const mdp::NameTable& names);

}  // namespace mindgap::files
