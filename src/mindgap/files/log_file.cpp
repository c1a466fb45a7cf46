#include "mindgap/files/log_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/files/csv.h"
#include "mindgap/files/folder_tables.h"
#include "mindgap/files/output.h"
#include "mindgap/files/unknown_states.h"
#include "mindgap/mdp/model_values.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

CsvReader log_reader(const TextFile& file) {
  return {file.text,
          file.name,
          {"unit", "step", "state", "action", "reward", "next_state"},
          {"probability", "censored", "instrument"}};
}

constexpr const char* kUnknownState = "the state is unknown";  // as PairColumns says it
constexpr const char* kUnknownNextState = "the next state is unknown";
constexpr const char* kNothingSeen =
    "neither the reward nor the next state is there: one of them may be missing, not both";
constexpr double kLargestStep = 0x1p53;
constexpr double kLargestReward = 1e100;  // squares of rewards are added up

class LogRows {
 public:
  LogRows(const TextFile& file, const Mdp& mdp)
      : mdp_(mdp),
        states_(names_or_numbers(mdp.labels().states, mdp.states())),
        actions_(names_or_numbers(mdp.labels().actions, mdp.actions())),
        reader_(log_reader(file)),
        columns_(reader_, states_, actions_),
        unit_column_(reader_.column("unit")),
        step_column_(reader_.column("step")),
        reward_column_(reader_.column("reward")),
        next_column_(reader_.column("next_state")),
        probability_column_(reader_.find_column("probability")),
        censored_column_(reader_.find_column("censored")),
        instrument_column_(reader_.find_column("instrument")) {
    log_.file = file.name;
  }

  ObservationLog read() {
    while (const std::size_t count = reader_.next()) {
      for (std::size_t i = 0; i < count; ++i) {
        columns_.move_to(i);
        log_.unit.push_back(unit(i));
        log_.step.push_back(step(i));
        log_.pair.push_back(columns_.pair(mdp_, i));
        log_.reward.push_back(reward(i));
        log_.next_state.push_back(next_state(i));
        if (is_empty(i, reward_column_) && is_empty(i, next_column_))
          reader_.fail(i, kNothingSeen, columns_.where());
        if (probability_column_) log_.probability.push_back(probability(i));
        if (censored_column_) log_.censored.push_back(censored(i));
        if (instrument_column_) log_.instrument.push_back(instrument(i));
      }
    }
    return std::move(log_);
  }

 private:
  std::int32_t unit(std::size_t i) {
    const std::string_view name = reader_.field(i, unit_column_);
    if (!log_.unit.empty() && log_.units[log_.unit.back()] == name) return log_.unit.back();
    if (name.empty() || !is_clean_utf8(name)) {
      reader_.fail(i, "the unit must have a name in UTF-8", {.value = excerpt(name)});
    }
    const std::int32_t known = log_.units.find(name);
    return known >= 0 ? known : log_.units.add(name);
  }

  std::int64_t step(std::size_t i) const {
    const double value = reader_.number(i, step_column_, "step");
    if (!(value >= 0 && value <= kLargestStep && value == std::floor(value))) {
      reader_.fail(i, "the step must be a whole number from 0",
                   columns_.where(reader_.field(i, step_column_)));
    }
    return static_cast<std::int64_t>(value);
  }

  bool is_empty(std::size_t i, std::size_t column) const { return reader_.field(i, column).empty(); }

  double reward(std::size_t i) const {
    if (is_empty(i, reward_column_)) return ObservationLog::kNoReward;
    const double value = reader_.number(i, reward_column_, "reward");
    if (!(std::abs(value) <= kLargestReward)) {
      reader_.fail(i, std::isfinite(value) ? "the reward is beyond 1e100" : "the reward must be finite",
                   columns_.where(reader_.field(i, reward_column_)));
    }
    return value;
  }

  std::int32_t next_state(std::size_t i) const {
    if (is_empty(i, next_column_)) return ObservationLog::kNoState;
    const std::string_view name = reader_.field(i, next_column_);
    const std::int32_t found = states_.find(name);
    if (found < 0) reader_.fail(i, kUnknownNextState, columns_.where(excerpt(name)));
    return found;
  }

  double probability(std::size_t i) const {
    const double value = reader_.number(i, *probability_column_, "probability");
    if (!(value > 0 && value <= 1)) {
      reader_.fail(i, "the probability of an action that was taken must be above 0 and at most 1",
                   columns_.where(reader_.field(i, *probability_column_)));
    }
    return value;
  }

  Censoring censored(std::size_t i) const {
    const std::string_view text = reader_.field(i, *censored_column_);
    const std::optional<Censoring> found = censoring_from(text);
    if (!found || text.empty()) reader_.fail(i, kCensoringWanted, columns_.where(excerpt(text)));
    if (*found != Censoring::none && is_empty(i, reward_column_)) {
      reader_.fail(i, "a reward that is missing cannot be censored: give its bound, or censored = 0",
                   columns_.where());
    }
    return *found;
  }

  std::int32_t instrument(std::size_t i) {
    const std::string_view name = reader_.field(i, *instrument_column_);
    if (name.empty()) return ObservationLog::kNoInstrument;
    if (!is_clean_utf8(name))
      reader_.fail(i, "the value of the instrument must be in UTF-8", {.value = excerpt(name)});
    const std::int32_t known = log_.instruments.find(name);
    return known >= 0 ? known : log_.instruments.add(name);
  }

