#pragma once

#include <string>

#include "mindgap/report/page.h"
#include "mindgap/study/study.h"

namespace mindgap::view {

/// How a study stands, for people: what the next batch is worth first; progress; beliefs against the
/// simulator; where the explorers have been; arms; drift; every decision with what it was made on.
report::Page page_of(const study::Status& status, const std::string& version);

}  // namespace mindgap::view
