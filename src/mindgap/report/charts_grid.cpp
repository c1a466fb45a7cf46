#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mindgap/base/error.h"
#include "mindgap/report/charts.h"
#include "mindgap/report/figure_json.h"
#include "mindgap/report/spec.h"

namespace mindgap::report {
namespace {

using spec::Json;

constexpr const char* kLetter = "letter";

// A name as a string of Vega's expressions: ASCII, because their parser takes U+2028 and U+2029 for line
// ends.
std::string in_expression(const std::string& name) {
  return Json(name).dump(-1, ' ', true, Json::error_handler_t::replace);
}

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

Json plain(const char* column) {
  return {{"field", column}, {"type", "quantitative"}};
}

/// The middle of each move, and where it leads in degrees clockwise from up.
Json half_way(bool first_above) {
  const char* up = first_above ? "datum.y - datum.next_y" : "datum.next_y - datum.y";
  const auto next = [](const char* column, const char* name) {
    return Json{{"op", "lead"}, {"field", column}, {"as", name}};
  };
  const auto calculate = [](const std::string& formula, const char* name) {
    return Json{{"calculate", formula}, {"as", name}};
  };
  return Json::array({Json{{"window", Json::array({next("x", "next_x"), next("y", "next_y")})},
                           {"groupby", Json::array({"route"})},
                           {"sort", Json::array({Json{{"field", "move"}}})}},
                      Json{{"filter", "isNumber(datum.next_x)"}},
                      calculate("datum.x + .55 * (datum.next_x - datum.x)", "head x"),
                      calculate("datum.y + .55 * (datum.next_y - datum.y)", "head y"),
                      calculate(fmt::format("atan2(datum.next_x - datum.x, {}) * 180 / PI", up), "angle")});
}

void add_routes(const MapChart& chart, const std::vector<Route>& routes, Figure& figure, Json& layers) {
  const Table moves = route_table(routes);
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
      {{"data", {{"name", id + "-routes"}}},
       {"transform", half_way(chart.first_above)},
       {"mark", {{"type", "point"}, {"shape", "triangle"}, {"filled", true}, {"size", 45}, {"opacity", 1}}},
       {"encoding",
        {{"x", plain("head x")},
         {"y", plain("head y")},
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
}

void check_heat(const HeatChart& chart) {
  for (const std::string& name : {chart.x.column, chart.y.column, chart.value})
    spec::column(chart.words, chart.table, name);
  for (const std::string& name : {chart.label, chart.panel, chart.x_to, chart.y_to}) {
    if (!name.empty()) spec::column(chart.words, chart.table, name);
  }
  if (chart.x_to.empty() != chart.y_to.empty())
    throw InvalidArgument(fmt::format("chart '{}': cells of any size need both ends", chart.words.id));
}

Json places_of(const HeatChart& chart) {
  if (chart.x_to.empty())
    return {{"x", place(chart, chart.x, false)}, {"y", place(chart, chart.y, chart.first_below)}};
  return {{"x", from_to(chart, chart.x)},
          {"x2", {{"field", spec::field(chart.x_to)}}},
          {"y", from_to(chart, chart.y)},
          {"y2", {{"field", spec::field(chart.y_to)}}}};
}

/// Colours of the cells; categories get a column of letters where no other label is asked for.
struct Cells {
  Table table;
  std::string label;
  Json colour, ink;
  bool categorical = false;
};

Cells cells_of(const HeatChart& chart) {
  const std::size_t value = spec::column(chart.words, chart.table, chart.value);
  Cells cells{chart.table, chart.label, {}, {{"value", "#1b1f24"}}, is_categorical(chart.table, value)};
  if (!cells.categorical) {
    cells.colour = shade(chart.value, chart.value_title);
    cells.ink = text_colour(chart.words, chart.table, chart.value);
    return cells;
  }
  const std::vector<std::string> kinds = spec::distinct(chart.table, value);
  cells.colour = spec::by_series(chart.table, chart.value);
  if (const Json colours = colours_of(kinds); !colours.is_null())
    cells.colour = spec::with_range(cells.colour, colours);
  if (!cells.label.empty()) return cells;
  const std::map<std::string, std::string> letters = letters_of(kinds);
  cells.table.columns.push_back(kLetter);
  for (auto& row : cells.table.rows) row.push_back(row[value].empty() ? "" : letters.at(row[value]));
  cells.label = kLetter;
  return cells;
}

/// Text in the middle of cells of any size.
void put_in_the_middle(const HeatChart& chart, Json& text) {
  const auto middle = [](const Axis& axis, const std::string& to, const char* name) {
    const std::string a = "datum[" + in_expression(axis.column) + "]", b = "datum[" + in_expression(to) + "]";
    return Json{
        {"calculate", axis.log ? fmt::format("sqrt({} * {})", a, b) : fmt::format("({} + {}) / 2", a, b)},
        {"as", name}};
  };
  text["transform"] =
      Json::array({middle(chart.x, chart.x_to, "x middle"), middle(chart.y, chart.y_to, "y middle")});
  for (const auto& [channel, axis] : {std::pair("x", &chart.x), {"y", &chart.y}}) {
    text["encoding"][channel] = {
        {"field", std::string(channel) + " middle"}, {"type", "quantitative"}, {"title", spec::title(*axis)}};
  }
}

/// A square around each state, and the scales of both axes.
Json squares_of(const MapChart& chart, double step_x, double step_y) {
  const auto axis = [&](const std::string& column, double step, const char* field, bool reverse) {
    const spec::Extent range = spec::extent(chart.words, chart.states, column);
    const Json domain = {range.least - step / 2, range.largest + step / 2};
    return Json{{"field", field},
                {"type", "quantitative"},
                {"title", nullptr},
                {"axis", nullptr},
                {"scale", {{"domain", domain}, {"nice", false}, {"zero", false}, {"reverse", reverse}}}};
  };
  const auto shifted = [](const std::string& column, double by, const char* name) {
    return Json{{"calculate", fmt::format("datum[{}] + {}", in_expression(column), by)}, {"as", name}};
  };
  return {
      {"transform",
       Json::array({shifted(chart.x, -step_x / 2, "left edge"), shifted(chart.x, step_x / 2, "right edge"),
                    shifted(chart.y, -step_y / 2, "near edge"), shifted(chart.y, step_y / 2, "far edge")})},
      {"mark", {{"type", "rect"}, {"stroke", "#ffffff"}, {"strokeWidth", 1}}},
      {"encoding",
       {{"x", axis(chart.x, step_x, "left edge", false)},
        {"x2", {{"field", "right edge"}}},
        {"y", axis(chart.y, step_y, "near edge", chart.first_above)},
        {"y2", {{"field", "far edge"}}},
        {"color", shade(chart.value, chart.value_title)},
        {"tooltip", spec::tooltip(chart.states)}}}};
}

}  // namespace

Figure heat(const HeatChart& chart) {
  check_heat(chart);
  const bool any_size = !chart.x_to.empty();
  const Json where = places_of(chart);
  const Cells cells = cells_of(chart);
  Json encoding = where;
  encoding["tooltip"] = spec::tooltip(chart.table);
  encoding["color"] = cells.colour;
  Json mark = {{"type", "rect"}, {"stroke", "#ffffff"}, {"strokeWidth", 1}};
  if (cells.categorical) mark["fillOpacity"] = .5;  // dark letters are read on it
  Json layers = Json::array({Json{{"mark", mark}, {"encoding", encoding}}});
  if (!cells.label.empty()) {
    layers.push_back(text_layer(where, cells.label, cells.ink));
    if (any_size) put_in_the_middle(chart, layers.back());
  }
  const auto count = [&](const Axis& axis) {
    return spec::distinct(chart.table, spec::column(chart.words, chart.table, axis.column)).size();
  };
  const int height = any_size ? 320 : static_cast<int>(count(chart.y)) * chart.cell_height;
  Figure made = spec::figure(chart.words, cells.table, layers, height, chart.panel);
  if (!chart.square || any_size) return made;
  Json whole = Json::parse(made.spec);
  whole["usermeta"]["square"] = {{"x", count(chart.x)}, {"y", count(chart.y)}};
  made.spec = whole.dump();
  return made;
}

Figure map(const MapChart& chart) {
  const Table& table = chart.states;
  for (const std::string& name : {chart.name, chart.x, chart.y, chart.value})
    spec::column(chart.words, table, name);
  if (!chart.label.empty()) spec::column(chart.words, table, chart.label);
  const double step_x = step_of(chart.words, table, chart.x), step_y = step_of(chart.words, table, chart.y);
  const bool routes = !chart.routes.rows.empty();
  Json layers = Json::array({squares_of(chart, step_x, step_y)});
  if (!chart.label.empty()) {
    const Json where = {{"x", {{"field", spec::field(chart.x)}, {"type", "quantitative"}}},
                        {"y", {{"field", spec::field(chart.y)}, {"type", "quantitative"}}}};
    layers.push_back(text_layer(where, chart.label, text_colour(chart.words, table, chart.value)));
    if (routes) layers.back()["mark"].update({{"dx", 14}, {"dy", 14}});  // beside them
  }
  Figure made = spec::figure(chart.words, table, {}, 0, "");
  if (routes) add_routes(chart, routes_of(chart, step_x, step_y), made, layers);
  Json whole = Json::parse(made.spec);
  whole["layer"] = layers;
  if (routes)
    whole["resolve"] = {{"legend", {{"color", "independent"}}}, {"scale", {{"color", "independent"}}}};
  const auto across = [&](const std::string& column, double step) {
    const spec::Extent range = spec::extent(chart.words, table, column);
    return 1 + (range.largest - range.least) / step;
  };
  whole["usermeta"]["square"] = {{"x", across(chart.x, step_x)}, {"y", across(chart.y, step_y)}};
  made.spec = whole.dump();
  return made;
}

}  // namespace mindgap::report
