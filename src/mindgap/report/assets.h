#pragma once

#include <string_view>

// What every page carries, from the folder web (web/assets.cpp.in).
namespace mindgap::report {

/// web/page.css
std::string_view page_style();

}  // namespace mindgap::report
