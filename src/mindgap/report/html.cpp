#include "mindgap/report/html.h"

#include <fmt/format.h>

#include <algorithm>

namespace mindgap::report {
namespace {

void append_row(const std::vector<std::string>& cells, const std::vector<bool>& right, const char* element,
                std::string& html) {
  html += "<tr>";
  for (std::size_t c = 0; c < cells.size(); ++c) {
    // A header without a word is none.
    const bool header = element[1] == 'h' && !cells[c].empty();
    const char* name = element[1] == 'h' && !header ? "td" : element;
    html += fmt::format("<{}{}{}>{}</{}>", name, header ? " scope=\"col\"" : "",
                        right[c] ? " class=\"number\"" : "", escaped(cells[c]), name);
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
  return fmt::format("<div class=\"table\">\n{}<p class=\"files\">{}</p>\n</div>\n", scrolled(table),
                     save_link("text/csv", to_csv(table), file, "Save as CSV"));
}

std::string scrolled(const Table& table, std::size_t most) {
  return fmt::format("<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n{}</div>\n",
                     escaped(table.title.empty() ? "Table" : table.title), html_table(table, most));
}

std::string base64(std::string_view content) {
  static constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < content.size(); i += 3) {
    const std::size_t bytes = std::min<std::size_t>(3, content.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < bytes ? static_cast<unsigned char>(content[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= bytes ? kLetters[bits >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

std::string save_link(std::string_view type, std::string_view content, const std::string& file,
                      const std::string& text) {
  return fmt::format(R"(<a download="{}" href="data:{};charset=utf-8;base64,{}">{}</a>)", escaped(file), type,
                     base64(content), escaped(text));
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
