#include "mindgap/files/folder_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "mindgap/base/number.h"
#include "mindgap/base/readable.h"
#include "mindgap/mdp/memory.h"
#include "mindgap/mdp/model_values.h"
#include "mindgap/mdp/pair_arrays.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

// Line of the n-th record whose `columns` hold `values`; for messages only, so it simply reads the file
// again. Any column may be present: the header was checked when the table was first read.
template <typename Matches>
std::int64_t find_line(CsvReader& reader, int occurrence, Matches matches) {
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      if (matches(i) && --occurrence == 0) return reader.line(i);
    }
  }
  return 0;
}

CsvReader states_reader(const TextFile& file) {
  return {file.text, file.name, {"name"}, {"group", "x", "y", "start"}};
}

CsvReader rewards_reader(const TextFile& file) {
  return {file.text, file.name, {"state", "action", "reward"}, {"variance"}};
}

std::int64_t find_state_line(const TextFile& file, std::string_view name) {
  CsvReader reader = states_reader(file);
  const std::size_t column = reader.column("name");
  return find_line(reader, 1, [&](std::size_t i) { return reader.field(i, column) == name; });
}

// a == b, without a call for the short texts that names mostly are.
inline bool same_text(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size > 16) return a == b;
  const auto same = [&]<typename Word>(Word, std::size_t at) {
    Word x, y;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    return x == y;
  };
  if (size >= 8) return same(std::uint64_t{}, 0) && same(std::uint64_t{}, size - 8);
  if (size >= 4) return same(std::uint32_t{}, 0) && same(std::uint32_t{}, size - 4);
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// About how many lines a text has, from pieces all over it: what to reserve.
std::size_t estimate_lines(std::string_view text) {
  constexpr std::size_t kPiece = 1 << 16, kPieces = 16;
  if (text.size() <= kPiece * kPieces) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  }
  std::size_t lines = 0;
  for (std::size_t i = 0; i < kPieces; ++i) {
    const std::string_view piece = text.substr((text.size() - kPiece) / (kPieces - 1) * i, kPiece);
    lines += static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n'));
  }
  const double share = static_cast<double>(text.size()) / static_cast<double>(kPiece * kPieces);
  return static_cast<std::size_t>(static_cast<double>(lines) * share * 1.02) + 1024;
}

// The columns of states.csv beside the name.
class StateColumns {
 public:
  StateColumns(const CsvReader& reader, MdpArrays& arrays)
      : reader_(reader),
        arrays_(arrays),
        group_(reader.find_column("group")),
        x_(reader.find_column("x")),
        y_(reader.find_column("y")),
        start_(reader.find_column("start")) {
    if (x_.has_value() != y_.has_value()) {
      throw InvalidModel(
          fmt::format("the header lacks the column '{}': coordinates need both x and y", x_ ? 'y' : 'x'),
          {.file = reader.file(), .line = 1});
    }
  }

  void take(std::size_t i, std::string_view name) {
    if (group_) arrays_.labels.group_of_state.push_back(group(reader_.field(i, *group_), i));
    if (x_) {
      arrays_.labels.x.push_back(coordinate(i, *x_, "x coordinate", name));
      arrays_.labels.y.push_back(coordinate(i, *y_, "y coordinate", name));
    }
    if (!start_) return;
    const double start = reader_.number(i, *start_, "start probability");
    if (!(start >= 0 && start <= 1 + kSumTolerance)) {
      reader_.fail(i, "the start probability must be from 0 to 1",
                   {.state = excerpt(name), .value = excerpt(reader_.field(i, *start_))});
    }
    arrays_.start.push_back(start);
  }

  void finish() const {
    if (!start_) return;
    const double sum = std::accumulate(arrays_.start.begin(), arrays_.start.end(), 0.0);
    if (std::abs(sum - 1) <= kSumTolerance) return;
    throw InvalidModel("the start probabilities must sum to 1",
                       {.file = reader_.file(), .value = base::number(sum, 12)});
  }

 private:
  std::int32_t group(std::string_view name, std::size_t i) {
    if (name.empty()) return -1;
    NameTable& groups = arrays_.labels.groups;
    const std::int32_t known = groups.find(name);
    if (known >= 0) return known;
    if (!is_clean_utf8(name)) {
      reader_.fail(i, "the group name must be valid UTF-8 without NUL bytes", {.value = excerpt(name)});
    }
    return groups.add(name);
  }

  double coordinate(std::size_t i, std::size_t column, std::string_view what, std::string_view name) const {
    const double value = reader_.number(i, column, what);
    if (std::isfinite(value)) return value;
    reader_.fail(i, fmt::format("the {} must be finite", what),
                 {.state = excerpt(name), .value = excerpt(reader_.field(i, column))});
  }

