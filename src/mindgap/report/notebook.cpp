#include "mindgap/report/notebook.h"

#include <fmt/format.h>

#include "mindgap/report/html.h"

namespace mindgap::report {
namespace {

constexpr std::size_t kMostNotebookRows = 12;  // of a table in a notebook; to_frame() has all

std::string notebook_html(const Answer& answer) {
  std::string html;
  if (!answer.kind.empty()) html += fmt::format("<p class=\"kind\">{}</p>\n", escaped(answer.kind));
  html += fmt::format("<p class=\"headline\">{}</p>\n", escaped(answer.headline));
  if (!answer.reason.empty()) html += fmt::format("<p>{}</p>\n", escaped(answer.reason));
  if (answer.facts.empty()) return html;
  html += "<table class=\"facts\">\n";
  for (const auto& [label, number] : answer.facts)
    html += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(label), escaped(number));
  return html + "</table>\n";
}

std::string notebook_html(const Table& table) {
  std::string html = html_table(table, kMostNotebookRows);
  if (table.rows.size() > kMostNotebookRows)
    html += fmt::format("<p class=\"more\">and {} more rows</p>\n", table.rows.size() - kMostNotebookRows);
  return html;
}

}  // namespace

Notebook notebook(const Page& page) {
  Notebook parts;
  for (const Section& section : page.sections) {
    for (const Block& block : section.blocks) {
      if (const auto* answer = std::get_if<Answer>(&block)) parts.html += notebook_html(*answer);
      if (const auto* table = std::get_if<Table>(&block)) parts.html += notebook_html(*table);
      if (const auto* figure = std::get_if<Figure>(&block))
        parts.pictures.push_back({figure->title, figure->caption, figure->description, to_svg(*figure)});
    }
  }
  return parts;
}

}  // namespace mindgap::report
