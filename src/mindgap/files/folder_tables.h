#pragma once

#include <optional>
#include <vector>

#include "mindgap/files/csv.h"
#include "mindgap/files/text_file.h"
#include "mindgap/mdp/mdp.h"

// The tables of a model folder, each read into the arrays of an Mdp. They are read in the order below: each
// needs what those before it filled in. All errors are InvalidModel with file and line.
namespace mindgap::files {

/// Reads the `state` and `action` columns of a table.
class PairColumns {
 public:
  /// All three must outlive this.
  PairColumns(const CsvReader& reader, const mdp::NameTable& states, const mdp::NameTable& actions);

  /// Moves on to a record of the current batch; throws where a name is unknown. Returns whether the pair
  /// differs from that of the record before.
  bool move_to(std::size_t record);
  std::int32_t state() const { return state_; }
  std::int32_t action() const { return action_; }
  /// The current pair's number in `mdp`; throws where the action is not available in the state.
  std::int32_t pair(const mdp::Mdp& mdp, std::size_t record) const;
  /// The current pair by name, for messages.
  ModelLocation where(std::string_view value = {}) const;

 private:
  void find_state(std::size_t record);
  void find_action(std::size_t record);

  const CsvReader& reader_;
  const mdp::NameTable& states_;
  const mdp::NameTable& actions_;
  std::size_t state_column_, action_column_;
  std::int32_t state_ = -1, action_ = -1;
  std::string_view state_name_, action_name_;  // of the current pair, in the name tables
};

/// states.csv: fills labels.states, groups, coordinates, and start.
void read_states(const TextFile& file, mdp::MdpArrays& arrays);

/// rewards.csv: fills pair_begin, pair_action and reward, and `variance` if the table has that column;
/// `default_variance` stands in for empty cells.
void read_rewards(const TextFile& file, const TextFile& states_file, std::optional<double> default_variance,
                  mdp::MdpArrays& arrays, std::vector<double>& variance);

/// transitions.csv: fills row_begin, next_state and probability. A pair that only one of the two tables has
/// is an error. Row sums are left to Mdp.
void read_transitions(const TextFile& file, const TextFile& rewards_file, mdp::MdpArrays& arrays);

/// The line of the `occurrence`-th record (from 1) of a table that is about the pair, or with an empty action
/// about the state; 0 where there is none.
std::int64_t find_pair_line(const TextFile& file, std::string_view state, std::string_view action,
                            int occurrence = 1);

}  // namespace mindgap::files
