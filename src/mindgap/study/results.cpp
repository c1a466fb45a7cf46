#include "mindgap/study/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mindgap/base/number.h"
#include "mindgap/base/option_name.h"
#include "mindgap/base/remedy.h"
#include "mindgap/files/csv.h"
#include "mindgap/files/folder_tables.h"
#include "mindgap/mdp/observation_log.h"

namespace mindgap::study {
namespace {

using files::CsvReader;
using mdp::NameTable;

constexpr const char* kNothingSaid = "neither the reward nor the next state is there: is it void?";

class ResultRows {
 public:
  ResultRows(const State& state, const files::TextFile& file, const ResultOptions& options)
      : state_(state),
        options_(options),
        text_(file.text),
        counted_(file.text.data()),
        states_(names_or_numbers(state.mdp().labels().states, state.mdp().states())),
        actions_(names_or_numbers(state.mdp().labels().actions, state.mdp().actions())),
        reader_(file.text, file.name, {"unit", "step", "state", "action", "reward", "next_state"},
                {"censored", "status"}),
        columns_(reader_, states_, actions_),
        unit_(reader_.column("unit")),
        step_(reader_.column("step")),
        reward_(reader_.column("reward")),
        next_(reader_.column("next_state")),
        censored_(reader_.find_column("censored")),
        status_(reader_.find_column("status")) {}

  Results read() {
    while (const std::size_t count = reader_.next()) {
      for (std::size_t i = 0; i < count; ++i) take(i);
    }
    if (found_.rows.empty()) return std::move(found_);
    const belief::Knowledge knowledge = knowledge_before(state_);
    for (std::size_t i = 0; i < found_.rows.size(); ++i) {
      if (!is_possible(state_.mdp(), found_.rows[i])) found_.impossible.push_back(i);
      if (is_far(knowledge.before, found_.rows[i])) found_.far.push_back(i);
    }
    return std::move(found_);
  }

 private:
  [[noreturn]] void refuse(std::size_t i, const std::string& problem) const { reader_.fail(i, problem); }

  void take(std::size_t i) {
    ObservationRow row;
    row.unit = unit(i);
    row.step = step(i);
    const std::int32_t assignment = state_.find_assignment(row.unit, row.step);
    if (assignment < 0) {
      const std::int32_t next = state_.places[row.unit].next_step;
      refuse(i, fmt::format("step {} of unit '{}' was never assigned ({})", row.step, name(row.unit),
                            next == 0 ? "it has no assignment yet"
                                      : fmt::format("its last one so far is step {}", next - 1)));
    }
    read_values(i, row);
    const AssignmentRow& assigned = state_.assignments[assignment];
    if (row.state != assigned.state) {
      refuse(i, fmt::format(
                    "unit '{}' was in state '{}' at step {}, not in '{}': correct the next_state of the step "
                    "before, or this line",
                    name(row.unit), state_name(assigned.state), row.step, state_name(row.state)));
    }
    row.deviation = row.action != assigned.action;
    place(i, row, assignment);
  }

  // The row that holds so far, in the log or in this file.
  void place(std::size_t i, ObservationRow row, std::int32_t assignment) {
    const auto in_file = pending_.find(assignment);
    const std::int32_t in_log = state_.result[assignment];
    if (in_file == pending_.end() && in_log < 0) {
      if (!row.is_void && !row.has_reward && row.next_state < 0) refuse(i, kNothingSaid);
      return add(i, row, assignment);
    }
    const ObservationRow& old =
        in_file != pending_.end() ? found_.rows[in_file->second] : state_.observations[in_log];
    const Relation how = relation(old, row);
    if (how == Relation::same) {
      ++found_.already;
      return;
    }
    if (how == Relation::contradicts && (in_file != pending_.end() || !options_.correct)) {
      refuse(i, fmt::format(
                    "step {} of unit '{}' has another result {}: {}, and here {}{}", row.step, name(row.unit),
                    in_file != pending_.end() ? fmt::format("in line {}", found_.lines[in_file->second])
                                              : "in the log",
                    words(old), words(row),
                    in_file != pending_.end() ? ""
                                              : fmt::format("; to replace it, record it as a correction ({})",
                                                            base::option_flag("correct"))));
    }
    row = completed(old, row);
    if (!row.is_void && !row.has_reward && row.next_state < 0) refuse(i, kNothingSaid);
    check_move(i, old, row);
    if (in_file != pending_.end()) {  // two halves of one result in one file
      row.replaces = old.replaces;
      found_.rows[in_file->second] = row;
      return;
    }
    row.replaces = in_log;
    ++(how == Relation::completes ? found_.completed : found_.corrected);
    add(i, row, assignment);
  }

