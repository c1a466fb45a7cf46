#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mindgap/files/text_file.h"
#include "mindgap/mdp/model.h"

// Errors that pairs share, as [prior.shared] of a model.toml states them.
namespace mindgap::files {

class TomlTable;

struct SharedToml {
  std::optional<double> group_sd;                         // group_sd = 0.5
  std::vector<std::pair<std::string, double>> group_sds;  // group_sd = {A = 0.5, B = 0.2}
  std::optional<mdp::KernelSpec> kernel;                  // [prior.shared.kernel]
  std::optional<std::string> loadings;                    // a table state,action,factor,loading

  bool any() const { return group_sd || !group_sds.empty() || kernel || loadings; }
  bool operator==(const SharedToml&) const = default;
};

/// Reads `shared` of the table of the prior, where it is. Throws InvalidModel with file and line.
SharedToml read_shared(TomlTable& prior);
/// The text that reads back the same; empty where nothing is stated.
std::string format_shared(const SharedToml& shared);

/// With names as numbers of the model. `toml` and `loadings` (where one is stated) are what messages name.
mdp::SharedSpec shared_spec(const SharedToml& shared, const mdp::Mdp& mdp, const std::string& toml,
                            const TextFile* loadings);
SharedToml shared_toml(const mdp::SharedSpec& spec, const mdp::Mdp& mdp, const std::string& loadings);

}  // namespace mindgap::files
