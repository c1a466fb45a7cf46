#pragma once

#include <string>

#include "mindgap/report/page.h"
#include "mindgap/view/decide.h"

// A decision as a page to hand over.
namespace mindgap::view {

/// The verdict first; value over time per plan; tipping points; where the pilot goes; what is uncertain and
/// matters, before and after the pilot; what it assumes.
report::Page page_of(const DecideView& view);

/// What to do, in one sentence, and why, in one or two.
std::string headline_of(const DecideView& view);
std::string reason_of(const DecideView& view);

}  // namespace mindgap::view
