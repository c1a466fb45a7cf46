#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mindgap/base/error.h"
#include "mindgap/report/plot.h"

namespace mindgap::report {
namespace {

constexpr std::size_t kMostNamed = 600;  // squares that say what they are when one rests on them
constexpr double kLargestSquare = 92, kHighestMap = 640, kNameSize = 10;

double number_of(const Words& words, const std::string& name, const std::string& cell) {
  const std::optional<double> value = number_in(cell);
  if (!value)
    throw InvalidArgument(fmt::format("chart '{}': column '{}' is '{}', but must be a number", words.id, name,
                                      base::printable(cell)));
  return *value;
}

/// Smallest distance between two places, but no less than a fortieth of the whole.
double step_of(const std::set<double>& places) {
  if (places.size() < 2) return 1;
  const double whole = *places.rbegin() - *places.begin();
  double step = whole;
  for (auto next = std::next(places.begin()); next != places.end(); ++next)
    step = std::min(step, *next - *std::prev(next));
  return std::max(step, whole / 40);
}

/// The beginning that all names share, up to where a number or a new word begins.
std::string shared_beginning(const std::vector<std::string>& names) {
  if (names.size() < 2) return {};
  std::string shared = names.front();
  for (const std::string& name : names) {
    std::size_t same = 0;
    while (same < shared.size() && same < name.size() && shared[same] == name[same]) ++same;
    shared.resize(same);
  }
  const auto separates = [](char c) { return c == '-' || c == '_' || c == ' ' || c == ':' || c == '/'; };
  while (!shared.empty() && !separates(shared.back())) shared.pop_back();
  return shared;
}

struct Square {
  double x = 0, y = 0;
  std::size_t level = 0;
  std::string name, label, note;
};

struct Way {
  std::string name;
  std::vector<Point> places;  // in the numbers of the map, without standing still
};

class MapPlot {
 public:
  explicit MapPlot(const MapChart& chart);
  Drawing draw(double width) const;
  Table moves() const;

 private:
  struct Layout;
  void read_states();
  void read_ways();
  double draw_key(double width, Svg& svg) const;
  void draw_squares(const Layout& on, Svg& svg) const;
  void draw_way(std::size_t index, Point start, const Layout& on, Svg& svg) const;
  std::string draw_names(const Layout& on, Svg& svg) const;
  std::vector<Point> starts(const Layout& on) const;

