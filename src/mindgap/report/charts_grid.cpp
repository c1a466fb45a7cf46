#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "mindgap/base/error.h"
#include "mindgap/report/charts.h"
#include "mindgap/report/figure_json.h"
#include "mindgap/report/spec.h"

namespace mindgap::report {
namespace {

using spec::Json;

constexpr const char* kLetter = "letter";

/// The shortest beginnings by which the kinds differ: D, L, E; "so" and "se" for sop and sep.
std::map<std::string, std::string> letters_of(const std::vector<std::string>& kinds) {
  std::map<std::string, std::string> letters;
  for (const std::string& kind : kinds) {
    std::size_t length = 1;
    const auto shared = [&](const std::string& other) {
      return other != kind && other.compare(0, length, kind, 0, length) == 0;
    };
    while (length < kind.size() && std::any_of(kinds.begin(), kinds.end(), shared)) ++length;
    while (length < kind.size() && (kind[length] & 0xc0) == 0x80) ++length;  // whole characters
    letters[kind] = kind.substr(0, length);
    if (letters[kind][0] >= 'a' && letters[kind][0] <= 'z') letters[kind][0] += 'A' - 'a';
  }
  return letters;
}

/// The colours of answers where every kind is one of theirs, else the page's.
Json colours_of(const std::vector<std::string>& kinds) {
  static const std::map<std::string, std::string> answers = {
      {"deploy", "#009E73"}, {"learn", "#0072B2"}, {"experiment", "#D55E00"}, {"undecided", "#9aa3ad"}};
  Json colours = Json::array();
  for (const std::string& kind : kinds) {
    const auto found = answers.find(kind);
    if (found == answers.end()) return nullptr;
    colours.push_back(found->second);
  }
  return colours;
}

bool is_categorical(const Table& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return !row[column].empty() && !number_in(row[column]); });
}

Json shade(const std::string& value, const std::string& title) {
  return {{"field", spec::field(value)},
          {"type", "quantitative"},
          {"scale", {{"scheme", "blues"}, {"zero", true}}},
          {"legend", {{"title", title.empty() ? value : title}, {"gradientLength", 160}}}};
}

/// Dark text on light cells and light on dark.
Json text_colour(const Words& words, const Table& table, const std::string& value) {
  const spec::Extent range = spec::extent(words, table, value);
  const double low = std::min(range.least, 0.0), high = std::max(range.largest, 0.0);
  return {
      {"condition",
       {{"test", {{"field", spec::field(value)}, {"gt", low + .6 * (high - low)}}}, {"value", "#ffffff"}}},
      {"value", "#1b1f24"}};
}

Json place(const HeatChart& chart, const Axis& axis, bool reverse) {
  Json encoding = spec::places(chart.table, axis.column, spec::title(axis));
  encoding["type"] = "ordinal";
  encoding["axis"] = {{"labelAngle", 0}};
  if (reverse) std::reverse(encoding["sort"].begin(), encoding["sort"].end());
  return encoding;
}

Json from_to(const HeatChart& chart, const Axis& axis) {
  Json encoding = spec::numbers(chart.table, axis);
  encoding["scale"]["nice"] = false;
  return encoding;
}

Json text_layer(const Json& where, const std::string& column, const Json& colour) {
  Json encoding = where;
  for (const char* key : {"x2", "y2"}) encoding.erase(key);
  encoding["text"] = {{"field", spec::field(column)}, {"type", "nominal"}};
  encoding["color"] = colour;
  return {{"mark", {{"type", "text"}, {"baseline", "middle"}, {"tooltip", nullptr}}}, {"encoding", encoding}};
}

/// Smallest distance between two places, but no less than a fortieth of the whole.
double step_of(const Words& words, const Table& table, const std::string& column) {
  std::set<double> places;
  const std::size_t at = spec::column(words, table, column);
  for (const auto& row : table.rows) {
    const std::optional<double> value = number_in(row[at]);
    if (!value)
      throw InvalidArgument(fmt::format("chart '{}': column '{}' is '{}', but must be a number", words.id,
                                        column, base::printable(row[at])));
    places.insert(*value);
  }
  if (places.size() < 2) return 1;
  const double whole = *places.rbegin() - *places.begin();
  double step = whole;
  for (auto next = std::next(places.begin()); next != places.end(); ++next)
    step = std::min(step, *next - *std::prev(next));
  return std::max(step, whole / 40);
}

