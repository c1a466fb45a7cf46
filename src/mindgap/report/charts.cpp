#include "mindgap/report/charts.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/report/spec.h"

namespace mindgap::report {
namespace {

using spec::Json;

constexpr const char* kFirst = "#0072B2";
constexpr const char* kSecond = "#D55E00";
constexpr std::size_t kMostPoints = 30;  // of a line that shows its points

void check_columns(const Words& words, const Table& table, std::initializer_list<std::string> names) {
  for (const std::string& name : names) {
    if (!name.empty()) spec::column(words, table, name);
  }
}

void check_both(const Words& words, const std::string& lower, const std::string& upper) {
  if (lower.empty() != upper.empty())
    throw InvalidArgument(fmt::format("chart '{}': an interval needs both of its ends", words.id));
}

Json quantitative(const std::string& column) {
  return {{"field", spec::field(column)}, {"type", "quantitative"}};
}

Json open_marks(const Json& place, const char* channel, const std::string& column, const Json& colour) {
  Json encoding = place;
  encoding[channel] = quantitative(column);
  encoding["color"] = colour;
  return {{"mark",
           {{"type", "point"},
            {"filled", false},
            {"opacity", 1},
            {"shape", "diamond"},
            {"size", 80},
            {"strokeWidth", 1.5}}},
          {"encoding", encoding}};
}

}  // namespace

Figure lines(const LinesChart& chart) {
  const Table& table = chart.table;
  check_columns(
      chart.words, table,
      {chart.x.column, chart.y.column, chart.series, chart.lower, chart.upper, chart.published, chart.panel});
  check_both(chart.words, chart.lower, chart.upper);
  const bool points =
      spec::distinct(table, spec::column(chart.words, table, chart.x.column)).size() <= kMostPoints;
  const int ticks = chart.panel.empty() ? 8 : 4;
  const Json x = spec::numbers(table, chart.x, ticks), y = spec::numbers(table, chart.y, ticks);
  Json colour, line_encoding = {{"x", x}, {"y", y}, {"tooltip", spec::tooltip(table)}};
  Json mark = {{"type", "line"}};
  if (points) mark["point"] = {{"filled", true}, {"size", 45}};
  if (chart.series.empty()) {
    mark["color"] = kFirst;
    if (points) mark["point"]["color"] = kFirst;
  } else {
    colour = spec::by_series(table, chart.series);
    colour["legend"] = {{"symbolOpacity", 1}};
    if (!points) colour["legend"]["symbolType"] = "stroke";
    line_encoding["color"] = colour;
    line_encoding["strokeDash"] = spec::with_range(colour, spec::dashes(colour["scale"]["domain"].size()));
    if (points) line_encoding["shape"] = colour;
  }
  Json layers = Json::array();
  if (!chart.lower.empty()) {
    Json encoding = {
        {"x", x}, {"y", quantitative(chart.lower)}, {"y2", {{"field", spec::field(chart.upper)}}}};
    encoding["y"]["title"] = spec::title(chart.y);
    if (!colour.is_null()) encoding["color"] = colour;
    Json band = {{"type", "area"}, {"opacity", .15}, {"tooltip", nullptr}};
    if (colour.is_null()) band["color"] = kFirst;
    layers.push_back({{"mark", band}, {"encoding", encoding}});
  }
  layers.push_back({{"mark", mark}, {"encoding", line_encoding}});
  if (!chart.published.empty())
    layers.push_back(open_marks({{"x", x}, {"tooltip", spec::tooltip(table)}}, "y", chart.published,
                                chart.series.empty() ? Json{{"value", kSecond}} : colour));
  spec::add_references(chart.across, "y", layers);
  spec::add_references(chart.upright, "x", layers);
  return spec::figure(chart.words, table, layers, chart.height, chart.panel);
}

Figure bars(const BarsChart& chart) {
  const Table& table = chart.table;
  check_columns(chart.words, table, {chart.category, chart.value.column, chart.series});
  Axis axis = chart.value;
  axis.zero = true;
  Json encoding = {{"y", spec::in_lines(table, spec::places(table, chart.category, ""), chart.category)},
                   {"x", spec::numbers(table, axis)},
                   {"tooltip", spec::tooltip(table)}};
  Json mark = {{"type", "bar"}, {"color", kFirst}, {"stroke", kFirst}, {"strokeWidth", 1}};
  std::size_t series = 1;
  if (!chart.series.empty()) {
    Json by = spec::by_series(table, chart.series);
    series = std::max<std::size_t>(by["scale"]["domain"].size(), 1);
    encoding["yOffset"] = by;
    // Of two the first is pale and the second full: told apart without colour, too.
    if (series == 2) by = spec::with_range(by, {"#cfe3f0", kFirst});
    encoding["color"] = by;
    mark.erase("color");
    if (series != 2) mark.erase("stroke");
  }
  Json label = encoding;
  label.erase("color");
  label["text"] = quantitative(chart.value.column);
  label["text"]["format"] = ".3~g";
  const Json layers = {{{"mark", mark}, {"encoding", encoding}},
                       {{"mark", {{"type", "text"}, {"align", "left"}, {"dx", 4}, {"baseline", "middle"}}},
                        {"encoding", label}}};
  const auto categories = spec::distinct(table, spec::column(chart.words, table, chart.category)).size();
  return spec::figure(chart.words, table, layers, static_cast<int>(categories * (series * 18 + 8)) + 10, "");
}

Figure intervals(const IntervalsChart& chart) {
  const Table& table = chart.table;
  check_columns(chart.words, table,
                {chart.row, chart.value.column, chart.lower, chart.upper, chart.published, chart.panel});
  check_both(chart.words, chart.lower, chart.upper);
  const Json y = spec::in_lines(table, spec::places(table, chart.row, ""), chart.row);
  const Json place = {{"y", y}, {"tooltip", spec::tooltip(table)}};
  const bool two = !chart.published.empty();
  Json layers = Json::array();
  Json dot = place;
  dot["x"] = spec::numbers(table, chart.value, chart.panel.empty() ? 8 : 4);
  if (!chart.lower.empty()) {
    Json encoding = place;
    encoding["x"] = quantitative(chart.lower);
    encoding["x"]["title"] = spec::title(chart.value);
    encoding["x2"] = {{"field", spec::field(chart.upper)}};
    layers.push_back(
        {{"mark", {{"type", "rule"}, {"stroke", kFirst}, {"strokeWidth", 2}}}, {"encoding", encoding}});
  }
  Json mark = {{"type", "point"}, {"filled", true}, {"size", 60}, {"opacity", 1}};
  mark["color"] = kFirst;
  layers.push_back({{"mark", mark}, {"encoding", dot}});
  if (two) layers.push_back(open_marks(place, "x", chart.published, {{"value", kSecond}}));
  spec::add_references(chart.upright, "x", layers);
  const auto rows = spec::distinct(table, spec::column(chart.words, table, chart.row)).size();
  const int height = static_cast<int>(rows) * (y.contains("axis") ? 34 : 20) + 10;
  Words words = chart.words;
  if (two)
    words.caption += fmt::format("{}Dots: {}. Open diamonds: {}.", words.caption.empty() ? "" : " ",
                                 chart.dots, chart.diamonds);
  return spec::figure(words, table, layers, height, chart.panel);
}

Figure spans(const SpansChart& chart) {
  const Table& table = chart.table;
  check_columns(chart.words, table, {chart.row, chart.from, chart.to, chart.kind});
  const Json by = spec::by_series(table, chart.kind);
  const auto kinds = std::max<std::size_t>(by["scale"]["domain"].size(), 1);
  Json thickness = Json::array();
  for (std::size_t i = 0; i < kinds; ++i) thickness.push_back(std::max(21 - 8 * static_cast<int>(i), 3));
  const Json y = spec::places(table, chart.row, "");
  const Axis axis{chart.from, chart.from_title};
  Json x = spec::numbers(table, axis);
  x["scale"] = {{"nice", false}, {"zero", false}};
  Json layers = {{{"mark", {{"type", "rule"}, {"strokeCap", "butt"}, {"opacity", 1}}},
                  {"encoding",
                   {{"y", y},
                    {"x", x},
                    {"x2", {{"field", spec::field(chart.to)}}},
                    {"color", by},
                    {"strokeWidth", spec::by_rank(by, thickness)},
                    {"tooltip", spec::tooltip(table)}}}}};
  if (!chart.events.rows.empty()) {
    check_columns(chart.words, chart.events, {chart.row, chart.from, "what"});
    layers.push_back(
        {{"data", {{"name", chart.words.id + "-events"}}},
         {"mark",
          {{"type", "point"},
           {"shape", "triangle-down"},
           {"filled", true},
           {"size", 70},
           {"yOffset", -18},
           {"color", "#000000"},
           {"opacity", 1}}},
         {"encoding",
          {{"y", y}, {"x", quantitative(chart.from)}, {"tooltip", spec::tooltip(chart.events)}}}});
  }
  const auto rows = spec::distinct(table, spec::column(chart.words, table, chart.row)).size();
  Figure made = spec::figure(chart.words, table, layers, static_cast<int>(rows * 52), "");
  if (!chart.events.rows.empty()) made.data.push_back({chart.words.id + "-events", chart.events});
  return made;
}

}  // namespace mindgap::report
