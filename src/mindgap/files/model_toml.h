#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mindgap/files/shared_errors_file.h"
#include "mindgap/mdp/about.h"
#include "mindgap/mdp/model.h"
#include "mindgap/mdp/names.h"

namespace mindgap::files {

/// What `format` says in model.toml and in a model's HDF5 file.
inline constexpr std::string_view kModelFormat = "mindgap-model/1";

/// What a model.toml says. Paths are as written there, relative to the folder.
struct ModelToml {
  std::string name;
  double discount = 0;
  std::optional<double> reward_max;
  std::string states, rewards, transitions;
  mdp::NameTable actions;
  std::optional<std::string> prior_file;  // `prior = "prior.csv"`, or `file = "prior.csv"` in [prior]
  std::optional<mdp::PriorSpec> prior;    // without the numbers per pair and without `shared`
  SharedToml shared;                      // [prior.shared]
  std::optional<double> reward_variance;
  /// `restart = true`: ends are recognised; `restart = ["goal"]`: they are named.
  bool restart = false;
  mdp::NameTable ends = {};
  mdp::About about = {};
};

class TomlTable;

/// Throws InvalidModel with file and line where `text` is not TOML, lacks a key, or has an unknown key, a
/// value of the wrong type or out of its domain. `file` is what messages call it.
ModelToml parse_model_toml(std::string_view text, const std::string& file);

/// The text of a model.toml; parse_model_toml reads the same back.
std::string format_model_toml(const ModelToml& toml);

/// Throws InvalidModel unless `format` is the one that is wanted.
void read_format(TomlTable& top, std::string_view wanted);
/// `name`, empty where there is none.
std::string read_name(TomlTable& top);
/// [prior] of `top`: numbers into result.prior, [prior.shared] and `file` beside it.
void read_prior_table(TomlTable& top, ModelToml& result);
/// [observation] of `top`.
std::optional<double> read_reward_variance(TomlTable& top);
/// [about] of `top`: texts, each of which may be missing.
mdp::About read_about(TomlTable& top);
/// The text of [about], where it states something.
std::string format_about(const mdp::About& about);
/// The text of [prior] and [observation], where they state something.
std::string format_prior(const ModelToml& toml);

/// The keys that every format has: all but the prior. The caller reads what is its own, then finishes `top`.
ModelToml read_model_keys(TomlTable& top, std::string_view format);
/// The text of those keys without [observation]: more keys of the top level may follow.
std::string format_model_keys(const ModelToml& toml, std::string_view format);

}  // namespace mindgap::files
