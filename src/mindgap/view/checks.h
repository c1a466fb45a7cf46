#pragma once

#include <string>

#include "mindgap/report/page.h"
#include "mindgap/view/diagnose.h"

// What the checks of a diagnosis say: is what its numbers rest on true of this model?
namespace mindgap::view {

std::string text_of_checks(const DiagnoseView& view);
Json json_of_checks(const DiagnoseView& view);
report::Section section_of_checks(const DiagnoseView& view);

}  // namespace mindgap::view
