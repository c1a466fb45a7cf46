#include "mindgap/report/charts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>

#include "mindgap/base/error.h"
#include "mindgap/report/page.h"
#include "mindgap/report/svg.h"

namespace mindgap::report {
namespace charts_test {

const Table kTable{
    "",
    {"x", "y [a.b]", "who", "lo", "hi"},
    {{"1", "2", "sop", "1", "3"}, {"10", "3", "asop", "2", "4"}, {"100", "4", "sep", "3", "5"}}};

LinesChart lines_chart() {
  LinesChart chart;
  chart.words = {"chart", "title", "caption", "description"};
  chart.table = kTable;
  chart.x = {"x", "steps", true};
  chart.y = {"y [a.b]"};
  chart.series = "who";
  return chart;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

/// What every drawing must be: finite numbers, and no element left open.
void expect_sound(const Figure& figure) {
  check_figure(figure);
  for (const Drawing* drawing : {&figure.wide, &figure.narrow}) {
    EXPECT_EQ(drawing->body.find("nan"), std::string::npos) << figure.id;
    EXPECT_EQ(drawing->body.find("inf"), std::string::npos) << figure.id;
    EXPECT_GT(drawing->width, 0);
    EXPECT_GT(drawing->height, 0);
    EXPECT_EQ(count(drawing->body, "<text"), count(drawing->body, "</text>"));
  }
  EXPECT_LT(figure.narrow.width, figure.wide.width);
}

/// The values of an attribute of all elements with it, as numbers.
std::vector<double> numbers(const std::string& body, const std::string& element, const std::string& name) {
  std::vector<double> all;
  const std::regex wanted("<" + element + "[^>]* " + name + "=\"([-0-9.]+)\"");
  for (std::sregex_iterator at(body.begin(), body.end(), wanted), end; at != end; ++at)
    all.push_back(std::stod((*at)[1]));
  return all;
}

TEST(Charts, LinesTellSeriesApartByMoreThanColour) {
  const Figure figure = lines(lines_chart());
  expect_sound(figure);
  EXPECT_EQ(figure.id, "chart");
  EXPECT_EQ(figure.description, "description");
  EXPECT_EQ(figure.data.at(0).table.rows, kTable.rows);
  // In the legend and in the plot: three colours, two of them dashed, three shapes.
  EXPECT_EQ(count(figure.wide.body, "stroke-dasharray=\"7 3\""), 2);
  EXPECT_EQ(count(figure.wide.body, "stroke-dasharray=\"2 2\""), 2);
  for (const char* colour : {"s-c0", "s-c1", "s-c2", "f-c2"})
    EXPECT_NE(figure.wide.body.find(colour), std::string::npos) << colour;
  EXPECT_EQ(count(figure.wide.body, "<circle"), 2);
  for (const char* text : {">sop<", ">asop<", ">sep<", ">y [a.b]<", ">steps<"})
    EXPECT_NE(figure.wide.body.find(text), std::string::npos) << text;
  // A logarithmic axis has the values themselves, equally far apart: 1, 10 and 100.
  const std::regex tick("<text x=\"([0-9.]+)\"[^>]*>(1|10|100)</text>");
  std::vector<double> at;
  for (std::sregex_iterator one(figure.wide.body.begin(), figure.wide.body.end(), tick), end; one != end;
       ++one)
    at.push_back(std::stod((*one)[1]));
  ASSERT_EQ(at.size(), 3);
  EXPECT_NEAR(at[1] - at[0], at[2] - at[1], .2);
}

TEST(Charts, PointsLieWhereTheirNumbersSay) {
  LinesChart chart = lines_chart();
  chart.series = "";
  chart.x.log = false;
  chart.table.rows = {{"0", "0", "", "", ""}, {"5", "5", "", "", ""}, {"10", "10", "", "", ""}};
  const Figure figure = lines(chart);
  const std::vector<double> x = numbers(figure.wide.body, "circle", "cx"),
                            y = numbers(figure.wide.body, "circle", "cy");
  ASSERT_EQ(x.size(), 3);
  EXPECT_NEAR(x[1], (x[0] + x[2]) / 2, .1);
  EXPECT_NEAR(y[1], (y[0] + y[2]) / 2, .1);
  EXPECT_LT(x[0], x[2]);
  EXPECT_GT(y[0], y[2]);  // up is less
}

TEST(Charts, LinesWithBandsPanelsAndReferences) {
  LinesChart chart = lines_chart();
  chart.lower = "lo";
  chart.upper = "hi";
  chart.panel = "who";
  chart.upright = {{5, "here"}};
  const Figure figure = lines(chart);
  expect_sound(figure);
  EXPECT_EQ(count(figure.wide.body, ">here<"), 3);  // in each panel
  EXPECT_EQ(count(figure.wide.body, "fill-opacity"), 3);
  // The heading of a panel begins where its axis does.
  const std::regex heading("<text x=\"([0-9.]+)\"[^>]*font-weight=\"600\">(sop|asop|sep)<");
  std::vector<double> begin;
  for (std::sregex_iterator one(figure.wide.body.begin(), figure.wide.body.end(), heading), end; one != end;
       ++one)
    begin.push_back(std::stod((*one)[1]));
  ASSERT_EQ(begin.size(), 3);
  const std::regex axis("<line x1=\"([0-9.]+)\" y1=\"[0-9.]+\" x2=\"([0-9.]+)\"[^>]*s-axis");
  for (const double left : begin) {
    bool found = false;
    for (std::sregex_iterator one(figure.wide.body.begin(), figure.wide.body.end(), axis), end; one != end;
         ++one)
      found = found || ((*one)[1] == (*one)[2] && std::abs(std::stod((*one)[1]) - left) < .11);
    EXPECT_TRUE(found) << left;
  }
}

TEST(Charts, AColumnThatIsNotThereIsNamed) {
  LinesChart chart = lines_chart();
  chart.series = "planner";
  try {
    lines(chart);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "chart 'chart': there is no column 'planner'; there are: x, y [a.b], who, lo, hi");
  }
  EXPECT_THROW(bars({.words = {"b", "t"}, .table = kTable, .category = "who", .value = {"none"}}),
               InvalidArgument);
  EXPECT_THROW(intervals({.words = {"i", "t"}, .table = kTable, .row = "who", .value = {"x"}, .lower = "lo"}),
               InvalidArgument);
  EXPECT_THROW(
      spans({.words = {"s", "t"}, .table = kTable, .row = "who", .from = "x", .to = "z", .kind = "who"}),
      InvalidArgument);
  EXPECT_THROW(heat({.words = {"h", "t"}, .table = kTable, .x = {"x"}, .y = {"z"}, .value = "lo"}),
               InvalidArgument);
  EXPECT_THROW(
      heat({.words = {"h", "t"}, .table = kTable, .x = {"x"}, .y = {"lo"}, .value = "who", .x_to = "hi"}),
      InvalidArgument);
}

TEST(Charts, ATableWithoutNumbersSaysSo) {
  LinesChart chart = lines_chart();
  chart.table.rows.clear();
  const Figure figure = lines(chart);
  expect_sound(figure);
  EXPECT_NE(figure.wide.body.find("nothing to draw yet"), std::string::npos);
}

TEST(Charts, HeatOfCategoriesHasLetters) {
  const Table table{
      "", {"x", "y", "verdict"}, {{"1", "1", "deploy"}, {"2", "1", "experiment"}, {"1", "2", "learn"}}};
  const Figure figure =
      heat({.words = {"tip", "t"}, .table = table, .x = {"x"}, .y = {"y"}, .value = "verdict"});
  expect_sound(figure);
  EXPECT_EQ(figure.data[0].table.columns, table.columns);
  // Each in the colours of its answer, with its letter in the cell and in the legend.
  for (const char* wanted : {"f-p2 s-c2", "f-p1 s-c1", "f-p0 s-c0"})
    EXPECT_EQ(count(figure.wide.body, wanted), 2) << wanted;
  EXPECT_EQ(count(figure.wide.body, ">E</text>"), 2);
  const Table other{"", {"x", "y", "who"}, {{"1", "1", "sop"}, {"2", "1", "sep"}, {"3", "1", "se"}}};
  const Figure prefixes = heat({.words = {"p", "t"}, .table = other, .x = {"x"}, .y = {"y"}, .value = "who"});
  for (const char* letters : {">So</text>", ">Sep</text>", ">Se</text>"})
    EXPECT_EQ(count(prefixes.wide.body, letters), 2) << letters;
}

TEST(Charts, HeatOfNumbersIsShadedAndUpsideDownWhereAsked) {
  const Table table{"", {"x", "y", "v"}, {{"1", "10", "0"}, {"1", "20", "2"}}};
  HeatChart chart{.words = {"h", "t"},
                  .table = table,
                  .x = {"x"},
                  .y = {"y"},
                  .value = "v",
                  .label = "v",
                  .first_below = true,
                  .square = true};
  const auto places = [&] {
    const Figure figure = heat(chart);
    expect_sound(figure);
    const std::regex cell("<rect x=\"[0-9.]+\" y=\"([0-9.]+)\" [^>]*class=\"f-(h[09])\"><title>");
    std::map<std::string, double> y;
    for (std::sregex_iterator one(figure.wide.body.begin(), figure.wide.body.end(), cell), end; one != end;
         ++one)
      y[(*one)[2]] = std::stod((*one)[1]);
    return y;
  };
  auto y = places();
  ASSERT_EQ(y.size(), 2);
  EXPECT_GT(y["h0"], y["h9"]);
  chart.first_below = false;
  y = places();
  EXPECT_LT(y["h0"], y["h9"]);
}

MapChart small_map() {
  MapChart chart;
  chart.words = {"map", "t"};
  chart.states = {"", {"name", "x", "y", "visits"}, {{"zone-a", "0", "0", "1"}, {"zone-b", "2", "0", "3"}}};
  chart.name = "name";
  chart.x = "x";
  chart.y = "y";
  chart.value = "visits";
  chart.routes = {
      "", {"route", "x", "y"}, {{"one", "0", "0"}, {"one", "0", "0"}, {"one", "2", "0"}, {"two", "0", "0"}}};
  return chart;
}

TEST(Charts, MapNamesItsPlacesAndNumbersItsRoutes) {
  MapChart chart = small_map();
  const Figure figure = map(chart);
  expect_sound(figure);
  ASSERT_EQ(figure.data.size(), 2);
  EXPECT_EQ(figure.data[1].name, "map-routes");
  EXPECT_EQ(figure.data[1].table.rows.size(), 3);  // standing still is no move
  for (const char* text : {">zone-a</text>", ">zone-b</text>", ">one</text>", ">two</text>"})
    EXPECT_EQ(count(figure.wide.body, text), 1) << text;
  EXPECT_EQ(count(figure.wide.body, ">2</text>"), 2);  // in the legend, and where the route begins
  // Routes that begin in one place do not hide each other.
  const std::vector<double> x = numbers(figure.wide.body, "circle", "cx"),
                            y = numbers(figure.wide.body, "circle", "cy");
  ASSERT_EQ(x.size(), 4);
  EXPECT_GT(std::hypot(x[2] - x[3], y[2] - y[3]), 14);
  chart.states.rows[0][1] = "west";
  EXPECT_THROW(map(chart), InvalidArgument);
  chart.states.rows.clear();
  EXPECT_THROW(map(chart), InvalidArgument);
}

// Twelve units on ways of their own: no two share a colour, and each lies on a rim that parts it from any
// shade.
TEST(Charts, TwelveRoutesDiffer) {
  MapChart chart = small_map();
  chart.routes.rows.clear();
  for (int i = 0; i < 12; ++i) {
    chart.routes.rows.push_back({"unit " + std::to_string(i), "0", "0"});
    chart.routes.rows.push_back({"unit " + std::to_string(i), "2", "0"});
  }
  const Figure figure = map(chart);
  expect_sound(figure);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NE(figure.wide.body.find("s-r" + std::to_string(i) + "\""), std::string::npos) << i;
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(route_colour(i).light, route_colour(k).light);
  }
}

// The numbers of a map stay readable under routes: they are drawn after them, on a rim of their square's
// shade.
TEST(Charts, RoutesDoNotCoverTheNumbersOfAMap) {
  MapChart chart = small_map();
  chart.label = "visits";
  const Figure figure = map(chart);
  const std::size_t last_line = figure.wide.body.rfind("stroke-linejoin");
  const std::size_t number = figure.wide.body.rfind(">3</text>");
  ASSERT_NE(number, std::string::npos);
  EXPECT_GT(number, last_line);
  EXPECT_NE(figure.wide.body.rfind("paint-order=\"stroke\"", number), std::string::npos);
}

// A narrow page leaves out what all names begin with, and says so.
TEST(Charts, NamesOfAMapAreShortenedTogether) {
  MapChart chart = small_map();
  chart.routes = {};
  chart.states.rows.clear();
  for (int i = 0; i < 8; ++i)
    chart.states.rows.push_back({"region-north-" + std::to_string(i), std::to_string(i), "0", "1"});
  const Figure figure = map(chart);
  EXPECT_EQ(count(figure.narrow.body, ">7</text>"), 1);
  EXPECT_NE(figure.narrow.body.find("without their common beginning &quot;region-north-&quot;"),
            std::string::npos);
}

TEST(Charts, BarsAndIntervalsAndSpans) {
  const Table table{"", {"pair", "when", "v"}, {{"a", "before", "3"}, {"a", "after", "1"}}};
  const Figure made =
      bars({.words = {"b", "t"}, .table = table, .category = "pair", .value = {"v"}, .series = "when"});
  expect_sound(made);
  // The legend's two, and two bars of which the first is three times as long.
  const std::vector<double> width = numbers(made.wide.body, "rect", "width");
  ASSERT_EQ(width.size(), 4);
  EXPECT_NEAR(width[2], 3 * width[3], .5);
  const Figure dots = intervals({.words = {"i", "t", "Six."},
                                 .table = kTable,
                                 .row = "who",
                                 .value = {"x"},
                                 .lower = "lo",
                                 .upper = "hi",
                                 .published = "hi"});
  expect_sound(dots);
  EXPECT_EQ(dots.caption, "Six. Dots: ours. Open diamonds: published.");
  EXPECT_EQ(count(dots.wide.body, "<circle"), 3);
  EXPECT_EQ(count(dots.wide.body, "Z\" fill=\"none\""), 3);
  const Figure phases = spans({.words = {"s", "t"},
                               .table = kTable,
                               .row = "who",
                               .from = "lo",
                               .to = "hi",
                               .kind = "who",
                               .events = {"", {"who", "lo", "what"}, {{"sop", "2", "break"}}}});
  expect_sound(phases);
  EXPECT_EQ(count(phases.wide.body, "<rect"), 6);
  EXPECT_NE(phases.wide.body.find("what break"), std::string::npos);
  EXPECT_EQ(phases.data.at(1).name, "s-events");
}

// Names that SVG or HTML could take for something else go through all of it.
TEST(Charts, AnyNameIsOnlyAName) {
  LinesChart chart = lines_chart();
  chart.table.columns = {"a.b[0]\\'\"", "</svg><script>", "who", "lo", "hi"};
  chart.table.rows[0][2] = "<!--\xe2\x80\xa8]]>&\x01" + std::string(300, 'x') + "\xe6\xbc\xa2\xe5\xad\x97";
  chart.x = {"a.b[0]\\'\""};
  chart.y = {"</svg><script>"};
  const Figure figure = lines(chart);
  expect_sound(figure);
  EXPECT_EQ(figure.wide.body.find("<script>"), std::string::npos);
  EXPECT_EQ(figure.wide.body.find("<!--"), std::string::npos);
  EXPECT_EQ(figure.wide.body.find('\x01'), std::string::npos);
}

TEST(Charts, ColoursHaveContrast) {
  EXPECT_NEAR(contrast("#ffffff", "#000000"), 21, 1e-9);
  EXPECT_NEAR(contrast("#777777", "#ffffff"), 4.48, .01);  // the well-known grey that just fails
  for (const Colour* text : {&kInk, &kQuiet}) {
    EXPECT_GE(contrast(text->light, kSurface.light), 4.5) << text->name;
    EXPECT_GE(contrast(text->dark, kSurface.dark), 4.5) << text->name;
  }
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_GE(contrast(series_colour(i).light, kSurface.light), 4.5) << i;
    EXPECT_GE(contrast(series_colour(i).dark, kSurface.dark), 4.5) << i;
  }
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_GE(contrast(pale(i).light, kInk.light), 4.5) << i;
    EXPECT_GE(contrast(pale(i).dark, kInk.dark), 4.5) << i;
  }
  for (std::size_t i = 0; i < kRouteColours; ++i) {
    EXPECT_GE(contrast(route_colour(i).light, kSurface.light), 4.5) << i;
    EXPECT_GE(contrast(route_colour(i).dark, kSurface.dark), 4.5) << i;
  }
  for (std::size_t i = 0; i < kShades; ++i) {
    EXPECT_GE(contrast(shade(i).light, ink_on_shade(i).light), 4.5) << i;
    EXPECT_GE(contrast(shade(i).dark, ink_on_shade(i).dark), 4.5) << i;
  }
  EXPECT_NE(dark_rules().find(".f-c0{fill:#5cb3e6}.s-c0{stroke:#5cb3e6}"), std::string::npos);
}

TEST(Svg, TextIsShortenedAndWrapped) {
  EXPECT_EQ(shortened("short", 200), "short");
  const std::string cut = shortened("a very long name indeed", 60);
  EXPECT_TRUE(cut.ends_with("\xe2\x80\xa6"));
  EXPECT_LE(text_width(cut), 60);
  // Whole characters only: each of these is three bytes.
  const std::string chinese = shortened("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97", 45);
  EXPECT_EQ(chinese.size() % 3, 0u);
  const std::vector<std::string> lines = wrapped("zone-1-2 / stay and wait", 90, 2);
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[0], "zone-1-2 /");
}

}  // namespace charts_test
}  // namespace mindgap::report
