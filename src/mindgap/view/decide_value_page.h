#pragma once

#include "mindgap/report/page.h"
#include "mindgap/view/decide.h"

namespace mindgap::view {

inline constexpr const char* kValueSection = "What information is worth";

/// What parts of the model are worth knowing, what pilots of every size bring, how sure the choice is, who
/// gains, and what the gain hangs on: pictures and tables. Without blocks where nothing of it was computed.
report::Section value_section(const DecideView& view);

}  // namespace mindgap::view
