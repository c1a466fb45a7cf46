#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "mindgap/files/text_file.h"
#include "mindgap/world/hidden_model.h"

// A world as a folder: world.toml, states.csv, rewards.csv, transitions.csv, behaviour.csv, calibration.csv
// and deployment.csv (docs/reference/world-files.md). What is read back is the same, bit for bit; a world
// without names is written with its numbers as names. behaviour.csv is wanted always: without it nothing
// could be said about confounding.
namespace mindgap::world {

/// `path` is the folder or its world.toml. Throws StoreError or InvalidModel.
HiddenModel read_world(const std::filesystem::path& path);

/// The parsing behind read_world, for texts that come from elsewhere. `open` is called with the paths that
/// world.toml names.
HiddenModel parse_world(const files::TextFile& world_toml,
                        const std::function<files::TextFile(const std::string&)>& open);

/// All or nothing where the folder is new or empty. A folder that holds a world.toml has its files replaced
/// one by one at the very end; any other that is not empty is refused with StoreError.
void write_world(const HiddenModel& world, const std::filesystem::path& folder);

}  // namespace mindgap::world
