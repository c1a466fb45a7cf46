#include "mindgap/server/page_files.h"

#include <array>
#include <utility>

#include "mindgap/base/error.h"
#include "mindgap/files/place.h"
#include "mindgap/files/text_file.h"

namespace mindgap::server {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kTypes = {{
    {"html", "text/html; charset=utf-8"},
    {"css", "text/css; charset=utf-8"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json; charset=utf-8"},
    {"svg", "image/svg+xml"},
    {"png", "image/png"},
    {"ico", "image/x-icon"},
    {"webmanifest", "application/manifest+json"},
    {"woff2", "font/woff2"},
    {"txt", "text/plain; charset=utf-8"},
}};

std::string_view type_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  for (const auto& [ending, type] : kTypes) {
    if (dot != std::string_view::npos && name.substr(dot + 1) == ending) return type;
  }
  return "";
}

// One name in one folder: no paths.
bool is_page_name(std::string_view name) {
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !name.empty() && name.size() <= 100 && name[0] != '.' &&
         name.find_first_not_of(kAllowed) == std::string_view::npos && !type_of(name).empty();
}

}  // namespace

std::optional<PageFile> find_page_file(const std::string& name, const std::filesystem::path& folder) {
  if (!is_page_name(name)) return std::nullopt;
  const std::string type(type_of(name));
  if (!folder.empty()) {
    if (!files::is_file(folder / name)) return std::nullopt;
    return PageFile{type, std::string(files::open_text_file(folder / name).text)};
  }
  for (const BuiltInFile& file : page_files()) {
    if (file.name == name) return PageFile{type, std::string(file.body)};
  }
  return std::nullopt;
}

}  // namespace mindgap::server
