#pragma once

#include <string>
#include <vector>

#include "mindgap/belief/knowledge.h"
#include "mindgap/files/text_file.h"
#include "mindgap/mdp/observation_log.h"

// The same file means different things as a log and as coverage; what is said so that nobody mixes them up.
namespace mindgap::view {

/// Whether a log looks like history rather than a pilot: many units (20 or more) of one step each, and no
/// probabilities of actions.
bool looks_like_history(const mdp::ObservationLog& log);

/// What to tell about a log: "" unless it looks like history.
std::string log_warning(const mdp::ObservationLog& log);

/// What to tell about what was given as coverage: "" unless it is a log that was counted.
std::string coverage_warning(const files::TextFile& file);

/// What to tell about counts of a simulator's samples: that they were taken for history, for want of a prior,
/// or that odds were stated although there is no history. Mostly nothing.
std::vector<std::string> sample_warnings(const belief::Knowledge& knowledge);

}  // namespace mindgap::view