  const MapChart& chart_;
  std::vector<Square> squares_;
  std::vector<Way> ways_;
  Extent range_, x_, y_;
  double step_x_ = 1, step_y_ = 1;
};

/// Where the squares of one drawing are.
struct MapPlot::Layout {
  const MapPlot& map;
  double top = 0, side = 0;
  Point corner(double x, double y) const {
    const double down = map.chart_.first_above ? y - map.y_.least : map.y_.largest - y;
    return {side * (x - map.x_.least) / map.step_x_, top + side * down / map.step_y_};
  }
  /// In the square, below its name, beside the other ways.
  Point on_way(Point place, std::size_t way) const {
    const auto ways = static_cast<double>(map.ways_.size());
    const double apart = std::min(.16, .62 / std::max(ways, 1.0));
    const double aside = apart * (static_cast<double>(way) - .5 * (ways - 1));
    const Point at = corner(place.x, place.y);
    return {at.x + side * (.5 + aside), at.y + side * (.57 + aside)};
  }
};

MapPlot::MapPlot(const MapChart& chart) : chart_(chart) {
  read_states();
  if (!chart.routes.rows.empty()) read_ways();
}

void MapPlot::read_states() {
  const Table& table = chart_.states;
  const std::size_t name = column(chart_.words, table, chart_.name),
                    value = column(chart_.words, table, chart_.value),
                    x = column(chart_.words, table, chart_.x), y = column(chart_.words, table, chart_.y);
  range_ = extent(chart_.words, table, {chart_.value});
  std::set<double> all_x, all_y;
  for (const auto& row : table.rows) {
    Square square{number_of(chart_.words, chart_.x, row[x]), number_of(chart_.words, chart_.y, row[y])};
    square.level = shade_level(number_in(row[value]).value_or(0), range_);
    square.name = row[name];
    if (!chart_.label.empty()) square.label = row[column(chart_.words, table, chart_.label)];
    if (table.rows.size() <= kMostNamed) square.note = row_in_words(table, row);
    all_x.insert(square.x);
    all_y.insert(square.y);
    squares_.push_back(std::move(square));
  }
  x_ = {*all_x.begin(), *all_x.rbegin()};
  y_ = {*all_y.begin(), *all_y.rbegin()};
  step_x_ = step_of(all_x);
  step_y_ = step_of(all_y);
}

void MapPlot::read_ways() {
  const Table& table = chart_.routes;
  const std::size_t route = column(chart_.words, table, "route"), x = column(chart_.words, table, chart_.x),
                    y = column(chart_.words, table, chart_.y);
  for (const std::string& name : distinct(table, route)) ways_.push_back({name, {}});
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < ways_.size(); ++i) index[ways_[i].name] = i;
  for (const auto& row : table.rows) {
    if (row[route].empty()) continue;
    std::vector<Point>& places = ways_[index[row[route]]].places;
    const Point next{number_of(chart_.words, chart_.x, row[x]), number_of(chart_.words, chart_.y, row[y])};
    if (places.empty() || places.back().x != next.x || places.back().y != next.y) places.push_back(next);
  }
}

Table MapPlot::moves() const {
  Table table{"Routes", {"route", "move", chart_.x, chart_.y}, {}};
  for (const Way& way : ways_) {
    for (std::size_t i = 0; i < way.places.size(); ++i)
      table.rows.push_back({way.name, std::to_string(i), fmt::format("{:.6g}", way.places[i].x),
                            fmt::format("{:.6g}", way.places[i].y)});
  }
  return table;
}

double MapPlot::draw_key(double width, Svg& svg) const {
  const double top =
      draw_shades(chart_.value_title.empty() ? chart_.value : chart_.value_title, range_, 0, width, svg);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    entries.push_back({ways_[i].name, [i](Point at, Svg& to) {
                         to.line({at.x - 13, at.y}, {at.x + 13, at.y}, {&route_colour(i), 2.2, dash(i)});
                         to.circle(at, 7, &kSurface, {&route_colour(i), 1.6});
                         to.text({at.x, at.y + 3.4}, std::to_string(i + 1),
                                 {.anchor = Anchor::middle, .size = 9, .bold = true});
                       }});
  }
  return top + draw_legend(entries, top, width, svg);
}

void MapPlot::draw_squares(const Layout& on, Svg& svg) const {
  if (squares_.size() <= kMostNamed) {
    for (const Square& square : squares_) {
      const Point at = on.corner(square.x, square.y);
      svg.rect({at.x + .5, at.y + .5}, on.side - 1, on.side - 1, &shade(square.level), {&kGrid}, square.note);
    }
    return;
  }
  std::vector<std::vector<Point>> by_level(kShades);
  for (const Square& square : squares_) by_level[square.level].push_back(on.corner(square.x, square.y));
  for (std::size_t i = 0; i < kShades; ++i) svg.squares(by_level[i], on.side, on.side, shade(i));
}

// Ways that begin in one square begin beside each other.
std::vector<Point> MapPlot::starts(const Layout& on) const {
  std::map<std::pair<double, double>, std::vector<std::size_t>> from;
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (!ways_[i].places.empty()) from[{ways_[i].places[0].x, ways_[i].places[0].y}].push_back(i);
  }
  std::vector<Point> at(ways_.size());
  for (const auto& [place, members] : from) {
    const auto count = static_cast<double>(members.size());
    const double columns = std::ceil(std::sqrt(count * 1.3)), rows = std::ceil(count / columns);
    const Point corner = on.corner(place.first, place.second);
    for (std::size_t k = 0; k < members.size(); ++k) {
      const auto order = static_cast<double>(k);
      const double column = std::fmod(order, columns), row = std::floor(order / columns);
      at[members[k]] = {corner.x + on.side * (column + .5) / columns,
                        corner.y + on.side * (.22 + .76 * (row + .5) / rows)};
    }
  }
  return at;
}

