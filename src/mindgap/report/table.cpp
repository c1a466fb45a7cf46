#include "mindgap/report/table.h"

#include <algorithm>

namespace mindgap::report {
namespace {

// Columns a terminal shows: bytes that do not continue a UTF-8 character.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

bool is_number(const std::string& cell) {
  return cell.find_first_of("0123456789") != std::string::npos &&
         std::string_view("0123456789+-.<").find(cell[0]) != std::string_view::npos;
}

void append_line(const Table& table, const std::vector<std::string>& cells,
                 const std::vector<std::size_t>& width, const std::vector<bool>& right, std::string& text) {
  std::string line;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string padding(width[c] - width_of(cells[c]), ' ');
    if (c > 0) line += "  ";
    line += right[c] ? padding + cells[c] : cells[c] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + "\"";
}

void append_csv(const std::vector<std::string>& cells, std::string& text) {
  for (std::size_t c = 0; c < cells.size(); ++c) text += (c > 0 ? "," : "") + quoted(cells[c]);
  text += "\n";
}

void append_markdown(const std::vector<std::string>& cells, std::string& text) {
  for (const std::string& cell : cells) {
    text += "| ";
    for (const char c : cell) text += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
    text += " ";
  }
  text += "|\n";
}

}  // namespace

bool is_number_column(const Table& table, std::size_t column) {
  bool any = false;
  for (const auto& row : table.rows) {
    if (row[column].empty() || row[column] == "-") continue;
    if (!is_number(row[column])) return false;
    any = true;
  }
  return any;
}

std::string to_text(const Table& table) {
  std::vector<std::size_t> width;
  std::vector<bool> right;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    width.push_back(width_of(table.columns[c]));
    for (const auto& row : table.rows) width[c] = std::max(width[c], width_of(row[c]));
    right.push_back(is_number_column(table, c));
  }
  std::string text = table.title.empty() ? "" : table.title + "\n";
  append_line(table, table.columns, width, right, text);
  for (const auto& row : table.rows) append_line(table, row, width, right, text);
  return text;
}

std::string to_csv(const Table& table) {
  std::string text;
  append_csv(table.columns, text);
  for (const auto& row : table.rows) append_csv(row, text);
  return text;
}

std::string to_markdown(const Table& table) {
  std::string text = table.title.empty() ? "" : "### " + table.title + "\n\n";
  append_markdown(table.columns, text);
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    text += is_number_column(table, c) ? "|---:" : "|---";
  text += "|\n";
  for (const auto& row : table.rows) append_markdown(row, text);
  return text;
}

}  // namespace mindgap::report
