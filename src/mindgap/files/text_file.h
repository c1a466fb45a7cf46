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

/// The contents of a file, mapped rather than copied. Throws StoreError where it cannot be opened or is not a
/// regular file.
TextFile open_text_file(const std::filesystem::path& path);

/// A text around `problem` in an untrusted file may be long: what of it belongs into an error.
std::string excerpt(std::string_view text);

}  // namespace mindgap::files