struct Route {
  std::string name;
  std::vector<std::pair<double, double>> places;  // without standing still
};

std::vector<Route> routes_of(const MapChart& chart, double step_x, double step_y) {
  const std::size_t route = spec::column(chart.words, chart.routes, "route"),
                    x = spec::column(chart.words, chart.routes, chart.x),
                    y = spec::column(chart.words, chart.routes, chart.y);
  const std::vector<std::string> names = spec::distinct(chart.routes, route);
  const double apart = std::min(.16, .7 / static_cast<double>(std::max<std::size_t>(names.size(), 1)));
  std::vector<Route> routes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    // Beside each other where they share their way.
    const double aside = apart * (static_cast<double>(i) - .5 * static_cast<double>(names.size() - 1));
    Route one{names[i], {}};
    for (const auto& row : chart.routes.rows) {
      if (row[route] != names[i]) continue;
      const std::optional<double> at_x = number_in(row[x]), at_y = number_in(row[y]);
      if (!at_x || !at_y)
        throw InvalidArgument(fmt::format("chart '{}': route '{}' has a place without numbers",
                                          chart.words.id, base::printable(names[i])));
      const std::pair<double, double> next(*at_x + aside * step_x, *at_y + aside * step_y);
      if (one.places.empty() || one.places.back() != next) one.places.push_back(next);
    }
    routes.push_back(std::move(one));
  }
  return routes;
}

Table route_table(const std::vector<Route>& routes) {
  Table table{"Routes", {"route", "move", "x", "y"}, {}};
  for (const Route& route : routes) {
    for (std::size_t i = 0; i < route.places.size(); ++i) {
      const auto& [x, y] = route.places[i];
      table.rows.push_back(
          {route.name, std::to_string(i), fmt::format("{:.4g}", x), fmt::format("{:.4g}", y)});
    }
  }
  return table;
}

/// In the middle of each move, in degrees clockwise from up.
Table head_table(const std::vector<Route>& routes, bool first_above) {
  Table table{"Directions", {"route", "x", "y", "angle"}, {}};
  for (const Route& route : routes) {
    for (std::size_t i = 1; i < route.places.size(); ++i) {
      const auto& [x0, y0] = route.places[i - 1];
      const auto& [x1, y1] = route.places[i];
      const double up = first_above ? y0 - y1 : y1 - y0;
      const double angle = std::atan2(x1 - x0, up) * 180 / std::numbers::pi;
      table.rows.push_back({route.name, fmt::format("{:.4g}", x0 + .55 * (x1 - x0)),
                            fmt::format("{:.4g}", y0 + .55 * (y1 - y0)), fmt::format("{:.4g}", angle)});
    }
  }
  return table;
}

Json plain(const char* column) {
  return {{"field", column}, {"type", "quantitative"}};
}

