#pragma once

#include <string>
#include <vector>

#include "mindgap/study/study.h"
#include "mindgap/study/verify.h"
#include "mindgap/view/json.h"

// How the study's results become text and JSON.
namespace mindgap::view {

std::string text_of(const study::Begun& begun);
/// What the study will not be able to say; a sentence each.
std::vector<std::string> warnings_of(const study::Begun& begun);
Json json_of(const study::Begun& begun);
std::string text_of(const study::Joined& joined);
Json json_of(const study::Joined& joined);
std::string text_of(const study::Assigned& assigned);
/// As written: an object may have a line per unit, and there may be very many of them.
std::string written_json(const study::Assigned& assigned);
std::string text_of(const study::Recorded& recorded);
Json json_of(const study::Recorded& recorded);
std::string text_of(const study::Status& status);
Json json_of(const study::Status& status);
/// What speaks against the study's numbers, or should be looked at; a sentence each.
std::vector<std::string> warnings_of(const study::Status& status);
std::string text_of(const study::Redesigned& redesigned);
Json json_of(const study::Redesigned& redesigned);
/// `since_head`: a hash that somebody noted was to be found.
std::string text_of(const study::Verification& verification, bool since_head = false);
Json json_of(const study::Verification& verification, bool since_head = false);

/// Why explorers are not set beside controls yet: "rewards are censored".
std::string why_not_compared(const study::Difference& difference);
/// What another batch is worth and costs, and whether to go on: a sentence.
std::string price_in_words(const decide::BatchPrice& price);
/// "No evidence of drift between 3 batches (anytime-valid p = 1)."
std::string drift_in_words(const study::Drift& drift);

/// What whoever sent the results should know: deviations, impossible moves, rewards far off; one line each,
/// the first twenty. `place` is what places in the results are called: line or row.
std::vector<std::string> warnings_of(const study::Recorded& recorded, const std::string& place = "line");

}  // namespace mindgap::view
