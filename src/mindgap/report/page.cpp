#include "mindgap/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "mindgap/base/error.h"
#include "mindgap/report/assets.h"
#include "mindgap/report/colours.h"
#include "mindgap/report/html.h"
#include "mindgap/report/svg.h"

namespace mindgap::report {
namespace {

constexpr std::size_t kMostRows = 200;         // of a picture's data as a table; the whole is a CSV file
constexpr std::size_t kLargestFile = 100'000;  // of a picture that can be saved by itself

// No request can leave the page and nothing in it can run: the browser refuses both.
constexpr const char* kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
)";

std::string html_of(const Answer& answer) {
  constexpr std::array<std::string_view, 4> kKnown = {"deploy", "learn", "experiment", "undecided"};
  const bool coloured = std::find(kKnown.begin(), kKnown.end(), answer.kind) != kKnown.end();
  std::string html =
      fmt::format("<div class=\"answer{}\">\n", coloured ? " answer-" + answer.kind : std::string());
  if (!answer.kind.empty()) html += fmt::format("<p class=\"kind\">{}</p>\n", escaped(answer.kind));
  html += fmt::format("<p class=\"headline\">{}</p>\n", escaped(answer.headline));
  if (!answer.reason.empty()) html += fmt::format("<p>{}</p>\n", escaped(answer.reason));
  if (!answer.facts.empty()) {
    html += "<dl class=\"facts\">\n";
    for (const auto& [label, number] : answer.facts)
      html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(label), escaped(number));
    html += "</dl>\n";
  }
  return html + "</div>\n";
}

std::string html_of(const Paragraph& paragraph) {
  return fmt::format("<p>{}</p>\n", escaped(paragraph.text));
}

std::string html_of(const Bullets& bullets) {
  std::string html = "<ul>\n";
  for (const std::string& item : bullets.items) html += fmt::format("<li>{}</li>\n", escaped(item));
  return html + "</ul>\n";
}

std::string numbers_of(const Figure& figure) {
  std::string html = "<details class=\"numbers\"><summary>The numbers</summary>\n";
  for (const Dataset& dataset : figure.data) {
    Table shown = dataset.table;
    if (shown.title.empty()) shown.title = dataset.name;
    html += scrolled(shown, kMostRows);
    if (shown.rows.size() > kMostRows) {
      html += fmt::format("<p class=\"files\">The first {} of {} rows; the CSV file has all.</p>\n",
                          kMostRows, shown.rows.size());
    }
  }
  return html + "</details>\n";
}

std::string html_of(const Figure& figure) {
  std::string html = fmt::format(
      "<figure class=\"figure\" id=\"figure-{}\">\n"
      "<figcaption><span class=\"title\">{}</span><span class=\"caption\">{}</span></figcaption>\n"
      "<div class=\"picture\">\n{}{}</div>\n<div class=\"tools\">\n",
      figure.id, escaped(figure.title), escaped(figure.caption),
      svg_element(figure, figure.wide, "wide", " class=\"wide\""),
      svg_element(figure, figure.narrow, "narrow", R"( class="narrow" display="none")"));
  if (!figure.data.empty()) html += numbers_of(figure);
  std::string links;
  if (figure.wide.body.size() <= kLargestFile)
    links += save_link("image/svg+xml", to_svg(figure), figure.id + ".svg", figure.id + ".svg") + "\n";
  for (const Dataset& dataset : figure.data)
    links +=
        save_link("text/csv", to_csv(dataset.table), dataset.name + ".csv", dataset.name + ".csv") + "\n";
  return html + fmt::format("<span class=\"files\">Save: {}</span>\n</div>\n</figure>\n", links);
}

/// Tables are saved under their titles; a second one of the same title gets a number.
class Blocks {
 public:
  std::string html(const Block& block) {
    return std::visit([this](const auto& each) { return html_one(each); }, block);
  }

 private:
  std::string html_one(const Table& table) {
    for (const auto& row : table.rows) {
      if (row.size() != table.columns.size())
        throw InvalidArgument(fmt::format("table '{}': a row has {} cells, but there are {} columns",
                                          base::printable(table.title), row.size(), table.columns.size()));
    }
    const std::string stem = file_stem(table.title);
    const int count = ++tables_[stem];
    return table_block(table, count == 1 ? stem + ".csv" : fmt::format("{}-{}.csv", stem, count));
  }
  std::string html_one(const Figure& figure) {
    check_figure(figure);
    if (!figures_.insert(figure.id).second)
      throw InvalidArgument(fmt::format("two figures have the id '{}'", figure.id));
    return html_of(figure);
  }
  template <typename Other>
  std::string html_one(const Other& other) {
    return html_of(other);
  }

  std::map<std::string, int> tables_;
  std::set<std::string> figures_;
};

}  // namespace

std::string to_html(const Page& page) {
  Blocks blocks;
  std::string body;
  for (const Section& section : page.sections) {
    body += "<section>\n";
    if (!section.title.empty()) body += fmt::format("<h2>{}</h2>\n", escaped(section.title));
    for (const Block& block : section.blocks) body += blocks.html(block);
    body += "</section>\n";
  }
  std::string html = kHead;
  html += fmt::format("<title>{}</title>\n<style>\n", escaped(page.title));
  html += page_style();
  html += fmt::format("@media screen and (prefers-color-scheme: dark) {{\n{}}}\n", dark_rules());
  html += fmt::format("</style>\n</head>\n<body>\n<header>\n<h1>{}</h1>\n", escaped(page.title));
  if (!page.subtitle.empty()) html += fmt::format("<p class=\"subtitle\">{}</p>\n", escaped(page.subtitle));
  html += "</header>\n<main>\n" + body + "</main>\n";
  if (!page.footer.empty()) html += fmt::format("<footer><p>{}</p></footer>\n", escaped(page.footer));
  return html + "</body>\n</html>\n";
}

}  // namespace mindgap::report
