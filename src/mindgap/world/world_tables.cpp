#include "mindgap/world/world_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "mindgap/base/error.h"
#include "mindgap/base/readable.h"
#include "mindgap/files/csv.h"
#include "mindgap/mdp/model_values.h"
#include "mindgap/mdp/pair_arrays.h"

namespace mindgap::world {
namespace {

using files::CsvReader;
using files::excerpt;
using files::TextFile;
using mdp::NameTable;

// A column of names. Files mostly are in order, so the last name and the one after it are tried first.
class NameColumn {
 public:
  NameColumn(const CsvReader& reader, const char* column, const char* what, const NameTable& names)
      : reader_(reader), column_(reader.column(column)), what_(what), names_(names) {}

  std::int32_t number() const { return last_; }
  std::string_view name() const { return names_[last_]; }

  /// Throws where the name is unknown; `where` is what is known of the record so far.
  void read(std::size_t record, const ModelLocation& where = {}) {
    const std::string_view field = reader_.field(record, column_);
    if (last_ >= 0 && field == names_[last_]) return;
    const bool next = last_ + 1 < names_.size() && field == names_[last_ + 1];
    const std::int32_t found = next ? last_ + 1 : names_.find(field);
    if (found < 0) {
      ModelLocation location = where;
      if (field.empty()) {
        reader_.fail(record, fmt::format("the {} is empty, expected a name", what_), location);
      }
      location.value = excerpt(field);
      reader_.fail(record, fmt::format("the {} is unknown", what_), location);
    }
    last_ = found;
  }

 private:
  const CsvReader& reader_;
  std::size_t column_;
  const char* what_;
  const NameTable& names_;
  std::int32_t last_ = -1;
};

// The columns state, hidden and, where wanted, action of a table.
class CellColumns {
 public:
  CellColumns(const CsvReader& reader, const HiddenArrays& arrays, bool with_action = true)
      : state_(reader, "state", "state", arrays.labels.states),
        hidden_(reader, "hidden", "hidden state", arrays.hidden_names) {
    if (with_action) action_.emplace(reader, "action", "action", arrays.labels.actions);
  }

  void read(std::size_t record) {
    state_.read(record);
    hidden_.read(record, {.state = excerpt(state_.name())});
    if (action_) {
      action_->read(record, {.state = excerpt(state_.name()), .hidden = excerpt(hidden_.name())});
    }
  }

  std::int32_t state() const { return state_.number(); }
  std::int32_t hidden() const { return hidden_.number(); }
  std::int32_t action() const { return action_->number(); }
  /// The current record by names, for messages.
  ModelLocation where(std::string_view value = {}) const {
    return {.state = excerpt(state_.name()),
            .action = action_ ? excerpt(action_->name()) : std::string(),
            .value = excerpt(value),
            .hidden = excerpt(hidden_.name())};
  }

 private:
  NameColumn state_, hidden_;
  std::optional<NameColumn> action_;
};

double read_probability(const CsvReader& reader, std::size_t record, std::size_t column,
                        const CellColumns& cell) {
  const double p = reader.number(record, column, "probability");
  if (!(p >= 0 && p <= 1 + kSumTolerance)) {
    reader.fail(record, "the probability must be from 0 to 1", cell.where(reader.field(record, column)));
  }
  return p;
}

std::size_t cell_number(const HiddenArrays& arrays, std::int32_t row, std::int32_t h) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(arrays.hidden_names.size()) +
         static_cast<std::size_t>(h);
}

struct RewardLine {
  std::int32_t state, action, hidden;
  double reward, variance;

  bool same_pair(const RewardLine& other) const { return state == other.state && action == other.action; }
};

std::vector<RewardLine> read_reward_lines(const TextFile& file, double default_variance,
                                          const HiddenArrays& arrays) {
  CsvReader reader(file.text, file.name, {"state", "hidden", "action", "reward"}, {"variance"});
  CellColumns cell(reader, arrays);
  const std::size_t reward_column = reader.column("reward");
  const std::optional<std::size_t> variance_column = reader.find_column("variance");
  std::vector<RewardLine> lines;
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      cell.read(i);
      RewardLine line{cell.state(), cell.action(), cell.hidden(), reader.number(i, reward_column, "reward"),
                      default_variance};
      if (!std::isfinite(line.reward)) {
        reader.fail(i, "the reward must be finite", cell.where(reader.field(i, reward_column)));
      }
      if (variance_column && !reader.field(i, *variance_column).empty()) {
        line.variance = reader.number(i, *variance_column, "variance");
        if (!mdp::kVariance.good(line.variance)) {
          reader.fail(i, mdp::kVariance.problem, cell.where(reader.field(i, *variance_column)));
        }
      }
      lines.push_back(line);
    }
  }
  std::sort(lines.begin(), lines.end(), [](const RewardLine& a, const RewardLine& b) {
    return std::tie(a.state, a.action, a.hidden) < std::tie(b.state, b.action, b.hidden);
  });
  return lines;
}

