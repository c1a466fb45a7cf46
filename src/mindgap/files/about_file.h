#pragma once

#include <filesystem>

#include "mindgap/mdp/about.h"
#include "mindgap/mdp/model.h"

// What the owner of a model says about it, beside the model itself.
namespace mindgap::files {

/// [about] of a model folder's model.toml or of an ensemble.toml, or the attributes about_... of an HDF5
/// file; empty where nothing is stated. Throws StoreError and InvalidModel, as read_model().
mdp::About read_about(const std::filesystem::path& path);

/// write_model() with it.
void write_model_about(const mdp::Model& model, const mdp::About& about, const std::filesystem::path& path);

}  // namespace mindgap::files
