#pragma once

#include <cstdint>
#include <string>

#include "mindgap/study/study.h"
#include "mindgap/view/json.h"

// What came of an export, or would: every row of a dry run.
namespace mindgap::view {

std::string text_of_import(const study::Recorded& recorded, std::int64_t left_out, bool dry_run);
Json json_of_import(const study::Recorded& recorded, std::int64_t left_out, bool dry_run);

}  // namespace mindgap::view
