#pragma once

#include <string>
#include <vector>

#include "mindgap/study/state.h"
#include "mindgap/view/json.h"

// Single results in words, and the conflicts that are still to be settled: for the command line, Python,
// reports and the server.
namespace mindgap::view {

/// "van-1, step 3: reward at least 2, led to north".
std::string result_in_words(const study::State& state, const study::ObservationRow& row);
std::string result_in_words(const study::FieldResult& sent);

/// The conflicts that nobody has settled, oldest first.
std::vector<const study::Conflict*> open_conflicts(const study::State& state);
/// "conflict 17: bo sent van-1, step 3: reward 2, but the log has reward 1 (contradicts)". Names are
/// printable.
std::string conflict_in_words(const study::State& state, const study::Conflict& conflict);
Json json_of_conflicts(const study::State& state);

}  // namespace mindgap::view
