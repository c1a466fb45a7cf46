#pragma once

#include <string>
#include <vector>

#include "mindgap/study/study.h"
#include "mindgap/study/verify.h"
#include "mindgap/view/json.h"

// How the study's results become text and JSON.
namespace mindgap::view {

std::string text_of(const study::Begun& begun);
Json json_of(const study::Begun& begun);
std::string text_of(const study::Assigned& assigned);
/// As written: an object may have a line per unit, and there may be very many of them.
std::string written_json(const study::Assigned& assigned);
std::string text_of(const study::Recorded& recorded);
Json json_of(const study::Recorded& recorded);
std::string text_of(const study::Status& status);
Json json_of(const study::Status& status);
std::string text_of(const study::Redesigned& redesigned);
Json json_of(const study::Redesigned& redesigned);
/// `since_head`: a hash that somebody noted was to be found.
std::string text_of(const study::Verification& verification, bool since_head = false);
Json json_of(const study::Verification& verification, bool since_head = false);

/// What somebody should look at: deviations and impossible moves; a sentence each, the first few.
std::vector<std::string> warnings_of(const study::Recorded& recorded);

}  // namespace mindgap::view
