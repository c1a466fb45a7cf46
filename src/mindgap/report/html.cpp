#include "mindgap/report/html.h"

#include <fmt/format.h>

#include <algorithm>

namespace mindgap::report {
namespace {

void append_row(const std::vector<std::string>& cells, const std::vector<bool>& right, const char* element,
                std::string& html) {
  html += "<tr>";
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const char* scope = element[1] == 'h' ? " scope=\"col\"" : "";
    html += fmt::format("<{}{}{}>{}</{}>", element, scope, right[c] ? " class=\"number\"" : "",
                        escaped(cells[c]), element);
  }
  html += "</tr>\n";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default: {
        const auto code = static_cast<unsigned char>(c);
        const bool control = (code < 0x20 && c != '\n' && c != '\t') || code == 0x7f;
        html += control ? std::string("\xef\xbf\xbd") : std::string(1, c);
      }
    }
  }
  return html;
}

std::string html_table(const Table& table, std::size_t most) {
  std::vector<bool> right;
  for (std::size_t c = 0; c < table.columns.size(); ++c) right.push_back(is_number_column(table, c));
  std::string html = "<table>\n";
  if (!table.title.empty()) html += fmt::format("<caption>{}</caption>\n", escaped(table.title));
  html += "<thead>";
  append_row(table.columns, right, "th", html);
  html += "</thead>\n<tbody>\n";
  for (std::size_t r = 0; r < std::min(most, table.rows.size()); ++r)
    append_row(table.rows[r], right, "td", html);
  return html + "</tbody>\n</table>\n";
}

std::string table_block(const Table& table, const std::string& file) {
  return fmt::format(
      "<div class=\"table\">\n<div class=\"scroll\" tabindex=\"0\">\n{}</div>\n"
      "<p class=\"files script-only\" hidden><a download=\"{}\">Save as CSV</a></p>\n</div>\n",
      html_table(table), escaped(file));
}

std::string file_stem(std::string_view title) {
  std::string stem;
  for (const char c : title) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9')) {
      stem += lower;
    } else if (!stem.empty() && stem.back() != '-') {
      stem += '-';
    }
    if (stem.size() >= 60) break;
  }
  while (!stem.empty() && stem.back() == '-') stem.pop_back();
  return stem.empty() ? "table" : stem;
}

}  // namespace mindgap::report
