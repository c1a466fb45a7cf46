#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/report/plot.h"

namespace mindgap::report {
namespace {

constexpr std::size_t kMostPoints = 30;  // of a line that shows its points
constexpr double kGap = 22;              // between panels

struct LinePoint {
  double x = 0, y = 0;
  std::optional<double> lower, upper, published;
  const std::vector<std::string>* row = nullptr;
};

/// The table of a chart of lines, sorted out.
class LinePlot {
 public:
  explicit LinePlot(const LinesChart& chart);
  Drawing draw(double width) const;

 private:
  std::vector<LinePoint> points_of(const std::string& series, const std::string& panel) const;
  void draw_panel(const std::string& panel, const Box& box, Svg& svg) const;
  void draw_series(std::size_t index, const std::vector<LinePoint>& points, const Scale& x, const Scale& y,
                   Svg& svg) const;
  void draw_references(const Box& box, const Scale& x, const Scale& y, Svg& svg) const;
  std::vector<Entry> entries() const;

  const LinesChart& chart_;
  std::vector<std::string> series_, panels_;
  Ruler x_, y_;
  bool points_ = false;
};

LinePlot::LinePlot(const LinesChart& chart) : chart_(chart), series_{""}, panels_{""} {
  const Table& table = chart.table;
  const std::vector<std::string> values = distinct(table, column(chart.words, table, chart.x.column));
  points_ = values.size() <= kMostPoints;
  if (!chart.series.empty()) series_ = distinct(table, column(chart.words, table, chart.series));
  if (!chart.panel.empty()) panels_ = distinct(table, column(chart.words, table, chart.panel));
  const int ticks = chart.panel.empty() ? 8 : 4;
  x_ = ruler(chart.x, extent(chart.words, table, {chart.x.column}), ticks, true);
  tick_values(chart.x, values, x_);
  Extent range = extent(chart.words, table, {chart.y.column, chart.lower, chart.upper, chart.published});
  for (const Reference& one : chart.across) {
    range.least = std::min(range.least, one.at);
    range.largest = std::max(range.largest, one.at);
  }
  y_ = ruler(chart.y, range, ticks - (ticks > 4 ? 2 : 0));
}

std::vector<LinePoint> LinePlot::points_of(const std::string& series, const std::string& panel) const {
  const Table& table = chart_.table;
  const auto at = [&](const std::string& name) {
    return name.empty() ? table.columns.size() : column(chart_.words, table, name);
  };
  const std::size_t x = at(chart_.x.column), y = at(chart_.y.column), lower = at(chart_.lower),
                    upper = at(chart_.upper), published = at(chart_.published), who = at(chart_.series),
                    where = at(chart_.panel);
  const auto cell = [&](const std::vector<std::string>& row, std::size_t c) {
    return c < row.size() ? number_in(row[c]) : std::nullopt;
  };
  std::vector<LinePoint> points;
  for (const auto& row : table.rows) {
    if ((who < row.size() && row[who] != series) || (where < row.size() && row[where] != panel)) continue;
    const std::optional<double> from = cell(row, x), value = cell(row, y);
    if (!from || (!value && !cell(row, published))) continue;
    points.push_back({*from, value.value_or(std::nan("")), cell(row, lower), cell(row, upper),
                      cell(row, published), &row});
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const LinePoint& a, const LinePoint& b) { return a.x < b.x; });
  return points;
}

void LinePlot::draw_series(std::size_t index, const std::vector<LinePoint>& points, const Scale& x,
                           const Scale& y, Svg& svg) const {
  const Colour& colour = series_colour(index);
  std::vector<Point> line;
  for (const LinePoint& point : points) {
    if (!std::isnan(point.y)) line.push_back({x(point.x), y(point.y)});
  }
  svg.polyline(line, {&colour, 2, dash(index)});
  for (const LinePoint& point : points) {
    const std::string note = points_ ? row_in_words(chart_.table, *point.row) : std::string();
    if (points_ && !std::isnan(point.y))
      svg.symbol(symbol_of(index), {x(point.x), y(point.y)}, 3.6, &colour, {}, note);
    if (point.published)
      svg.symbol(Symbol::diamond, {x(point.x), y(*point.published)}, 4.6, &kSurface,
                 {chart_.series.empty() ? &series_colour(1) : &colour, 1.5}, note);
  }
}

void LinePlot::draw_references(const Box& box, const Scale& x, const Scale& y, Svg& svg) const {
  const Stroke dashed{&kQuiet, 1.2, "4 3"};
  for (const Reference& one : chart_.across) {
    const double at = y(one.at);
    svg.line({box.left, at}, {box.right(), at}, dashed);
    svg.text({box.left + 4, at - 5}, shortened(one.label, box.width - 8),
             {.colour = &kQuiet, .rim = &kSurface});
  }
  for (const Reference& one : chart_.upright) {
    if (one.at < x_.scale.low || one.at > x_.scale.high) continue;
    const double at = x(one.at);
    svg.line({at, box.top}, {at, box.bottom()}, dashed);
    const bool left = text_width(one.label) > box.right() - at - 6;
    svg.text({at + (left ? -5 : 5), box.top + 11}, one.label,
             {.colour = &kQuiet, .anchor = left ? Anchor::end : Anchor::start, .rim = &kSurface});
  }
}

void LinePlot::draw_panel(const std::string& panel, const Box& box, Svg& svg) const {
  draw_y(y_, box, svg);
  draw_x(x_, box, svg);
  Scale x = x_.scale, y = y_.scale;
  x.from = box.left;
  x.to = box.right();
  y.from = box.bottom();
  y.to = box.top;
  std::vector<std::vector<LinePoint>> points;
  for (const std::string& series : series_) points.push_back(points_of(series, panel));
  for (std::size_t i = 0; i < points.size() && !chart_.lower.empty(); ++i) {
    std::vector<Point> outline, back;
    for (const LinePoint& point : points[i]) {
      if (!point.lower || !point.upper) continue;
      outline.push_back({x(point.x), y(*point.upper)});
      back.push_back({x(point.x), y(*point.lower)});
    }
    outline.insert(outline.end(), back.rbegin(), back.rend());
    svg.area(outline, series_colour(i), series_.size() > 4 ? .1 : .15);
  }
  for (std::size_t i = 0; i < points.size(); ++i) draw_series(i, points[i], x, y, svg);
  draw_references(box, x, y, svg);
}

std::vector<Entry> LinePlot::entries() const {
  std::vector<Entry> made;
  if (chart_.series.empty()) return made;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    made.push_back({series_[i], [i, points = points_](Point at, Svg& svg) {
                      svg.line({at.x - 13, at.y}, {at.x + 13, at.y}, {&series_colour(i), 2, dash(i)});
                      if (points) svg.symbol(symbol_of(i), at, 3.6, &series_colour(i));
                    }});
  }
  return made;
}