  const CsvReader& reader_;
  MdpArrays& arrays_;
  std::optional<std::size_t> group_, x_, y_, start_;
};

// The rows of rewards.csv as they come, until they are put in the order of pairs.
struct RewardRows {
  std::vector<std::int32_t> state, action;
  std::vector<double> reward, variance;
  bool ordered = true;

  void add(std::int32_t s, std::int32_t a, double r) {
    if (ordered && !state.empty()) ordered = state.back() < s || (state.back() == s && action.back() < a);
    state.push_back(s);
    action.push_back(a);
    reward.push_back(r);
  }

  template <typename T>
  static void permute(std::vector<T>& values, const std::vector<std::int32_t>& order) {
    if (values.empty()) return;
    std::vector<T> result(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) result[i] = values[order[i]];
    values = std::move(result);
  }

  void sort() {
    if (ordered) return;
    std::vector<std::int32_t> order(state.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
      return state[i] != state[j] ? state[i] < state[j] : action[i] < action[j];
    });
    permute(state, order);
    permute(action, order);
    permute(reward, order);
    permute(variance, order);
  }
};

RewardRows read_reward_rows(const TextFile& file, std::optional<double> default_variance,
                            const Labels& labels) {
  CsvReader reader = rewards_reader(file);
  PairColumns pair(reader, labels.states, labels.actions);
  const std::size_t reward_column = reader.column("reward");
  const std::optional<std::size_t> variance_column = reader.find_column("variance");
  RewardRows rows;
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      pair.move_to(i);
      const double reward = reader.number(i, reward_column, "reward");
      if (!std::isfinite(reward)) {
        reader.fail(i, "the reward must be finite", pair.where(reader.field(i, reward_column)));
      }
      if (rows.state.size() >= INT32_MAX - 1) reader.fail(i, "there are too many pairs");
      rows.add(pair.state(), pair.action(), reward);
      if (!variance_column) continue;
      const std::string_view cell = reader.field(i, *variance_column);
      if (cell.empty() && !default_variance) {
        reader.fail(i, "the variance is empty, and the model states no [observation] reward_variance",
                    pair.where());
      }
      const double variance =
          cell.empty() ? *default_variance : reader.number(i, *variance_column, "variance");
      if (!kVariance.good(variance)) reader.fail(i, kVariance.problem, pair.where(cell));
      rows.variance.push_back(variance);
    }
  }
  return rows;
}

// Transitions as they come: entries, and the runs of adjacent entries of the same pair.
class TransitionRuns {
 public:
  TransitionRuns(MdpArrays& arrays, std::size_t lines) : arrays_(arrays) {
    arrays_.next_state.reserve(lines);
    arrays_.probability.reserve(lines);
    prefer_large_pages(arrays_.next_state);
    prefer_large_pages(arrays_.probability);
    run_pair_.reserve(arrays.pair_action.size());
    run_begin_.reserve(arrays.pair_action.size() + 1);
  }

  void begin_run(std::int32_t pair) {
    sort_last_run();
    ordered_ = ordered_ && static_cast<std::size_t>(pair) == run_pair_.size();
    run_pair_.push_back(pair);
    run_begin_.push_back(static_cast<std::int64_t>(arrays_.next_state.size()));
    last_next_ = -1;
    run_sorted_ = true;
  }

  void add(std::int32_t next, double probability) {
    run_sorted_ = run_sorted_ && next > last_next_;
    last_next_ = next;
    arrays_.next_state.push_back(next);
    arrays_.probability.push_back(probability);
  }

  /// Fills row_begin, and moves the runs into the order of pairs unless they are in it.
  void finish() {
    sort_last_run();
    run_begin_.push_back(static_cast<std::int64_t>(arrays_.next_state.size()));
    if (ordered_ && run_pair_.size() == arrays_.pair_action.size()) {
      arrays_.row_begin = std::move(run_begin_);
    } else {
      gather();
    }
  }

 private:
  // Stable, so that equal next states are added in the order of the file. Long rows are left to Mdp.
  void sort_last_run() {
    constexpr std::size_t kInsertionMax = 64;
    if (run_sorted_) return;
    const auto begin = static_cast<std::size_t>(run_begin_.back());
    const std::size_t end = arrays_.next_state.size();
    if (end - begin > kInsertionMax) return;
    std::int32_t* const next = arrays_.next_state.data();
    double* const probability = arrays_.probability.data();
    for (std::size_t i = begin + 1; i < end; ++i) {
      const std::int32_t n = next[i];
      const double p = probability[i];
      std::size_t j = i;
      for (; j > begin && next[j - 1] > n; --j) {
        next[j] = next[j - 1];
        probability[j] = probability[j - 1];
      }
      next[j] = n;
      probability[j] = p;
    }
  }