// Throws about a cell of a table that holds it `occurrence` - 1 times already.
[[noreturn]] void fail_cell(const TextFile& file, const HiddenArrays& arrays, const std::string& problem,
                            const RewardLine& cell, const std::vector<FieldValue>& known, int occurrence) {
  throw InvalidModel(problem, {.file = file.name,
                               .line = find_line(file, known, occurrence),
                               .state = excerpt(arrays.labels.states[cell.state]),
                               .action = excerpt(arrays.labels.actions[cell.action]),
                               .hidden = excerpt(arrays.hidden_names[cell.hidden])});
}

// The lines are in order; each pair must have hidden states 0, 1, ..., each once.
void check_cells(const TextFile& file, const HiddenArrays& arrays, const std::vector<RewardLine>& lines) {
  const std::int32_t hidden = arrays.hidden_names.size();
  for (std::size_t i = 0; i < lines.size();) {
    const RewardLine& first = lines[i];
    std::vector<FieldValue> known = {{"state", arrays.labels.states[first.state]},
                                     {"action", arrays.labels.actions[first.action]}};
    for (std::int32_t h = 0; h < hidden; ++h, ++i) {
      if (i < lines.size() && lines[i].same_pair(first) && lines[i].hidden == h) continue;
      if (i < lines.size() && lines[i].same_pair(first) && lines[i].hidden < h) break;
      fail_cell(file, arrays, "the pair has no reward in this hidden state",
                {first.state, first.action, h, 0, 0}, known, 1);
    }
    if (i < lines.size() && lines[i].same_pair(first)) {
      known.push_back({"hidden", arrays.hidden_names[lines[i].hidden]});
      fail_cell(file, arrays, "the pair has a second reward in this hidden state", lines[i], known, 2);
    }
  }
}

struct TransitionLine {
  std::size_t cell;
  std::int32_t state, hidden;
  double probability;
};

std::vector<TransitionLine> read_transition_lines(const TextFile& file, const std::string& rewards_name,
                                                  const HiddenArrays& arrays) {
  CsvReader reader(file.text, file.name,
                   {"state", "hidden", "action", "next_state", "next_hidden", "probability"});
  CellColumns cell(reader, arrays);
  NameColumn next_state(reader, "next_state", "next state", arrays.labels.states);
  NameColumn next_hidden(reader, "next_hidden", "next hidden state", arrays.hidden_names);
  const std::size_t column = reader.column("probability");
  std::vector<TransitionLine> lines;
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      cell.read(i);
      const std::int32_t pair =
          mdp::find_pair(arrays.pair_begin, arrays.pair_action, cell.state(), cell.action());
      if (pair < 0) {
        reader.fail(i, fmt::format("the pair has transitions, but no reward in {}", rewards_name),
                    cell.where());
      }
      next_state.read(i, cell.where());
      next_hidden.read(i, cell.where());
      lines.push_back({cell_number(arrays, pair, cell.hidden()), next_state.number(), next_hidden.number(),
                       read_probability(reader, i, column, cell)});
    }
  }
  const auto before = [](const TransitionLine& a, const TransitionLine& b) { return a.cell < b.cell; };
  if (!std::is_sorted(lines.begin(), lines.end(), before)) {
    std::stable_sort(lines.begin(), lines.end(), before);
  }
  return lines;
}

[[noreturn]] void fail_sum(const TextFile& file, std::string_view what, double sum, ModelLocation where,
                           const std::vector<FieldValue>& known) {
  where.file = file.name;
  where.line = find_line(file, known);
  where.value = base::number(sum, 12);
  throw InvalidModel(fmt::format("the {} probabilities must sum to 1", what), std::move(where));
}

}  // namespace

std::int64_t find_line(const TextFile& file, const std::vector<FieldValue>& wanted, int occurrence) {
  CsvReader reader(file.text, file.name, {},
                   {"name", "group", "x", "y", "start", "state", "hidden", "action", "reward", "variance",
                    "next_state", "next_hidden", "probability"});
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool all = std::all_of(wanted.begin(), wanted.end(), [&](const FieldValue& field) {
        return reader.field(i, reader.column(field.column)) == field.value;
      });
      if (all && --occurrence == 0) return reader.line(i);
    }
  }
  return 0;
}

