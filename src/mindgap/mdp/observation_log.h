#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/mdp/mdp.h"

// What was observed, by trial or in the past: `unit,step,state,action,reward,next_state` and optionally
// `probability` (of the action, under whoever chose it) and `censored` (whether the reward is only a bound).
namespace mindgap::mdp {

/// What a reward says: itself, or only that it was at least or at most that much. The numbers are kept in
/// files and hashed.
enum class Censoring : std::uint8_t { none = 0, at_least = 1, at_most = 2 };

/// In a file: 0 or empty, 1 or at_least, at_most. None where `text` is something else.
std::optional<Censoring> censoring_from(std::string_view text);
constexpr const char* kCensoringWanted = "censored must be 0, 1 (or at_least), or at_most";
/// 0, 1, at_most: what a file has.
std::string_view to_string(Censoring censoring);

/// One element per row in each; rows may come in any order.
struct ObservationLog {
  std::string file;  // for messages
  NameTable units;
  std::vector<std::int32_t> unit;  // number in `units`
  std::vector<std::int64_t> step;  // from 0
  std::vector<std::int32_t> pair;
  std::vector<double> reward;
  std::vector<std::int32_t> next_state;
  std::vector<double> probability;  // or empty
  std::vector<Censoring> censored;  // or empty

  std::size_t size() const { return pair.size(); }
};

/// Rows that have the unit and step of an earlier one, ascending: most likely entered twice.
std::vector<std::size_t> repeated_rows(const ObservationLog& log);

/// How often each pair occurs.
std::vector<double> count_pairs(const Mdp& mdp, const ObservationLog& log);

}  // namespace mindgap::mdp