Drawing LinePlot::draw(double width) const {
  Svg svg;
  double top = draw_legend(entries(), 0, width, svg);
  top += draw_heading(y_.title, {0, top}, width, false, svg);
  const double margin = label_width(y_.labels) + 10;
  std::size_t longest = 0;
  for (const std::string& name : panels_) longest = std::max(longest, name.size());
  const double least = std::clamp(40.0 + 7 * static_cast<double>(longest), 160.0, 260.0);
  const bool single = chart_.panel.empty();
  const Panels layout =
      single ? Panels{1, width} : panels(panels_.size(), width, std::min(width, least), kGap);
  const double height = std::min<double>(chart_.height, single ? width * .75 : 1e9), heading = 22, below = 40;
  double bottom = top;
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const std::size_t down = i / layout.columns, across = i % layout.columns;
    const double left = static_cast<double>(across) * (layout.width + kGap);
    double y = top + static_cast<double>(down) * (height + below + (single ? 0 : heading + 8));
    if (!single) {
      svg.text({left + margin, y + 12}, shortened(panels_[i], layout.width - margin), {.bold = true});
      y += heading;
    }
    const Box box{left + margin, y + 6, layout.width - margin - last_half(x_), height};
    draw_panel(panels_[i], box, svg);
    bottom = std::max(bottom, box.bottom() + below);
  }
  return std::move(svg).finish(width, bottom);
}

}  // namespace

Figure lines(const LinesChart& chart) {
  check_columns(
      chart.words, chart.table,
      {chart.x.column, chart.y.column, chart.series, chart.lower, chart.upper, chart.published, chart.panel});
  if (chart.lower.empty() != chart.upper.empty())
    throw InvalidArgument(fmt::format("chart '{}': an interval needs both of its ends", chart.words.id));
  if (!has_number(chart.words, chart.table, chart.x.column) ||
      !has_number(chart.words, chart.table, chart.y.column))
    return nothing_yet(chart.words, chart.table);
  const LinePlot plot(chart);
  return figure_of(chart.words, chart.table, [&](double width) { return plot.draw(width); });
}

}  // namespace mindgap::report
