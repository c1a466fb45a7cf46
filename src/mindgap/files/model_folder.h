#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "mindgap/files/text_file.h"
#include "mindgap/mdp/model.h"

// A model as a folder: model.toml, states.csv, rewards.csv, transitions.csv and optionally prior.csv.
//
// A folder always names its states and actions. A model without names (from HDF5 or C++) is written with its
// numbers as names and reads back as a model that has those names. Groups are numbered in the order in which
// states.csv mentions them. Where a prior per pair comes with odds or drift_sd, or has only one of its two
// numbers per pair, the table [prior] says so with `file = "prior.csv"`. Coverage has no place in model.toml:
// it is written as coverage.csv, as --coverage takes it, and not read back. Counts of the simulator's own
// samples are written as samples.csv, so that nobody takes them for history.
namespace mindgap::files {

/// `path` is the folder or its model.toml. Throws StoreError or InvalidModel.
mdp::Model read_model_folder(const std::filesystem::path& path);

/// The parsing behind read_model_folder, for texts that come from elsewhere. `open` is called with the paths
/// that model.toml names.
mdp::Model parse_model_folder(const TextFile& model_toml,
                              const std::function<TextFile(const std::string&)>& open);

/// All or nothing where the folder is new or empty. A folder that holds a model.toml has its files replaced
/// one by one at the very end; any other that is not empty is refused with StoreError.
void write_model_folder(const mdp::Model& model, const std::filesystem::path& folder);

}  // namespace mindgap::files
