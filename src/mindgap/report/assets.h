#pragma once

#include <string_view>

// What every page carries, from the folder web and the npm packages it names (web/assets.cpp.in).
namespace mindgap::report {

/// Vega, Vega-Lite and vega-embed with their licences; nothing in it ends a script element.
std::string_view bundle();
/// web/page.js
std::string_view page_script();
/// web/page.css
std::string_view page_style();

}  // namespace mindgap::report
