#pragma once

#include <string>

#include "mindgap/report/page.h"
#include "mindgap/view/json.h"
#include "mindgap/voi/samples.h"

namespace mindgap::view {

std::string text_of(const voi::SampledValue& value);
Json json_of(const voi::SampledValue& value);
report::Page page_of(const voi::SampledValue& value);

/// The plan to take and what knowing everything would add, in one sentence.
std::string headline_of(const voi::SampledValue& value);

}  // namespace mindgap::view
