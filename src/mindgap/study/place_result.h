#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/study/state.h"

// What becomes of a result that was sent: one that contradicts what the log says is kept as a conflict for
// the owner to settle, unless its author corrects what they had seen.
namespace mindgap::study {

enum class Outcome {
  recorded,   // the first result of its step
  completed,  // it fills in what an earlier one left open
  corrected,  // it replaces one that said something else
  already,    // the log says so already
  conflict,   // it is kept, and changes nothing until it is settled
};
const char* to_string(Outcome outcome);

/// A result that cannot be taken at all: `code` is a word for programs.
class Refused : public InvalidArgument {
 public:
  Refused(std::string code, const std::string& message) : InvalidArgument(message), code_(std::move(code)) {}
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

struct Placed {
  Outcome outcome = Outcome::recorded;
  ObservationRow row;                        // to be added, unless `already` or `conflict`
  std::vector<std::string> new_states = {};  // that it brings in
  std::string reason = {};                   // of a conflict: contradicts, newer_correction, moved_on
};

/// What becomes of a result whose author had seen the log up to event `seen`. Throws Refused.
Placed place_result(const State& state, const FieldResult& result, std::int64_t seen);

enum class Choice { keep, take, take_reward };
const char* to_string(Choice choice);
std::optional<Choice> choice_from(std::string_view text);

/// The row by which a conflict is settled: outcome `already` where none is needed. Throws Refused where it
/// cannot be taken.
Placed settle_conflict(const State& state, const Conflict& conflict, Choice choice);

}  // namespace mindgap::study
