#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/mdp/mdp.h"

// What was observed, by trial or in the past: `unit,step,state,action,reward,next_state` and optionally
// `probability` (of the action, under whoever chose it), `censored` (whether the reward is only a bound) and
// `instrument` (the value of something that moved the action and nothing else).
// The reward or the next state of a row may be missing.
namespace mindgap::mdp {

/// What a reward says: itself, or only that it was at least or at most that much. The numbers are kept in
/// files and hashed.
enum class Censoring : std::uint8_t { none = 0, at_least = 1, at_most = 2 };

/// In a file: 0 or empty, 1 or at_least, at_most. None where `text` is something else.
std::optional<Censoring> censoring_from(std::string_view text);
constexpr const char* kCensoringWanted = "censored must be 0, 1 (or at_least), or at_most";
/// 0, 1, at_most: what a file has.
std::string_view to_string(Censoring censoring);

/// One observation: a unit took a pair at a step. What it earned and where it led to, as far as each was
/// seen.
struct Observation {
  std::int32_t unit = 0;
  std::int64_t step = 0;
  std::int32_t pair = 0;
  std::optional<double> reward = {};            // none: missing
  Censoring censored = Censoring::none;         // whether the reward is only a bound
  std::optional<std::int32_t> next_state = {};  // none: missing
  /// How many observations it stands for, > 0: counts grow by it, and sums by so many times the value.
  double weight = 1;
};

/// One element per row in each; what is learnt from rows is learnt in their order.
struct ObservationLog {
  static constexpr double kNoReward = std::numeric_limits<double>::quiet_NaN();
  static constexpr std::int32_t kNoState = -1;
  static constexpr std::int32_t kNoInstrument = -1;

  std::string file;  // for messages
  NameTable units;
  std::vector<std::int32_t> unit;  // number in `units`
  std::vector<std::int64_t> step;  // from 0
  std::vector<std::int32_t> pair;
  std::vector<double> reward;            // kNoReward: missing
  std::vector<std::int32_t> next_state;  // kNoState: missing
  std::vector<double> probability;       // or empty
  std::vector<Censoring> censored;       // or empty
  NameTable instruments;                 // values of the instrument
  std::vector<std::int32_t> instrument;  // number in `instruments`, kNoInstrument: missing; or empty

  std::size_t size() const { return pair.size(); }
  /// Whether a row has a reward that is not only a bound.
  bool has_plain_reward(std::size_t i) const {
    return !std::isnan(reward[i]) && (censored.empty() || censored[i] == Censoring::none);
  }

  Observation row(std::size_t i) const {
    Observation seen{.unit = unit[i], .step = step[i], .pair = pair[i]};
    if (!std::isnan(reward[i])) seen.reward = reward[i];
    if (!censored.empty()) seen.censored = censored[i];
    if (next_state[i] != kNoState) seen.next_state = next_state[i];
    return seen;
  }
};

/// Adds the rows of `more` behind those of `log`. Probabilities and instruments stay where both have them.
void append(ObservationLog& log, const ObservationLog& more);

/// Rows that have the unit and step of an earlier one, ascending: most likely entered twice.
std::vector<std::size_t> repeated_rows(const ObservationLog& log);

/// How often each pair occurs with both its reward and its next state: a count stands for both.
std::vector<double> count_pairs(const Mdp& mdp, const ObservationLog& log);

}  // namespace mindgap::mdp