void add_routes(const MapChart& chart, const std::vector<Route>& routes, Figure& figure, Json& layers) {
  const Table moves = route_table(routes), heads = head_table(routes, chart.first_above);
  const std::string id = chart.words.id;
  Json by = spec::by_series(moves, "route");
  const Json colours = {"#D55E00", "#000000", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"};
  by = spec::with_range(by, colours);
  Json line = {{"x", plain("x")}, {"y", plain("y")}, {"order", plain("move")}, {"color", by}};
  line["strokeDash"] = spec::with_range(by, spec::dashes(routes.size()));
  layers.push_back({{"data", {{"name", id + "-routes"}}},
                    {"mark", {{"type", "line"}, {"strokeWidth", 2}, {"tooltip", nullptr}}},
                    {"encoding", line}});
  layers.push_back(
      {{"data", {{"name", id + "-directions"}}},
       {"mark", {{"type", "point"}, {"shape", "triangle"}, {"filled", true}, {"size", 45}, {"opacity", 1}}},
       {"encoding",
        {{"x", plain("x")},
         {"y", plain("y")},
         {"angle", {{"field", "angle"}, {"type", "quantitative"}, {"scale", nullptr}}},
         {"color", by}}}});
  layers.back()["encoding"]["color"]["legend"] = nullptr;
  layers.push_back(
      {{"data", {{"name", id + "-routes"}}},
       {"transform", {{{"filter", "datum.move == 0"}}}},
       {"mark", {{"type", "point"}, {"filled", true}, {"fill", "#ffffff"}, {"size", 70}, {"opacity", 1}}},
       {"encoding", {{"x", plain("x")}, {"y", plain("y")}, {"stroke", by}}}});
  layers.back()["encoding"]["stroke"]["legend"] = nullptr;
  figure.data.push_back({id + "-routes", moves});
  figure.data.push_back({id + "-directions", heads});
}

}  // namespace

Figure heat(const HeatChart& chart) {
  const Table& table = chart.table;
  for (const std::string& name : {chart.x.column, chart.y.column, chart.value})
    spec::column(chart.words, table, name);
  for (const std::string& name : {chart.label, chart.panel, chart.x_to, chart.y_to}) {
    if (!name.empty()) spec::column(chart.words, table, name);
  }
  if (chart.x_to.empty() != chart.y_to.empty())
    throw InvalidArgument(fmt::format("chart '{}': cells of any size need both ends", chart.words.id));
  const bool any_size = !chart.x_to.empty();
  Json where;
  if (any_size) {
    where = {{"x", from_to(chart, chart.x)},
             {"x2", {{"field", spec::field(chart.x_to)}}},
             {"y", from_to(chart, chart.y)},
             {"y2", {{"field", spec::field(chart.y_to)}}}};
    where["x"]["bandPosition"] = 0;
  } else {
    where = {{"x", place(chart, chart.x, false)}, {"y", place(chart, chart.y, chart.first_below)}};
  }
  Table shown = table;
  const std::size_t value = spec::column(chart.words, table, chart.value);
  const bool categorical = is_categorical(table, value);
  Json cells = where;
  cells["tooltip"] = spec::tooltip(table);
  Json mark = {{"type", "rect"}, {"stroke", "#ffffff"}, {"strokeWidth", 1}};
  std::string label = chart.label;
  Json ink = {{"value", "#1b1f24"}};
  if (categorical) {
    const std::vector<std::string> kinds = spec::distinct(table, value);
    cells["color"] = spec::by_series(table, chart.value);
    if (const Json colours = colours_of(kinds); !colours.is_null())
      cells["color"] = spec::with_range(cells["color"], colours);
    mark["fillOpacity"] = .5;
    if (label.empty()) {
      const std::map<std::string, std::string> letters = letters_of(kinds);
      shown.columns.push_back(kLetter);
      for (auto& row : shown.rows) row.push_back(row[value].empty() ? "" : letters.at(row[value]));
      label = kLetter;
    }
  } else {
    cells["color"] = shade(chart.value, chart.value_title);
    ink = text_colour(chart.words, table, chart.value);
  }
  Json layers = Json::array({{{"mark", mark}, {"encoding", cells}}});
  if (!label.empty() && !any_size) layers.push_back(text_layer(where, label, ink));
  if (!label.empty() && any_size) {
    Json text = text_layer(where, label, ink);
    // In the middle of its cell.
    const auto middle = [](const std::string& from, const std::string& to, bool log) {
      const std::string a = "datum[" + Json(from).dump() + "]", b = "datum[" + Json(to).dump() + "]";
      return log ? fmt::format("sqrt({} * {})", a, b) : fmt::format("({} + {}) / 2", a, b);
    };
    text["transform"] = {
        {{"calculate", middle(chart.x.column, chart.x_to, chart.x.log)}, {"as", "x middle"}},
        {{"calculate", middle(chart.y.column, chart.y_to, chart.y.log)}, {"as", "y middle"}}};
    text["encoding"]["x"] = {
        {"field", "x middle"}, {"type", "quantitative"}, {"title", spec::title(chart.x)}};
    text["encoding"]["y"] = {
        {"field", "y middle"}, {"type", "quantitative"}, {"title", spec::title(chart.y)}};
    layers.push_back(text);
  }
  const std::size_t rows = spec::distinct(table, spec::column(chart.words, table, chart.y.column)).size();
  const int height = any_size ? 320 : static_cast<int>(rows) * chart.cell_height;
  Figure made = spec::figure(chart.words, shown, layers, height, chart.panel);
  if (!chart.square || any_size) return made;
  Json whole = Json::parse(made.spec);
  whole["usermeta"]["panel"] = 150;
  whole["usermeta"]["square"] = {
      {"x", spec::distinct(table, spec::column(chart.words, table, chart.x.column)).size()}, {"y", rows}};
  made.spec = whole.dump();
  return made;
}