void read_rewards(const TextFile& file, const TextFile& states_file, double default_variance,
                  HiddenArrays& arrays) {
  const std::vector<RewardLine> lines = read_reward_lines(file, default_variance, arrays);
  check_cells(file, arrays, lines);
  const NameTable& states = arrays.labels.states;
  arrays.pair_begin.assign(static_cast<std::size_t>(states.size()) + 1, 0);
  for (const RewardLine& line : lines) {
    arrays.reward.push_back(line.reward);
    arrays.variance.push_back(line.variance);
    if (line.hidden != 0) continue;
    if (arrays.pair_action.size() >= INT32_MAX - 1) {
      throw InvalidModel("there are too many pairs", {.file = file.name});
    }
    arrays.pair_action.push_back(line.action);
    ++arrays.pair_begin[line.state + 1];
  }
  for (std::int32_t s = 0; s < states.size(); ++s) {
    if (arrays.pair_begin[s + 1] == 0) {
      throw InvalidModel(fmt::format("the state has no available action in {}", file.name),
                         {.file = states_file.name,
                          .line = find_line(states_file, {{"name", states[s]}}),
                          .state = excerpt(states[s])});
    }
    arrays.pair_begin[s + 1] += arrays.pair_begin[s];
  }
}

void read_transitions(const TextFile& file, const TextFile& rewards_file, HiddenArrays& arrays) {
  const std::vector<TransitionLine> lines = read_transition_lines(file, rewards_file.name, arrays);
  arrays.row_begin.assign(arrays.reward.size() + 1, 0);
  for (const TransitionLine& line : lines) {
    ++arrays.row_begin[line.cell + 1];
    arrays.next_state.push_back(line.state);
    arrays.next_hidden.push_back(line.hidden);
    arrays.probability.push_back(line.probability);
  }
  const NameTable& states = arrays.labels.states;
  for (std::int32_t s = 0; s < states.size(); ++s) {
    for (const std::int32_t k : mdp::pairs_of(arrays.pair_begin, s)) {
      for (std::int32_t h = 0; h < arrays.hidden_names.size(); ++h) {
        if (arrays.row_begin[cell_number(arrays, k, h) + 1] > 0) continue;
        const std::int32_t action = arrays.pair_action[k];
        fail_cell(rewards_file, arrays,
                  fmt::format("the pair has a reward, but no transitions in {}", file.name),
                  {s, action, h, 0, 0},
                  {{"state", states[s]},
                   {"action", arrays.labels.actions[action]},
                   {"hidden", arrays.hidden_names[h]}},
                  1);
      }
    }
  }
  std::partial_sum(arrays.row_begin.begin(), arrays.row_begin.end(), arrays.row_begin.begin());
}

void read_behaviour(const TextFile& file, const TextFile& rewards_file, HiddenArrays& arrays) {
  CsvReader reader(file.text, file.name, {"state", "hidden", "action", "probability"});
  CellColumns cell(reader, arrays);
  const std::size_t column = reader.column("probability");
  arrays.behaviour.assign(arrays.reward.size(), 0);
  std::vector<bool> seen(arrays.reward.size());
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      cell.read(i);
      const std::int32_t pair =
          mdp::find_pair(arrays.pair_begin, arrays.pair_action, cell.state(), cell.action());
      if (pair < 0) {
        reader.fail(i, fmt::format("the pair has no reward in {}", rewards_file.name), cell.where());
      }
      const std::size_t number = cell_number(arrays, pair, cell.hidden());
      if (seen[number]) reader.fail(i, "the pair has a second line for this hidden state", cell.where());
      seen[number] = true;
      arrays.behaviour[number] = read_probability(reader, i, column, cell);
    }
  }
  for (std::int32_t s = 0; s < arrays.labels.states.size(); ++s) {
    for (std::int32_t h = 0; h < arrays.hidden_names.size(); ++h) {
      double sum = 0;
      for (const std::int32_t k : mdp::pairs_of(arrays.pair_begin, s)) {
        sum += arrays.behaviour[cell_number(arrays, k, h)];
      }
      if (sums_to_one(sum)) continue;
      const std::string_view state = arrays.labels.states[s], hidden = arrays.hidden_names[h];
      fail_sum(file, "behaviour", sum, {.state = excerpt(state), .hidden = excerpt(hidden)},
               {{"state", state}, {"hidden", hidden}});
    }
  }
}

void read_hidden_law(const TextFile& file, std::string_view what, const HiddenArrays& arrays,
                     std::vector<double>& law) {
  CsvReader reader(file.text, file.name, {"state", "hidden", "probability"});
  CellColumns cell(reader, arrays, false);
  const std::size_t column = reader.column("probability");
  const NameTable& states = arrays.labels.states;
  law.assign(cell_number(arrays, states.size(), 0), 0);
  std::vector<bool> seen(law.size());
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      cell.read(i);
      const std::size_t number = cell_number(arrays, cell.state(), cell.hidden());
      if (seen[number]) reader.fail(i, "the state has a second line for this hidden state", cell.where());
      seen[number] = true;
      law[number] = read_probability(reader, i, column, cell);
    }
  }
  for (std::int32_t s = 0; s < states.size(); ++s) {
    double sum = 0;
    for (std::int32_t h = 0; h < arrays.hidden_names.size(); ++h) sum += law[cell_number(arrays, s, h)];
    if (!sums_to_one(sum)) {
      fail_sum(file, what, sum, {.state = excerpt(states[s])}, {{"state", states[s]}});
    }
  }
}

}  // namespace mindgap::world
