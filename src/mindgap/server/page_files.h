#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// The files of the page (the folder page/ beside this file), which CMake puts into the program.
namespace mindgap::server {

struct BuiltInFile {
  std::string_view name, body;
};
/// All of them. Written into the build folder by embed.cmake.
std::span<const BuiltInFile> page_files();

struct PageFile {
  std::string type;  // for the browser
  std::string body;
};
/// The file of this name, built in or from `folder` where one is given; none where there is no such file, or
/// its name is none that a page's file may have.
std::optional<PageFile> find_page_file(const std::string& name, const std::filesystem::path& folder);

}  // namespace mindgap::server