Figure map(const MapChart& chart) {
  const Table& table = chart.states;
  for (const std::string& name : {chart.name, chart.x, chart.y, chart.value})
    spec::column(chart.words, table, name);
  if (!chart.label.empty()) spec::column(chart.words, table, chart.label);
  const double step_x = step_of(chart.words, table, chart.x), step_y = step_of(chart.words, table, chart.y);
  const auto axis = [&](const std::string& column, double step, bool reverse) {
    const spec::Extent range = spec::extent(chart.words, table, column);
    return Json{{"field", "from " + column},
                {"type", "quantitative"},
                {"title", nullptr},
                {"axis", nullptr},
                {"scale",
                 {{"domain", {range.least - step / 2, range.largest + step / 2}},
                  {"nice", false},
                  {"zero", false},
                  {"reverse", reverse}}}};
  };
  const auto shifted = [](const std::string& column, double by, const char* name) {
    return Json{{"calculate", fmt::format("datum[{}] + {}", Json(column).dump(), by)}, {"as", name}};
  };
  Json x = axis(chart.x, step_x, false), y = axis(chart.y, step_y, chart.first_above);
  x["field"] = "left edge";
  y["field"] = "near edge";
  Json squares = {{"x", x},
                  {"x2", {{"field", "right edge"}}},
                  {"y", y},
                  {"y2", {{"field", "far edge"}}},
                  {"color", shade(chart.value, chart.value_title)},
                  {"tooltip", spec::tooltip(table)}};
  Json layers =
      Json::array({{{"transform",
                     {shifted(chart.x, -step_x / 2, "left edge"), shifted(chart.x, step_x / 2, "right edge"),
                      shifted(chart.y, -step_y / 2, "near edge"), shifted(chart.y, step_y / 2, "far edge")}},
                    {"mark", {{"type", "rect"}, {"stroke", "#ffffff"}, {"strokeWidth", 1}}},
                    {"encoding", squares}}});
  if (!chart.label.empty()) {
    const Json where = {{"x", {{"field", spec::field(chart.x)}, {"type", "quantitative"}}},
                        {"y", {{"field", spec::field(chart.y)}, {"type", "quantitative"}}}};
    layers.push_back(text_layer(where, chart.label, text_colour(chart.words, table, chart.value)));
  }
  Figure made = spec::figure(chart.words, table, {}, 0, "");
  if (!chart.routes.rows.empty()) add_routes(chart, routes_of(chart, step_x, step_y), made, layers);
  Json whole = Json::parse(made.spec);
  whole["layer"] = layers;
  if (!chart.routes.rows.empty())
    whole["resolve"] = {{"legend", {{"color", "independent"}}}, {"scale", {{"color", "independent"}}}};
  const spec::Extent range_x = spec::extent(chart.words, table, chart.x),
                     range_y = spec::extent(chart.words, table, chart.y);
  whole["usermeta"]["square"] = {{"x", 1 + (range_x.largest - range_x.least) / step_x},
                                 {"y", 1 + (range_y.largest - range_y.least) / step_y}};
  made.spec = whole.dump();
  return made;
}

}  // namespace mindgap::report
