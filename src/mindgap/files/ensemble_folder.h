#pragma once

#include <filesystem>

#include "mindgap/mdp/model.h"

// An ensemble of models as a folder: ensemble.toml, a table of members, and the models beside it.
namespace mindgap::files {

inline constexpr const char* kEnsembleFile = "ensemble.toml";

/// `path` is the folder or its ensemble.toml. The members are model folders or HDF5 files; what ensemble.toml
/// does not state of prior and observation is that of the first member. Throws StoreError, or InvalidModel
/// with the member, state and action where members do not belong together.
mdp::Model read_ensemble(const std::filesystem::path& path);

/// Writes the members as HDF5 files beside the table. All or nothing, as write_model_folder().
void write_ensemble(const mdp::Model& model, const std::filesystem::path& folder);

}  // namespace mindgap::files
