#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace mindgap::files {

/// A text in memory and what to call it in messages; `owner` keeps the text alive.
struct TextFile {
  std::string name;
  std::string_view text;
  std::shared_ptr<const void> owner;
};

/// The contents of a file, as they were when it was read. Throws StoreError where it cannot be opened, is not
/// a regular file, or becomes shorter meanwhile.
TextFile open_text_file(const std::filesystem::path& path);

/// The first `count` bytes of a file, fewer where it has fewer. Throws like open_text_file.
std::string first_bytes(const std::filesystem::path& path, std::size_t count);

/// A text around `problem` in an untrusted file may be long: what of it belongs into an error.
std::string excerpt(std::string_view text);

}  // namespace mindgap::files
