#include <fmt/format.h>

#include "bindings/commands.h"
#include "mindgap/report/html.h"

namespace mindgap::python {
namespace {

constexpr std::size_t kMostRows = 12;  // of a table in a notebook; to_frame() has all

std::string html_of(const report::Answer& answer) {
  using report::escaped;
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

std::string html_of(const report::Table& table) {
  std::string html = report::html_table(table, kMostRows);
  if (table.rows.size() > kMostRows)
    html += fmt::format("<p class=\"more\">and {} more rows</p>\n", table.rows.size() - kMostRows);
  return html;
}

}  // namespace

nb::tuple notebook_parts(const report::Page& page) {
  std::string html;
  nb::list pictures;
  for (const report::Section& section : page.sections) {
    for (const report::Block& block : section.blocks) {
      if (const auto* answer = std::get_if<report::Answer>(&block)) html += html_of(*answer);
      if (const auto* table = std::get_if<report::Table>(&block)) html += html_of(*table);
      if (const auto* figure = std::get_if<report::Figure>(&block))
        pictures.append(
            nb::make_tuple(figure->title, figure->caption, figure->description, report::to_svg(*figure)));
    }
  }
  return nb::make_tuple(html, pictures);
}

}  // namespace mindgap::python
