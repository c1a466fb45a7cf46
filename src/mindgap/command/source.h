#pragma once

#include <filesystem>
#include <optional>

#include "mindgap/files/text_file.h"

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

}  // namespace mindgap::command
