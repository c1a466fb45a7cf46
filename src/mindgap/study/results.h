#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/files/text_file.h"
#include "mindgap/study/state.h"

// Results as they come back from the field: `unit,step,state,action,reward,next_state[,censored][,status]`.
namespace mindgap::study {

struct ResultOptions {
  /// Rows that contradict the log replace what it says, instead of being refused.
  bool correct = false;
};

/// What a file of results says that the log does not know yet.
struct Results {
  std::vector<ObservationRow> rows;     // to be added
  std::vector<std::int64_t> lines;      // of the file, one per row
  std::int64_t already = 0;             // lines that say what the log says
  std::int64_t completed = 0;           // rows that fill in what an earlier one left open
  std::int64_t corrected = 0;           // rows that replace one that said something else
  std::vector<std::size_t> impossible;  // rows with a move that the model calls impossible
  std::vector<std::size_t> far;         // rows with a reward that is_far()
  std::vector<std::string> new_states;  // that the model does not have, in order of appearance
};

/// Checks a file against the log. All rows or none: throws InvalidModel with file and line for the first row
/// that contradicts the log (another state than assigned, another result than recorded, a step that was never
/// assigned), names what is not there, or says nothing. A reward or a next state may be left empty and come
/// later; a next state that the model does not have is refused, or where the study allows it gets the number
/// after the last one; `censored` 1 or at_least: the reward is a lower bound, at_most: an upper one; `status`
/// void: nothing was learnt but where the unit is.
Results check_results(const State& state, const files::TextFile& file, const ResultOptions& options = {});

constexpr double kLargestReward = 1e100;  // squares of rewards are added up

/// How a new row relates to the one that holds; one that says less than that says the same.
enum class Relation { same, completes, contradicts };
Relation relation(const ObservationRow& old, const ObservationRow& now);

/// A new row in which what it leaves open is as it was known. A void one has no reward.
ObservationRow completed(const ObservationRow& old, ObservationRow now);

/// Whether a reward is so far from what was to be expected before the study that it is most likely a slip:
/// more than kFar standard deviations of one reward under the prior, sqrt(prior variance of the mean +
/// variance of one reward). Where both are 0 the largest reward of the model takes their place. It counts all
/// the same.
constexpr double kFar = 100;
bool is_far(const belief::Belief& before, const ObservationRow& row);

/// Whether the model has a move from the row's pair to its next state.
bool is_possible(const mdp::Mdp& mdp, const ObservationRow& row);

}  // namespace mindgap::study
