#pragma once

#include <filesystem>

#include "mindgap/mdp/model.h"

namespace mindgap::files {

/// Reads a model folder (given as the folder or its model.toml) or an HDF5 file. Throws StoreError where
/// something cannot be opened, InvalidModel where the content is wrong.
mdp::Model read_model(const std::filesystem::path& path);

/// Writes an HDF5 file where `path` ends in .h5 or .hdf5, else a model folder. All or nothing: after an error
/// the target is as it was before.
void write_model(const mdp::Model& model, const std::filesystem::path& path);

}  // namespace mindgap::files
