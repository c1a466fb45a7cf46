#include "mindgap/report/columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "mindgap/base/error.h"

namespace mindgap::report {

std::size_t column(const Words& words, const Table& table, const std::string& name) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  if (found == table.columns.end()) {
    throw InvalidArgument(fmt::format(
        "chart '{}': there is no column '{}'; there are: {}", base::printable(words.id),
        base::printable(name), base::printable(fmt::format("{}", fmt::join(table.columns, ", ")), 200)));
  }
  return static_cast<std::size_t>(found - table.columns.begin());
}

void check_columns(const Words& words, const Table& table, std::initializer_list<std::string> names) {
  for (const std::string& name : names) {
    if (!name.empty()) column(words, table, name);
  }
}

std::vector<std::string> distinct(const Table& table, std::size_t at) {
  std::vector<std::string> values;
  std::set<std::string> seen;
  for (const auto& row : table.rows) {
    if (!row[at].empty() && seen.insert(row[at]).second) values.push_back(row[at]);
  }
  return values;
}

std::size_t index_of(const std::vector<std::string>& values, const std::string& value) {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

Extent extent(const Words& words, const Table& table, std::initializer_list<std::string> names) {
  bool any = false;
  Extent found;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    const std::size_t at = column(words, table, name);
    for (const auto& row : table.rows) {
      const std::optional<double> value = number_in(row[at]);
      if (!value) continue;
      found.least = any ? std::min(found.least, *value) : *value;
      found.largest = any ? std::max(found.largest, *value) : *value;
      any = true;
    }
  }
  if (!any)
    throw InvalidArgument(fmt::format("chart '{}': column '{}' has no number", base::printable(words.id),
                                      base::printable(*names.begin())));
  return found;
}

bool has_number(const Words& words, const Table& table, const std::string& name) {
  const std::size_t at = column(words, table, name);
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return number_in(row[at]).has_value(); });
}

std::string row_in_words(const Table& table, const std::vector<std::string>& row) {
  std::string said;
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (row[c].empty()) continue;
    said += fmt::format("{}{} {}", said.empty() ? "" : ", ", table.columns[c], row[c]);
  }
  return said;
}

}  // namespace mindgap::report
