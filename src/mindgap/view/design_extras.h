#pragma once

#include <string>

#include "mindgap/report/page.h"
#include "mindgap/view/design.h"

// What `mindgap design --navigation` and `--sizes` say beside the design.
namespace mindgap::view {

std::string text_of_navigation(const DesignView& view);
std::string text_of_sizes(const DesignView& view);
Json json_of_navigation(const DesignView& view);
Json json_of_sizes(const DesignView& view);
/// Sections for those that are there.
void add_extras(const DesignView& view, report::Page& page);

}  // namespace mindgap::view
