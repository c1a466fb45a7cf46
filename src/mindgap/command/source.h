#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/files/text_file.h"
#include "mindgap/mdp/model.h"

namespace mindgap::command {

/// A table that a user gave: a file, or one in memory as the text of a file.
struct Source {
  files::TextFile file;
  bool table = false;  // in memory: then messages count its rows, not lines
};
/// Throws StoreError where the file cannot be opened.
Source open_source(const std::filesystem::path& path);
/// The same; none where `path` is empty.
std::optional<Source> source_of(const std::filesystem::path& path);
/// The states that a table names and the model does not have (files::unknown_states).
std::vector<std::string> unknown_states(const Source& source, const mdp::Model& model);

}  // namespace mindgap::command