  void gather() {
    const std::size_t pairs = arrays_.pair_action.size();
    std::vector<std::int64_t>& row_begin = arrays_.row_begin;
    row_begin.assign(pairs + 1, 0);
    for (std::size_t r = 0; r < run_pair_.size(); ++r) {
      row_begin[run_pair_[r] + 1] += run_begin_[r + 1] - run_begin_[r];
    }
    std::partial_sum(row_begin.begin(), row_begin.end(), row_begin.begin());
    gather(arrays_.next_state);
    gather(arrays_.probability);
  }

  template <typename T>
  void gather(std::vector<T>& values) const {
    std::vector<T> result(values.size());
    std::vector<std::int64_t> at(arrays_.row_begin.begin(), arrays_.row_begin.end() - 1);
    for (std::size_t r = 0; r < run_pair_.size(); ++r) {
      std::int64_t& to = at[run_pair_[r]];
      std::copy(values.begin() + run_begin_[r], values.begin() + run_begin_[r + 1], result.begin() + to);
      to += run_begin_[r + 1] - run_begin_[r];
    }
    values = std::move(result);
  }

  MdpArrays& arrays_;
  std::vector<std::int32_t> run_pair_;
  std::vector<std::int64_t> run_begin_;
  bool ordered_ = true;
  bool run_sorted_ = true;
  std::int32_t last_next_ = -1;
};

// Reads the whole table into `runs`. The next states of a batch are looked up together.
void read_transition_rows(CsvReader& reader, const MdpArrays& arrays, const std::string& rewards_name,
                          TransitionRuns& runs) {
  const NameTable& states = arrays.labels.states;
  PairColumns pair(reader, states, arrays.labels.actions);
  const std::size_t next_column = reader.column("next_state");
  const std::size_t probability_column = reader.column("probability");
  std::vector<std::string_view> names(CsvReader::kBatch);
  std::vector<std::int32_t> numbers(CsvReader::kBatch);
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) names[i] = reader.field(i, next_column);
    states.find(std::span(names).first(count), numbers);
    for (std::size_t i = 0; i < count; ++i) {
      if (pair.move_to(i)) {
        const std::int32_t number =
            mdp::find_pair(arrays.pair_begin, arrays.pair_action, pair.state(), pair.action());
        if (number < 0) {
          reader.fail(i, fmt::format("the pair has transitions, but no reward in {}", rewards_name),
                      pair.where());
        }
        runs.begin_run(number);
      }
      if (numbers[i] < 0) reader.fail(i, "the next state is unknown", pair.where(names[i]));
      const double p = reader.number(i, probability_column, "probability");
      if (!(p >= 0 && p <= 1 + kSumTolerance)) {
        reader.fail(i, "the probability must be from 0 to 1",
                    pair.where(reader.field(i, probability_column)));
      }
      runs.add(numbers[i], p);
    }
  }
}

}  // namespace

PairColumns::PairColumns(const CsvReader& reader, const NameTable& states, const NameTable& actions)
    : reader_(reader),
      states_(states),
      actions_(actions),
      state_column_(reader.column("state")),
      action_column_(reader.column("action")) {}

bool PairColumns::move_to(std::size_t record) {
  const bool same_state = state_ >= 0 && same_text(reader_.field(record, state_column_), state_name_);
  const bool same_action = action_ >= 0 && same_text(reader_.field(record, action_column_), action_name_);
  if (same_state && same_action) return false;
  if (!same_state) find_state(record);
  if (!same_action) find_action(record);
  return true;
}

// Files mostly are in order, so the name after the last one is tried before the table is searched.
void PairColumns::find_state(std::size_t record) {
  const std::string_view name = reader_.field(record, state_column_);
  const bool next = state_ + 1 < states_.size() && name == states_[state_ + 1];
  const std::int32_t found = next ? state_ + 1 : states_.find(name);
  if (found < 0) {
    if (name.empty()) reader_.fail(record, "the state is empty, expected a name");
    reader_.fail(record, "the state is unknown", {.value = excerpt(name)});
  }
  state_ = found;
  state_name_ = states_[found];
}

void PairColumns::find_action(std::size_t record) {
  const std::string_view name = reader_.field(record, action_column_);
  const bool next = action_ + 1 < actions_.size() && name == actions_[action_ + 1];
  const std::int32_t found = next ? action_ + 1 : actions_.find(name);
  if (found < 0) {
    if (name.empty()) reader_.fail(record, "the action is empty, expected a name");
    reader_.fail(record, "the action is unknown", {.state = excerpt(state_name_), .value = excerpt(name)});
  }
  action_ = found;
  action_name_ = actions_[found];
}

