#pragma once

#include "mindgap/report/page.h"
#include "mindgap/view/diagnose.h"

namespace mindgap::view {

/// A diagnosis as a page: what the simulator promises, how unsure that is, which pairs matter, warnings.
report::Page page_of(const DiagnoseView& view);

}  // namespace mindgap::view
