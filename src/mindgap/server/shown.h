#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mindgap/server/fields.h"
#include "mindgap/study/live.h"

// What the log's rows and events say, as the API answers them.
namespace mindgap::server {

/// Whose units somebody sees.
using SeesUnit = std::function<bool(const std::string& unit)>;

/// A result, with those it replaced (oldest first) where `with_history`.
ApiJson result_json(const study::LiveLog& log, std::int32_t observation, bool with_history);
ApiJson assignment_json(const study::LiveLog& log, std::int32_t assignment, bool with_arm);
ApiJson conflict_json(const study::LiveLog& log, const study::Conflict& conflict);

/// The units that an event is about; empty where it is about all, or none.
std::vector<std::string> units_of(const study::LiveLog& log, const study::LiveLog::Entry& entry);
/// In a few words: "van1, step 3: reward 2, led to s1".
std::string summary_of(const study::LiveLog& log, const study::LiveLog::Entry& entry);
/// With those of its units that are seen, at most 20.
ApiJson event_json(const study::LiveLog& log, const study::LiveLog::Entry& entry, const SeesUnit& sees);

/// A field of CSV: quoted where it must be, and made safe for spreadsheets.
std::string csv_field(std::string text);

}  // namespace mindgap::server