void MapPlot::draw_way(std::size_t index, Point start, const Layout& on, Svg& svg) const {
  const Way& way = ways_[index];
  if (way.places.empty()) return;
  std::vector<Point> line{start};
  for (std::size_t i = 1; i < way.places.size(); ++i) line.push_back(on.on_way(way.places[i], index));
  const Colour& colour = route_colour(index);
  svg.polyline(line, {&kSurface, 5});
  svg.polyline(line, {&colour, 2.2, dash(index)});
  for (std::size_t i = 1; i < line.size(); ++i) {
    const double dx = line[i].x - line[i - 1].x, dy = line[i].y - line[i - 1].y;
    const Point middle{line[i - 1].x + .55 * dx, line[i - 1].y + .55 * dy};
    svg.arrow(middle, dx, dy, on.side < 50 ? 4 : 6, colour);
  }
}

std::string MapPlot::draw_names(const Layout& on, Svg& svg) const {
  if (on.side < 24) return {};
  const double room = on.side - 6;
  std::vector<std::string> names;
  for (const Square& square : squares_) names.push_back(square.name);
  std::string shared;
  if (label_width(names, kNameSize) > room) shared = shared_beginning(names);
  for (const Square& square : squares_) {
    const Point at = on.corner(square.x, square.y);
    const TextStyle style{.colour = &ink_on_shade(square.level),
                          .size = kNameSize,
                          .rim = ways_.empty() ? nullptr : &shade(square.level)};
    svg.text({at.x + 4, at.y + 12}, shortened(square.name.substr(shared.size()), room, kNameSize), style);
    if (square.label.empty()) continue;
    TextStyle bold = style;
    bold.bold = true;
    bold.size = kTextSize;
    bold.anchor = Anchor::end;
    svg.text({at.x + on.side - 4, at.y + on.side - 5}, shortened(square.label, room), bold);
  }
  return shared;
}

Drawing MapPlot::draw(double width) const {
  Svg svg;
  const double across = 1 + (x_.largest - x_.least) / step_x_, down = 1 + (y_.largest - y_.least) / step_y_;
  Layout on{*this, draw_key(width, svg) + 2,
            std::max(1.0, std::min({kLargestSquare, width / across, kHighestMap / down}))};
  draw_squares(on, svg);
  const std::vector<Point> start = starts(on);
  for (std::size_t i = 0; i < ways_.size(); ++i) draw_way(i, start[i], on, svg);
  const std::string shared = draw_names(on, svg);
  const bool numbers = on.side >= 56;
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (ways_[i].places.empty()) continue;
    svg.circle(start[i], numbers ? 7 : 3.5, &kSurface, {&route_colour(i), 1.8});
    if (numbers)
      svg.text({start[i].x, start[i].y + 3.4}, std::to_string(i + 1),
               {.anchor = Anchor::middle, .size = 9, .bold = true});
  }
  double bottom = on.top + on.side * down + 4;
  if (!shared.empty()) {
    const std::string note = fmt::format("Names are without their common beginning \"{}\".", shared);
    svg.text({0, bottom + 13}, shortened(note, width, 11), {.colour = &kQuiet, .size = 11});
    bottom += 20;
  }
  return std::move(svg).finish(width, bottom);
}

}  // namespace

Figure map(const MapChart& chart) {
  for (const std::string& name : {chart.name, chart.x, chart.y, chart.value})
    column(chart.words, chart.states, name);
  check_columns(chart.words, chart.states, {chart.label});
  const MapPlot plot(chart);
  Figure made = figure_of(chart.words, chart.states, [&](double width) { return plot.draw(width); });
  if (!chart.routes.rows.empty()) made.data.push_back({chart.words.id + "-routes", plot.moves()});
  return made;
}

}  // namespace mindgap::report
