#pragma once

#include "mindgap/report/page.h"
#include "mindgap/view/design.h"

namespace mindgap::view {

/// A pilot as a page: what it does to the variance, where it looks, its routes.
report::Page page_of(const DesignView& view);

}  // namespace mindgap::view