  // What the next step was assigned from cannot be taken back.
  void check_move(std::size_t i, const ObservationRow& old, const ObservationRow& row) const {
    if (row.next_state == old.next_state || row.step + 1 == state_.places[row.unit].next_step) return;
    refuse(i,
           fmt::format(
               "the next state of step {} of unit '{}' cannot change any more: step {} was assigned from it",
               row.step, name(row.unit), row.step + 1));
  }

  void add(std::size_t i, const ObservationRow& row, std::int32_t assignment) {
    pending_[assignment] = found_.rows.size();
    found_.rows.push_back(row);
    found_.lines.push_back(line(i));
  }

  // reader_.line() counts from the top of the file each time; this goes on from the record before.
  std::int64_t line(std::size_t i) {
    const char* begin = reader_.field(i, 0).data();
    if (begin < counted_ || begin > text_.data() + text_.size())
      return reader_.line(i);  // unescaped elsewhere
    lines_ += std::count(counted_, begin, '\n');
    counted_ = begin;
    return lines_;
  }

  std::string name(std::int32_t unit) const { return base::printable(state_.units[unit].name); }
  std::string state_name(std::int32_t s) const {
    const std::int32_t states = state_.mdp().states();
    return base::printable(s < states ? state_.mdp().state_name(s)
                                      : found_.new_states[static_cast<std::size_t>(s - states)]);
  }

  std::string words(const ObservationRow& row) const {
    if (row.is_void) return "void";
    const std::string reward = row.has_reward ? base::shortest(row.reward) : "not known";
    return fmt::format("action '{}', reward {}{}, next state {}",
                       base::printable(state_.mdp().action_name(row.action)),
                       row.censored ? (row.at_most ? "at most " : "at least ") : "", reward,
                       row.next_state < 0 ? "not known" : "'" + state_name(row.next_state) + "'");
  }

  std::int32_t unit(std::size_t i) const {
    const std::string_view text = reader_.field(i, unit_);
    const std::int32_t found = state_.names.find(text);
    if (found < 0) reader_.fail(i, "the unit is not in the study", {.value = files::excerpt(text)});
    return found;
  }

  std::int32_t step(std::size_t i) const {
    const double value = reader_.number(i, step_, "step");
    if (!(value >= 0 && value <= 1e6 && value == std::floor(value)))
      reader_.fail(i, "the step must be a whole number from 0",
                   {.value = files::excerpt(reader_.field(i, step_))});
    return static_cast<std::int32_t>(value);
  }

  void read_values(std::size_t i, ObservationRow& row) {
    columns_.move_to(i);
    row.state = columns_.state();
    row.action = columns_.action();
    columns_.pair(state_.mdp(), i);
    row.is_void = is_void(i);
    const mdp::Censoring bound = censoring(i);
    row.censored = bound != mdp::Censoring::none;
    row.at_most = bound == mdp::Censoring::at_most;
    row.next_state = next_state(i);
    if (!reader_.field(i, reward_).empty() && !row.is_void) {
      row.has_reward = true;
      row.reward = reader_.number(i, reward_, "reward") + 0.0;  // no negative zero
      if (!(std::abs(row.reward) <= kLargestReward))
        reader_.fail(i, "the reward must be finite, at most 1e100",
                     columns_.where(reader_.field(i, reward_)));
    }
    if (row.is_void || !row.has_reward) row.censored = row.at_most = false;
  }