  const Mdp& mdp_;
  const NameTable states_, actions_;
  CsvReader reader_;
  PairColumns columns_;
  std::size_t unit_column_, step_column_, reward_column_, next_column_;
  std::optional<std::size_t> probability_column_, censored_column_, instrument_column_;
  ObservationLog log_;
};

// A state that the simulator has never seen is refused with what to do about it.
template <typename Read>
auto with_remedy(Read read) {
  try {
    return read();
  } catch (const InvalidModel& error) {
    if (error.problem() != kUnknownState && error.problem() != kUnknownNextState) throw;
    throw InvalidModel(fmt::format("{}: {}", error.problem(), new_states_remedy()), error.where());
  }
}

// Whether the header of a table has the column; what else is wrong with it is for its reader to say.
bool has_column(const TextFile& file, std::string_view name) {
  std::string_view header = file.text.substr(0, file.text.find_first_of("\r\n"));
  if (header.starts_with(kByteOrderMark)) header.remove_prefix(kByteOrderMark.size());
  for (std::size_t at = 0; at <= header.size();) {
    const std::size_t end = std::min(header.find(',', at), header.size());
    std::string_view field = header.substr(at, end - at);
    if (field.size() >= 2 && field.front() == '"') field = field.substr(1, field.size() - 2);
    if (field == name) return true;
    at = end + 1;
  }
  return false;
}

// A table `state,action,count`.
std::vector<double> read_counts(const TextFile& file, const Mdp& mdp) {
  const NameTable states = names_or_numbers(mdp.labels().states, mdp.states());
  const NameTable actions = names_or_numbers(mdp.labels().actions, mdp.actions());
  CsvReader reader(file.text, file.name, {"state", "action", "count"});
  PairColumns columns(reader, states, actions);
  const std::size_t count_column = reader.column("count");
  std::vector<double> count(static_cast<std::size_t>(mdp.pairs()));
  std::vector<bool> seen(count.size());
  while (const std::size_t records = reader.next()) {
    for (std::size_t i = 0; i < records; ++i) {
      columns.move_to(i);
      const std::int32_t pair = columns.pair(mdp, i);
      if (seen[pair]) reader.fail(i, "the pair has a second line", columns.where());
      seen[pair] = true;
      count[pair] = reader.number(i, count_column, "count");
      if (!kCoverage.good(count[pair])) {
        reader.fail(i, kCoverage.problem, columns.where(reader.field(i, count_column)));
      }
    }
  }
  return count;
}

}  // namespace

ObservationLog read_log(const std::filesystem::path& path, const Mdp& mdp) {
  return parse_log(open_text_file(path), mdp);
}

ObservationLog parse_log(const TextFile& file, const Mdp& mdp) {
  return with_remedy([&] { return LogRows(file, mdp).read(); });
}

void write_log(const std::filesystem::path& path, const Mdp& mdp, const ObservationLog& log) {
  StagedFile staged(path);
  TextWriter out(staged.temporary(), path.string());
  out.text("unit,step,state,action,reward,next_state");
  if (!log.probability.empty()) out.text(",probability");
  if (!log.censored.empty()) out.text(",censored");
  if (!log.instrument.empty()) out.text(",instrument");
  out.text("\n");
  for (std::size_t i = 0; i < log.size(); ++i) {
    const std::int32_t pair = log.pair[i];
    out.field(log.units[log.unit[i]]).text(",").number(log.step[i]).text(",");
    out.field(mdp.state_name(mdp.state_of_pair(pair))).text(",");
    out.field(mdp.action_name(mdp.pair_action()[pair])).text(",");
    const Observation seen = log.row(i);
    if (seen.reward) out.number(*seen.reward);
    out.text(",");
    if (seen.next_state) out.field(mdp.state_name(*seen.next_state));
    if (!log.probability.empty()) out.text(",").number(log.probability[i]);
    if (!log.censored.empty()) out.text(",").text(to_string(log.censored[i]));
    if (!log.instrument.empty()) {
      out.text(",");
      if (log.instrument[i] >= 0) out.field(log.instruments[log.instrument[i]]);
    }
    out.text("\n");
  }
  out.close();
  staged.commit();
}

std::vector<std::int64_t> lines_of_rows(const TextFile& file, std::span<const std::size_t> rows) {
  std::vector<std::int64_t> lines;
  CsvReader reader = log_reader(file);
  std::size_t before = 0;
  while (const std::size_t count = reader.next()) {
    while (lines.size() < rows.size() && rows[lines.size()] < before + count) {
      lines.push_back(reader.line(rows[lines.size()] - before));
    }
    if (lines.size() == rows.size()) break;
    before += count;
  }
  return lines;
}

std::vector<double> read_coverage(const std::filesystem::path& path, const Mdp& mdp) {
  return parse_coverage(open_text_file(path), mdp);
}

std::vector<double> parse_coverage(const TextFile& file, const Mdp& mdp) {
  if (!has_column(file, "count") && has_column(file, "next_state")) {
    if (has_column(file, "probability")) {
      throw InvalidModel(
          "a log that states probabilities of actions is a pilot's, whose actions were assigned; as coverage "
          "its rewards and moves would be ignored. Give it as log, or, where it is history all the same, "
          "leave "
          "out the column 'probability'",
          {.file = file.name, .line = 1});
    }
    return count_pairs(mdp, parse_log(file, mdp));
  }
  return with_remedy([&] { return read_counts(file, mdp); });
}

}  // namespace mindgap::files
