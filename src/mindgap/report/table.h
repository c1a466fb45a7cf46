#pragma once

#include <string>
#include <vector>

// Tables, before anyone decides how they look.
namespace mindgap::report {

/// Plain text in cells; numbers are formatted by whoever puts them in. Every row has as many cells as there
/// are columns.
struct Table {
  std::string title = {};
  std::vector<std::string> columns = {};
  std::vector<std::vector<std::string>> rows = {};
};

/// Whether every cell of a column that is not empty or "-" begins with a digit, sign or point; false where
/// there is none.
bool is_number_column(const Table& table, std::size_t column);

/// Columns lined up: text to the left, columns of numbers to the right. Ends with a line end.
std::string to_text(const Table& table);
/// RFC 4180, LF, with a header; without the title.
std::string to_csv(const Table& table);
/// A GitHub-flavoured Markdown table with the title as a heading above it.
std::string to_markdown(const Table& table);

}  // namespace mindgap::report
