#pragma once

#include <string_view>
#include <vector>

#include "mindgap/files/text_file.h"
#include "mindgap/world/hidden_model.h"

// The tables of a world folder, each read into the arrays of a HiddenModel. They are read in the order below:
// each needs what those before it filled in; first of all the names. All errors are InvalidModel with file
// and line.
namespace mindgap::world {

/// rewards.csv: fills pair_begin, pair_action, reward and variance; `default_variance` stands in for a column
/// that is absent and for empty cells. Every available pair has one line per hidden state.
void read_rewards(const files::TextFile& file, const files::TextFile& states_file, double default_variance,
                  HiddenArrays& arrays);

/// transitions.csv: fills row_begin, next_state, next_hidden and probability. Row sums are left to
/// HiddenModel.
void read_transitions(const files::TextFile& file, const files::TextFile& rewards_file, HiddenArrays& arrays);

/// behaviour.csv: fills behaviour; lines that are absent have probability 0.
void read_behaviour(const files::TextFile& file, const files::TextFile& rewards_file, HiddenArrays& arrays);

/// calibration.csv and deployment.csv: fills `law`; lines that are absent have probability 0. `what` is the
/// law's name in messages.
void read_hidden_law(const files::TextFile& file, std::string_view what, const HiddenArrays& arrays,
                     std::vector<double>& law);

/// A column and the value that is looked for in it.
struct FieldValue {
  std::string_view column, value;
};
/// The line of the `occurrence`-th record (from 1) with all these values; 0 where there is none. The header
/// was checked when the table was first read.
std::int64_t find_line(const files::TextFile& file, const std::vector<FieldValue>& wanted,
                       int occurrence = 1);

}  // namespace mindgap::world
