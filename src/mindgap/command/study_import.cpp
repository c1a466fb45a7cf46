#include "mindgap/command/study_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "mindgap/base/error.h"
#include "mindgap/files/field_export.h"
#include "mindgap/mdp/extend_states.h"
#include "mindgap/view/study.h"
#include "mindgap/view/study_import.h"

namespace mindgap::command {
namespace {

using files::ExportedResult;
using files::ResultField;

// The columns of a file of results, in the order in which its reader looks at them.
constexpr std::array kColumns = {ResultField::unit,       ResultField::step,   ResultField::state,
                                 ResultField::action,     ResultField::status, ResultField::censored,
                                 ResultField::next_state, ResultField::reward};

class Import {
 public:
  Import(const StudyImportRequest& request, const study::State& state)
      : request_(request), state_(state), columns_(files::parse_export_columns(request.columns.file)) {
    std::optional<files::TextFile> parent;
    if (request.parent) parent = request.parent->file;
    found_ = files::parse_export(request.results.file, columns_, parent);
    for (ExportedResult& row : found_.rows) fill_in(row);
    refuse_contradictions();
  }

  std::int64_t left_out() const { return found_.left_out; }
  /// The line of the export behind a line of as_results().
  std::int64_t line(std::int64_t of_results) const {
    return found_.rows[static_cast<std::size_t>(of_results - 2)].line;
  }

  /// The same as `study record` takes them: one line a row.
  files::TextFile as_results() const {
    auto text = std::make_shared<std::string>();
    for (const ResultField field : kColumns)
      *text += fmt::format("{}{}", text->empty() ? "" : ",", to_string(field));
    *text += "\n";
    for (const ExportedResult& row : found_.rows) {
      std::string line;
      for (const ResultField field : kColumns) {
        line += line.empty() ? "\"" : ",\"";
        for (const char c : row[field]) line += c == '"' ? "\"\"" : std::string(1, c);
        line += '"';
      }
      *text += line + "\n";
    }
    return {request_.results.file.name, *text, text};
  }

  /// An error of the results' reader in terms of the export: its line, and the column that has the value.
  [[noreturn]] void translate(const InvalidModel& error) const {
    ModelLocation where = error.where();
    std::string problem = error.problem();
    const std::int64_t row = where.line - 2;
    if (where.line == 0 || row < 0 || row >= static_cast<std::int64_t>(found_.rows.size())) throw error;
    where.line = line(where.line);
    for (const ResultField field : kColumns) {
      const auto& rule = columns_.rule(field);
      const std::string& text = found_.rows[static_cast<std::size_t>(row)][field];
      if (!rule || rule->always || where.value.empty() || files::excerpt(text) != where.value) continue;
      problem = fmt::format("column '{}': {}", rule->column, problem);
      break;
    }
    throw InvalidModel(problem, std::move(where));
  }

 private:
  [[noreturn]] void refuse(const ExportedResult& row, const std::string& problem, ResultField field,
                           std::string value) const {
    const auto& rule = columns_.rule(field);
    throw InvalidModel(
        rule && !rule->always ? fmt::format("column '{}': {}", rule->column, problem) : problem,
        {.file = request_.results.file.name, .line = row.line, .value = std::move(value)});
  }

  // Forms need not ask what the assignment says.
  void fill_in(ExportedResult& row) const {
    if (!row[ResultField::state].empty() && !row[ResultField::action].empty()) return;
    const std::int32_t unit = state_.names.find(row[ResultField::unit]);
    if (unit < 0)
      refuse(row, "the unit is not in the study", ResultField::unit, files::excerpt(row[ResultField::unit]));
    const std::int32_t found = state_.find_assignment(unit, std::stoll(row[ResultField::step]));
    if (found < 0) {
      const std::int32_t next = state_.places[unit].next_step;
      refuse(row,
             fmt::format("step {} of unit '{}' was never assigned ({})", row[ResultField::step],
                         base::printable(row[ResultField::unit]),
                         next == 0 ? "it has no assignment yet"
                                   : fmt::format("its last one so far is step {}", next - 1)),
             ResultField::step, "");
    }
    const study::AssignmentRow& assigned = state_.assignments[found];
    if (row[ResultField::state].empty()) row[ResultField::state] = state_.mdp().state_name(assigned.state);
    if (row[ResultField::action].empty())
      row[ResultField::action] = state_.mdp().action_name(assigned.action);
  }

  // The same step twice in one export: its lines are named here, as the reader of results would name its own.
  void refuse_contradictions() const {
    std::map<std::pair<std::string, std::string>, const ExportedResult*> first;
    for (const ExportedResult& row : found_.rows) {
      const auto [at, added] = first.emplace(std::pair(row[ResultField::unit], row[ResultField::step]), &row);
      if (added) continue;
      for (const ResultField field : kColumns) {
        const std::string &old = (*at->second)[field], &now = row[field];
        if (old.empty() || now.empty() || old == now) continue;
        refuse(row,
               fmt::format("step {} of unit '{}' has another {} in line {}: {}", row[ResultField::step],
                           base::printable(row[ResultField::unit]), to_string(field), at->second->line,
                           files::excerpt(old)),
               field, files::excerpt(now));
      }
    }
  }

  const StudyImportRequest& request_;
  const study::State& state_;
  const files::ExportColumns columns_;
  files::ExportedResults found_;
};

// What the log says, with the states that the results bring along, as it would be.
study::Recorded would_record(const study::Storage& storage, study::State state, const files::TextFile& file,
                             bool correct) {
  study::Results results = study::check_results(state, file, {.correct = correct});
  if (!results.new_states.empty()) state.model = mdp::extend_states(state.model, results.new_states);
  return {std::move(state), std::move(results), study::study_anchor(storage, study::utc_now())};
}

}  // namespace

StudyImported study_import(const StudyImportRequest& request) {
  const std::unique_ptr<study::Storage> storage = study::storage_at(request.folder);
  const study::State state = study::read_study(*storage);
  const Import import(request, state);
  const files::TextFile file = import.as_results();
  std::vector<std::string> others;  // warnings that are not about rows
  const auto take = [&]() -> study::Recorded {
    try {
      if (request.dry_run) return would_record(*storage, state, file, request.correct);
      StudyRecorded done = study_record({.folder = request.folder,
                                         .results = {file, false},
                                         .correct = request.correct,
                                         .run = request.run,
                                         .key = request.key});
      const std::size_t of_rows = view::warnings_of(done.recorded, "line").size();
      others.assign(done.warnings.begin() + static_cast<std::ptrdiff_t>(of_rows), done.warnings.end());
      return std::move(done.recorded);
    } catch (const InvalidModel& error) {
      import.translate(error);
    }
  };
  StudyImported answer{take(), import.left_out(), request.dry_run};
  for (std::int64_t& line : answer.recorded.results.lines)
    line = import.line(line) - (request.results.table ? 2 : 0);
  answer.warnings = view::warnings_of(answer.recorded, request.results.table ? "row" : "line");
  answer.warnings.insert(answer.warnings.end(), others.begin(), others.end());
  return answer;
}

std::string StudyImported::text() const {
  return view::text_of_import(recorded, left_out, dry_run);
}
std::string StudyImported::json() const {
  return view::dumped(view::json_of_import(recorded, left_out, dry_run));
}

}  // namespace mindgap::command
