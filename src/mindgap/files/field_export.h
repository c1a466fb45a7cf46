#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/files/text_file.h"

// Results as other programs export them (ODK Central, KoboToolbox, REDCap, spreadsheets), through a file
// that says which column is what (docs/howto/run-a-study-with-a-team.md). Everything wrong is InvalidModel
// with file, line, column and what was wanted.
namespace mindgap::files {

/// What a result consists of. `at_least` and `at_most` are rewards that are bounds.
enum class ResultField { unit, step, state, action, reward, at_least, at_most, censored, next_state, status };
inline constexpr std::size_t kResultFields = 10;
/// The word for it in columns.toml.
std::string_view to_string(ResultField field);

/// Where a field of a result is in an export.
struct ColumnRule {
  std::string column = {};                    // "": nowhere
  bool in_parent = false;                     // the column is one of the row's parent
  std::optional<std::string> always = {};     // instead of a column: the same in every row
  std::map<std::string, std::string> values;  // from the form's words to the study's; empty: as they are
  bool keep_others = false;                   // values that are not in that list stay as they are
  double minus = 0;                           // of steps: forms may count from 1
};

/// Rows are taken where `column` holds one of `values`, or where it holds none of them.
struct RowFilter {
  std::string column;
  std::vector<std::string> values;
  bool wanted = true;
};

/// Rows of repeat groups name the row that they belong to, in another file or in the same one.
struct ParentRule {
  std::string key;       // column of the parent that names it
  std::string named_by;  // column of a row that names its parent
  bool same_file = false;
  std::vector<RowFilter> filters;  // rows that can be parents; rows of others are left out
};

/// What columns.toml says.
struct ExportColumns {
  char separator = ',';
  char decimal = '.';
  std::vector<std::string> missing;  // texts that count as empty
  std::array<std::optional<ColumnRule>, kResultFields> rules;
  std::vector<RowFilter> filters;
  std::optional<ParentRule> parent;

  const std::optional<ColumnRule>& rule(ResultField field) const {
    return rules[static_cast<std::size_t>(field)];
  }
};
ExportColumns parse_export_columns(const TextFile& file);

/// One row of an export in the study's words; "" is empty.
struct ExportedResult {
  std::int64_t line = 0;
  std::array<std::string, kResultFields> fields;

  const std::string& operator[](ResultField field) const { return fields[static_cast<std::size_t>(field)]; }
  std::string& operator[](ResultField field) { return fields[static_cast<std::size_t>(field)]; }
};
struct ExportedResults {
  std::vector<ExportedResult> rows;  // at_least and at_most are in reward and censored
  std::int64_t left_out = 0;         // rows that filters leave out
};
/// Reads an export. `parent` is the file with the parents of its rows, where they are in another one. Numbers
/// are checked, names are not: only the study knows them.
ExportedResults parse_export(const TextFile& file, const ExportColumns& columns,
                             const std::optional<TextFile>& parent);

}  // namespace mindgap::files