  std::int32_t next_state(std::size_t i) {
    const std::string_view text = reader_.field(i, next_);
    if (text.empty()) return -1;
    const std::int32_t found = states_.find(text);
    return found >= 0 ? found : new_state(i, text);
  }

  std::int32_t new_state(std::size_t i, std::string_view text) {
    if (!state_.options.allow_new_states) {
      reader_.fail(
          i,
          fmt::format("the next state is unknown: the simulator has never seen it: check the spelling; a "
                      "study takes new states in where it was begun with {}",
                      base::how_to(base::Remedy::allow_new_states_of_study)),
          columns_.where(files::excerpt(text)));
    }
    if (!mdp::is_clean_utf8(text))
      reader_.fail(i, "the next state must have a name in UTF-8", columns_.where(files::excerpt(text)));
    auto& names = found_.new_states;
    const auto at = std::find(names.begin(), names.end(), text) - names.begin();
    if (at == static_cast<std::ptrdiff_t>(names.size())) names.emplace_back(text);
    return state_.mdp().states() + static_cast<std::int32_t>(at);
  }

  bool is_void(std::size_t i) const {
    const std::string_view text = status_ ? reader_.field(i, *status_) : "ok";
    if (text != "ok" && text != "void" && !text.empty())
      reader_.fail(i, "the status must be ok or void", columns_.where(files::excerpt(text)));
    return text == "void";
  }

  mdp::Censoring censoring(std::size_t i) const {
    const std::string_view text = censored_ ? reader_.field(i, *censored_) : "0";
    const std::optional<mdp::Censoring> found = mdp::censoring_from(text);
    if (!found) reader_.fail(i, mdp::kCensoringWanted, columns_.where(files::excerpt(text)));
    return *found;
  }

  const State& state_;
  const ResultOptions options_;
  const std::string_view text_;
  const char* counted_;
  std::int64_t lines_ = 1;
  const NameTable states_, actions_;
  CsvReader reader_;
  files::PairColumns columns_;
  std::size_t unit_, step_, reward_, next_;
  std::optional<std::size_t> censored_, status_;
  std::unordered_map<std::int32_t, std::size_t> pending_;  // assignment -> row of this file
  Results found_;
};

}  // namespace

Relation relation(const ObservationRow& old, const ObservationRow& now) {
  if (old.action != now.action || old.is_void != now.is_void) return Relation::contradicts;
  const bool reward_known = old.has_reward, next_known = old.next_state >= 0;
  if (reward_known && now.has_reward &&
      (old.reward != now.reward || old.censored != now.censored || old.at_most != now.at_most))
    return Relation::contradicts;
  if (next_known && now.next_state >= 0 && old.next_state != now.next_state) return Relation::contradicts;
  const bool adds = (!reward_known && now.has_reward) || (!next_known && now.next_state >= 0);
  return adds ? Relation::completes : Relation::same;  // what says less than the log says nothing new
}

ObservationRow completed(const ObservationRow& old, ObservationRow now) {
  if (!now.is_void && !now.has_reward && old.has_reward) {
    now.has_reward = true;
    now.reward = old.reward;
    now.censored = old.censored;
    now.at_most = old.at_most;
  }
  if (now.next_state < 0) now.next_state = old.next_state;
  return now;
}

bool is_far(const belief::Belief& before, const ObservationRow& row) {
  if (!row.has_reward) return false;
  const std::int32_t pair = pair_of(before.simulator(), row);
  const double sd = before.prior_reward_sd(pair);
  double unit = std::sqrt(sd * sd + before.observation_variance()[pair]);
  if (unit == 0) unit = std::max(1e-9, before.simulator().reward_magnitude());
  return std::abs(row.reward - before.simulator().reward()[pair]) > kFar * unit;
}

bool is_possible(const mdp::Mdp& mdp, const ObservationRow& row) {
  if (row.next_state < 0) return true;
  const std::int32_t pair = pair_of(mdp, row);
  const auto next = mdp.row(pair).next_state;
  return std::binary_search(next.begin(), next.end(), row.next_state);
}

Results check_results(const State& state, const files::TextFile& file, const ResultOptions& options) {
  return ResultRows(state, file, options).read();
}

}  // namespace mindgap::study