std::int32_t PairColumns::pair(const Mdp& mdp, std::size_t record) const {
  const std::int32_t pair = mdp.find_pair(state_, action_);
  if (pair < 0) reader_.fail(record, "the action is not available in the state", where());
  return pair;
}

ModelLocation PairColumns::where(std::string_view value) const {
  return {.state = excerpt(state_name_), .action = excerpt(action_name_), .value = excerpt(value)};
}

void read_states(const TextFile& file, MdpArrays& arrays) {
  CsvReader reader = states_reader(file);
  StateColumns columns(reader, arrays);
  const std::size_t name_column = reader.column("name");
  NameTable& names = arrays.labels.states;
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view name = reader.field(i, name_column);
      if (name.empty()) reader.fail(i, "the state name is empty");
      if (!is_clean_utf8(name)) {
        reader.fail(i, "the state name must be valid UTF-8 without NUL bytes", {.value = excerpt(name)});
      }
      if (names.size() == INT32_MAX - 1) reader.fail(i, "there are too many states");
      if (names.add(name) < 0) reader.fail(i, "the state name occurs twice", {.value = excerpt(name)});
      columns.take(i, name);
    }
  }
  if (names.empty()) throw InvalidModel("the model has no states", {.file = file.name});
  columns.finish();
}

void read_rewards(const TextFile& file, const TextFile& states_file, std::optional<double> default_variance,
                  MdpArrays& arrays, std::vector<double>& variance) {
  const Labels& labels = arrays.labels;
  RewardRows rows = read_reward_rows(file, default_variance, labels);
  rows.sort();
  arrays.pair_begin.assign(static_cast<std::size_t>(labels.states.size()) + 1, 0);
  for (std::size_t k = 0; k < rows.state.size(); ++k) {
    if (k > 0 && rows.state[k] == rows.state[k - 1] && rows.action[k] == rows.action[k - 1]) {
      const std::string_view state = labels.states[rows.state[k]], action = labels.actions[rows.action[k]];
      throw InvalidModel("the pair has a second reward", {.file = file.name,
                                                          .line = find_pair_line(file, state, action, 2),
                                                          .state = excerpt(state),
                                                          .action = excerpt(action)});
    }
    ++arrays.pair_begin[rows.state[k] + 1];
  }
  for (std::int32_t s = 0; s < labels.states.size(); ++s) {
    if (arrays.pair_begin[s + 1] == 0) {
      throw InvalidModel(fmt::format("the state has no available action in {}", file.name),
                         {.file = states_file.name,
                          .line = find_state_line(states_file, labels.states[s]),
                          .state = excerpt(labels.states[s])});
    }
    arrays.pair_begin[s + 1] += arrays.pair_begin[s];
  }
  arrays.pair_action = std::move(rows.action);
  arrays.reward = std::move(rows.reward);
  variance = std::move(rows.variance);
}

void read_transitions(const TextFile& file, const TextFile& rewards_file, MdpArrays& arrays) {
  CsvReader reader(file.text, file.name, {"state", "action", "next_state", "probability"});
  TransitionRuns runs(arrays, estimate_lines(file.text));
  read_transition_rows(reader, arrays, rewards_file.name, runs);
  runs.finish();
  for (std::int32_t s = 0; s < arrays.labels.states.size(); ++s) {
    for (const std::int32_t k : mdp::pairs_of(arrays.pair_begin, s)) {
      if (arrays.row_begin[k] < arrays.row_begin[k + 1]) continue;
      const std::string_view state = arrays.labels.states[s];
      const std::string_view action = arrays.labels.actions[arrays.pair_action[k]];
      throw InvalidModel(fmt::format("the pair has a reward, but no transitions in {}", file.name),
                         {.file = rewards_file.name,
                          .line = find_pair_line(rewards_file, state, action),
                          .state = excerpt(state),
                          .action = excerpt(action)});
    }
  }
}

std::int64_t find_pair_line(const TextFile& file, std::string_view state, std::string_view action,
                            int occurrence) {
  CsvReader reader(file.text, file.name, {"state", "action"},
                   {"reward", "variance", "next_state", "probability", "reward_sd", "transition_strength"});
  const std::size_t state_column = reader.column("state"), action_column = reader.column("action");
  return find_line(reader, occurrence, [&](std::size_t i) {
    return reader.field(i, state_column) == state &&
           (action.empty() || reader.field(i, action_column) == action);
  });
}

}  // namespace mindgap::files
