#include "mindgap/report/charts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mindgap/base/error.h"
#include "mindgap/report/figure_json.h"
#include "mindgap/report/page.h"

namespace mindgap::report {
namespace charts_test {

using Json = nlohmann::json;

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

Json spec_of(const Figure& figure) {
  check_figure(figure);
  return Json::parse(figure.spec);
}

TEST(Charts, LinesTellSeriesApartByMoreThanColour) {
  const Figure figure = lines(lines_chart());
  EXPECT_EQ(figure.id, "chart");
  EXPECT_EQ(figure.description, "description");
  EXPECT_EQ(figure.data.at(0).table.rows, kTable.rows);
  const Json encoding = spec_of(figure)["layer"][0]["encoding"];
  EXPECT_EQ(encoding["color"]["scale"]["domain"], Json({"sop", "asop", "sep"}));
  const Json dashes = encoding["strokeDash"]["scale"]["range"];
  ASSERT_EQ(dashes.size(), 3);
  EXPECT_NE(dashes[0], dashes[1]);
  EXPECT_NE(dashes[1], dashes[2]);
  EXPECT_EQ(encoding["shape"]["field"], "who");
  EXPECT_EQ(encoding["x"]["scale"]["type"], "log");
  EXPECT_EQ(encoding["y"]["field"], "y \\[a\\.b\\]");
  EXPECT_EQ(encoding["y"]["title"], "y [a.b]");
}

TEST(Charts, LinesWithBandsPanelsAndReferences) {
  LinesChart chart = lines_chart();
  chart.lower = "lo";
  chart.upper = "hi";
  chart.panel = "who";
  chart.upright = {{5, "here"}};
  const Json spec = spec_of(lines(chart));
  EXPECT_EQ(spec["usermeta"]["panels"], 3);
  EXPECT_EQ(spec["facet"]["sort"], Json({"sop", "asop", "sep"}));
  EXPECT_EQ(spec["spec"]["layer"].size(), 4);
  EXPECT_EQ(spec["spec"]["layer"][0]["mark"]["type"], "area");
  EXPECT_EQ(spec["spec"]["layer"][2]["encoding"]["x"]["datum"], 5.0);
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

TEST(Charts, HeatOfCategoriesHasLetters) {
  const Table table{
      "", {"x", "y", "verdict"}, {{"1", "1", "deploy"}, {"2", "1", "experiment"}, {"1", "2", "learn"}}};
  const Figure figure =
      heat({.words = {"tip", "t"}, .table = table, .x = {"x"}, .y = {"y"}, .value = "verdict"});
  EXPECT_EQ(figure.data[0].table.columns.back(), "letter");
  EXPECT_EQ(figure.data[0].table.rows[0].back(), "D");
  EXPECT_EQ(figure.data[0].table.rows[1].back(), "E");
  const Json color = spec_of(figure)["layer"][0]["encoding"]["color"]["scale"];
  EXPECT_EQ(color["range"], Json({"#009E73", "#D55E00", "#0072B2"}));
  const Table other{"", {"x", "y", "who"}, {{"1", "1", "sop"}, {"2", "1", "sep"}, {"3", "1", "se"}}};
  const Figure prefixes = heat({.words = {"p", "t"}, .table = other, .x = {"x"}, .y = {"y"}, .value = "who"});
  EXPECT_EQ(prefixes.data[0].table.rows[0].back(), "So");
  EXPECT_EQ(prefixes.data[0].table.rows[1].back(), "Sep");
  EXPECT_EQ(prefixes.data[0].table.rows[2].back(), "Se");
}

TEST(Charts, HeatOfNumbersIsShadedAndUpsideDownWhereAsked) {
  const Table table{"", {"x", "y", "v"}, {{"1", "10", "0.5"}, {"1", "20", "2"}}};
  const Json spec = spec_of(heat({.words = {"h", "t"},
                                  .table = table,
                                  .x = {"x"},
                                  .y = {"y"},
                                  .value = "v",
                                  .label = "v",
                                  .first_below = true,
                                  .square = true}));
  EXPECT_EQ(spec["layer"][0]["encoding"]["y"]["sort"], Json({20, 10}));
  EXPECT_EQ(spec["layer"][0]["encoding"]["color"]["type"], "quantitative");
  EXPECT_EQ(spec["layer"].size(), 2);
  EXPECT_EQ(spec["usermeta"]["square"]["y"], 2);
}

TEST(Charts, MapPutsRoutesBesideEachOther) {
  const Table states{"", {"name", "x", "y", "visits"}, {{"a", "0", "0", "1"}, {"b", "2", "0", "3"}}};
  const Table routes{
      "", {"route", "x", "y"}, {{"one", "0", "0"}, {"one", "0", "0"}, {"one", "2", "0"}, {"two", "0", "0"}}};
  MapChart chart;
  chart.words = {"map", "t"};
  chart.states = states;
  chart.name = "name";
  chart.x = "x";
  chart.y = "y";
  chart.value = "visits";
  chart.routes = routes;
  const Figure figure = map(chart);
  const Json spec = spec_of(figure);
  ASSERT_EQ(figure.data.size(), 2);
  EXPECT_EQ(figure.data[1].name, "map-routes");
  EXPECT_EQ(figure.data[1].table.rows.size(), 3);  // standing still is no move
  EXPECT_NE(figure.data[1].table.rows[0][2], figure.data[1].table.rows[2][2]);
  // Places are 2 apart, so each square reaches 1 to both sides.
  EXPECT_EQ(spec["layer"][0]["encoding"]["x"]["scale"]["domain"], Json({-1.0, 3.0}));
  EXPECT_EQ(spec["usermeta"]["square"]["x"], 2.0);
  chart.states.rows[0][1] = "west";
  EXPECT_THROW(map(chart), InvalidArgument);
  chart.states.rows.clear();
  EXPECT_THROW(map(chart), InvalidArgument);
}

TEST(Charts, BarsAndIntervalsAndSpans) {
  const Table table{"", {"pair", "when", "v"}, {{"a", "before", "3"}, {"a", "after", "1"}}};
  const Json made = spec_of(
      bars({.words = {"b", "t"}, .table = table, .category = "pair", .value = {"v"}, .series = "when"}));
  EXPECT_EQ(made["layer"][0]["encoding"]["yOffset"]["field"], "when");
  EXPECT_EQ(made["layer"][0]["encoding"]["color"]["scale"]["domain"], Json({"before", "after"}));
  const Json dots = spec_of(intervals({.words = {"i", "t"},
                                       .table = kTable,
                                       .row = "who",
                                       .value = {"x"},
                                       .lower = "lo",
                                       .upper = "hi",
                                       .published = "hi"}));
  EXPECT_EQ(dots["layer"].size(), 3);
  EXPECT_EQ(
      intervals(
          {.words = {"i", "t", "Six."}, .table = kTable, .row = "who", .value = {"x"}, .published = "hi"})
          .caption,
      "Six. Dots: ours. Open diamonds: published.");
  EXPECT_EQ(dots["layer"][2]["mark"]["filled"], false);
  const Figure phases = spans({.words = {"s", "t"},
                               .table = kTable,
                               .row = "who",
                               .from = "lo",
                               .to = "hi",
                               .kind = "who",
                               .events = {"", {"who", "lo", "what"}, {{"sop", "2", "break"}}}});
  EXPECT_EQ(spec_of(phases)["layer"].size(), 2);
  EXPECT_EQ(phases.data.at(1).name, "s-events");
}

// Names that Vega-Lite or HTML could take for something else go through all of it.
TEST(Charts, AnyNameIsOnlyAName) {
  LinesChart chart = lines_chart();
  chart.table.columns = {"a.b[0]\\'\"", "</script>", "who", "lo", "hi"};
  chart.x = {"a.b[0]\\'\""};
  chart.y = {"</script>"};
  const Figure figure = lines(chart);
  EXPECT_NO_THROW(check_figure(figure));
  EXPECT_EQ(figure_json(figure).find("</"), std::string::npos);
}

}  // namespace charts_test
}  // namespace mindgap::report
