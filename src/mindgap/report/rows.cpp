#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/base/readable.h"
#include "mindgap/report/plot.h"

// Charts with a name per row: bars, intervals, spans.
namespace mindgap::report {
namespace {

constexpr double kPanelGap = 22;

/// Names of rows to the left of their marks, or above them where they are long and the page is narrow.
struct RowNames {
  std::vector<std::string> names;
  double room = 0;     // to the left
  bool above = false;  // each on a line of its own
  std::size_t lines = 1;
};

RowNames row_names(std::vector<std::string> names, double width) {
  const double longest = label_width(names) + 9;
  RowNames made{std::move(names), longest, false, 1};
  const double most = std::max(110.0, width * .36);
  if (longest <= most) return made;
  if (width < 500) {
    made.above = true;
    made.room = 6;  // for the first number of the axis
    return made;
  }
  made.room = most;
  for (const std::string& name : made.names)
    made.lines = std::max(made.lines, wrapped(name, most - 8, 2).size());
  return made;
}

/// What a row adds to its marks' height.
double extra_height(const RowNames& rows) {
  return rows.above ? 18 : 0;
}

/// The name of a row whose marks lie between top and top + height; returns where they begin.
double draw_name(const RowNames& rows, std::size_t index, double left, double top, double height,
                 double width, Svg& svg) {
  const std::string& name = rows.names[index];
  if (rows.above) {
    svg.text({left, top + 13}, shortened(name, width));
    return top + extra_height(rows);
  }
  const std::vector<std::string> lines = wrapped(name, rows.room - 8, rows.lines);
  double y = top + height / 2 + 4 - 7 * static_cast<double>(lines.size() - 1);
  for (const std::string& line : lines) {
    svg.text({left + rows.room - 8, y}, line, {.anchor = Anchor::end});
    y += 14;
  }
  return top;
}

std::size_t place_of(const Words& words, const Table& table, const std::string& name) {
  return name.empty() ? table.columns.size() : column(words, table, name);
}

std::optional<double> number_at(const std::vector<std::string>& row, std::size_t at) {
  return at < row.size() ? number_in(row[at]) : std::nullopt;
}

Drawing draw_bars(const BarsChart& chart, double width) {
  const Table& table = chart.table;
  const std::size_t category = column(chart.words, table, chart.category),
                    value = column(chart.words, table, chart.value.column),
                    who = place_of(chart.words, table, chart.series);
  const RowNames rows = row_names(distinct(table, category), width);
  const std::vector<std::string> series =
      chart.series.empty() ? std::vector<std::string>{""} : distinct(table, who);
  // Of two the first is pale with a rim and the second full: told apart without colour, too.
  const auto fill = [&](std::size_t i) -> const Colour& {
    return series.size() == 2 ? (i == 0 ? pale(0) : series_colour(0)) : series_colour(i);
  };
  const auto rim = [&](std::size_t i) { return Stroke{&series_colour(series.size() == 2 ? 0 : i)}; };
  Svg svg;
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < series.size() && !chart.series.empty(); ++i)
    entries.push_back({series[i], [&, i](Point at, Svg& to) {
                         to.rect({at.x - 13, at.y - 6}, 26, 12, &fill(i), rim(i));
                       }});
  const double top = draw_legend(entries, 0, width, svg);
  Axis axis = chart.value;
  axis.zero = true;
  Ruler ruled = ruler(axis, extent(chart.words, table, {axis.column}), width < 500 ? 4 : 6);
  const double bar = 16, each = bar * static_cast<double>(series.size()) + 10 + extra_height(rows);
  const double numbers = 50;  // beside the longest bar
  const double left = std::max(rows.room, first_half(ruled));
  const Box box{left, top + 4, width - left - numbers, each * static_cast<double>(rows.names.size())};
  const double below = draw_x(ruled, box, svg);
  Scale x = ruled.scale;
  x.from = box.left;
  x.to = box.right();
  std::vector<double> begin;
  for (std::size_t r = 0; r < rows.names.size(); ++r)
    begin.push_back(draw_name(rows, r, 0, box.top + each * static_cast<double>(r), each, width, svg) + 4);
  for (const auto& row : table.rows) {
    const std::optional<double> number = number_in(row[value]);
    if (!number) continue;
    const std::size_t i = chart.series.empty() ? 0 : index_of(series, row[who]);
    const double y = begin[index_of(rows.names, row[category])] + bar * static_cast<double>(i);
    const double from = std::min(x(0), x(*number)), to = std::max(x(0), x(*number));
    svg.rect({from, y + 1}, std::max(to - from, .5), bar - 2, &fill(i), rim(i), row_in_words(table, row));
    svg.text({to + 5, y + bar - 4}, base::number(*number, 3), {.size = 11, .rim = &kSurface});
  }
  svg.line({x(0), box.top}, {x(0), box.bottom()}, {&kAxis});
  return std::move(svg).finish(width, box.bottom() + below);
}

/// Dots with their intervals, in one panel.
class DotPlot {
 public:
  DotPlot(const IntervalsChart& chart, double width);
  Drawing draw(double width) const;

 private:
  void draw_row(const std::vector<std::string>& row, double y, const Scale& x, Svg& svg) const;

  const IntervalsChart& chart_;
  std::vector<std::string> panels_{""};
  RowNames rows_;
  Ruler ruler_;
};

DotPlot::DotPlot(const IntervalsChart& chart, double width) : chart_(chart) {
  const Table& table = chart.table;
  if (!chart.panel.empty()) panels_ = distinct(table, column(chart.words, table, chart.panel));
  rows_ = row_names(distinct(table, column(chart.words, table, chart.row)), width);
  Extent range = extent(chart.words, table, {chart.value.column, chart.lower, chart.upper, chart.published});
  for (const Reference& one : chart.upright) {
    range.least = std::min(range.least, one.at);
    range.largest = std::max(range.largest, one.at);
  }
  ruler_ = ruler(chart.value, range, chart.panel.empty() && width > 500 ? 8 : 4);
}

void DotPlot::draw_row(const std::vector<std::string>& row, double y, const Scale& x, Svg& svg) const {
  const Table& table = chart_.table;
  const auto at = [&](const std::string& name) {
    return number_at(row, place_of(chart_.words, table, name));
  };
  const std::optional<double> lower = at(chart_.lower), upper = at(chart_.upper),
                              value = at(chart_.value.column), published = at(chart_.published);
  const std::string note = row_in_words(table, row);
  if (lower && upper) {
    const Stroke stroke{&series_colour(0), 2};
    svg.line({x(*lower), y}, {x(*upper), y}, stroke);
    for (const double end : {*lower, *upper}) svg.line({x(end), y - 4}, {x(end), y + 4}, stroke);
  }
  if (value) svg.symbol(Symbol::circle, {x(*value), y}, 4.4, &series_colour(0), {}, note);
  if (published)
    svg.symbol(Symbol::diamond, {x(*published), y}, 4.8, value ? nullptr : &kSurface,
               {&series_colour(1), 1.6}, note);
}

Drawing DotPlot::draw(double width) const {
  Svg svg;
  const Table& table = chart_.table;
  const std::size_t name = column(chart_.words, table, chart_.row),
                    panel = place_of(chart_.words, table, chart_.panel);
  const bool single = chart_.panel.empty();
  // Names stand once, left of the first panel of each line of panels; rows that a panel lacks stay empty.
  const double names = rows_.above ? 0 : rows_.room, each = (rows_.lines > 1 ? 32 : 22) + extra_height(rows_);
  const Panels layout =
      single ? Panels{1, width - names} : panels(panels_.size(), width - names, 150, kPanelGap);
  double top = 0, bottom = 0;
  for (std::size_t first = 0; first < panels_.size(); first += layout.columns) {
    const std::size_t last = std::min(first + layout.columns, panels_.size());
    double heading = 0;
    for (std::size_t p = first; p < last && !single; ++p) {
      const double left = names + static_cast<double>(p - first) * (layout.width + kPanelGap);
      heading = std::max(heading, draw_heading(panels_[p], {left, top}, layout.width, true, svg));
    }
    const double begin = top + heading + 4, height = each * static_cast<double>(rows_.names.size());
    for (std::size_t p = first; p < last; ++p) {
      const double left = names + static_cast<double>(p - first) * (layout.width + kPanelGap);
      const double inset = std::max(6.0, first_half(ruler_));
      const Box box{left + inset, begin, layout.width - inset - last_half(ruler_), height};
      bottom = box.bottom() + draw_x(ruler_, box, svg);
      Scale x = ruler_.scale;
      x.from = box.left;
      x.to = box.right();
      for (std::size_t r = 0; r < rows_.names.size() && (p == first || rows_.above); ++r)
        draw_name(rows_, r, rows_.above ? left : 0, begin + each * static_cast<double>(r), each, layout.width,
                  svg);
      for (const Reference& one : chart_.upright) {
        svg.line({x(one.at), box.top}, {x(one.at), box.bottom()}, {&kQuiet, 1.2, "4 3"});
        const bool before = text_width(one.label, 11) > box.right() - x(one.at);
        svg.text({x(one.at) + (before ? -4 : 4), box.top + 9}, one.label,
                 {.colour = &kQuiet,
                  .anchor = before ? Anchor::end : Anchor::start,
                  .size = 11,
                  .rim = &kSurface});
      }
      for (const auto& row : table.rows) {
        if (!single && row[panel] != panels_[p]) continue;
        const double y = begin + each * static_cast<double>(index_of(rows_.names, row[name])) +
                         extra_height(rows_) + (each - extra_height(rows_)) / 2;
        draw_row(row, y, x, svg);
      }
    }
    top = bottom + 10;
  }
  return std::move(svg).finish(width, bottom);
}

Drawing draw_spans(const SpansChart& chart, double width) {
  const Table& table = chart.table;
  const std::size_t name = column(chart.words, table, chart.row),
                    from = column(chart.words, table, chart.from), to = column(chart.words, table, chart.to),
                    kind = column(chart.words, table, chart.kind);
  const RowNames rows = row_names(distinct(table, name), width);
  const std::vector<std::string> kinds = distinct(table, kind);
  const auto thickness = [](std::size_t i) { return std::max(21.0 - 8 * static_cast<double>(i), 3.0); };
  Svg svg;
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    entries.push_back({kinds[i], [&thickness, i](Point at, Svg& on) {
                         const double high = std::min(thickness(i), 14.0);
                         on.rect({at.x - 13, at.y - high / 2}, 26, high, &series_colour(i));
                       }});
  const double top = draw_legend(entries, 0, width, svg), each = 44 + extra_height(rows);
  const Ruler ruled = ruler({chart.from, chart.from_title},
                            extent(chart.words, table, {chart.from, chart.to}), width < 500 ? 4 : 8, true);
  const Box box{rows.room, top + 4, width - rows.room - last_half(ruled),
                each * static_cast<double>(rows.names.size())};
  const double below = draw_x(ruled, box, svg);
  Scale x = ruled.scale;
  x.from = box.left;
  x.to = box.right();
  std::vector<double> middle;
  for (std::size_t r = 0; r < rows.names.size(); ++r) {
    const double begin = draw_name(rows, r, 0, box.top + each * static_cast<double>(r), each, width, svg);
    middle.push_back(begin + 26);
  }
  for (const auto& row : table.rows) {
    const std::optional<double> a = number_in(row[from]), b = number_in(row[to]);
    if (!a || !b) continue;
    const std::size_t i = index_of(kinds, row[kind]);
    svg.rect({x(*a), middle[index_of(rows.names, row[name])] - thickness(i) / 2}, std::max(x(*b) - x(*a), .5),
             thickness(i), &series_colour(i), {}, row_in_words(table, row));
  }
  for (const auto& row : chart.events.rows) {
    const std::size_t r = index_of(rows.names, row[column(chart.words, chart.events, chart.row)]);
    const std::optional<double> when = number_in(row[column(chart.words, chart.events, chart.from)]);
    if (r < middle.size() && when)
      svg.symbol(Symbol::triangle_down, {x(*when), middle[r] - 17}, 5, &kInk, {&kSurface},
                 row_in_words(chart.events, row));
  }
  return std::move(svg).finish(width, box.bottom() + below);
}

}  // namespace

Figure bars(const BarsChart& chart) {
  check_columns(chart.words, chart.table, {chart.category, chart.value.column, chart.series});
  if (!has_number(chart.words, chart.table, chart.value.column)) return nothing_yet(chart.words, chart.table);
  return figure_of(chart.words, chart.table, [&](double width) { return draw_bars(chart, width); });
}

Figure intervals(const IntervalsChart& chart) {
  check_columns(chart.words, chart.table,
                {chart.row, chart.value.column, chart.lower, chart.upper, chart.published, chart.panel});
  if (chart.lower.empty() != chart.upper.empty())
    throw InvalidArgument(fmt::format("chart '{}': an interval needs both of its ends", chart.words.id));
  Words words = chart.words;
  if (!chart.published.empty())
    words.caption += fmt::format("{}Dots: {}. Open diamonds: {}.", words.caption.empty() ? "" : " ",
                                 chart.dots, chart.diamonds);
  if (!has_number(words, chart.table, chart.value.column)) return nothing_yet(words, chart.table);
  return figure_of(words, chart.table, [&](double width) { return DotPlot(chart, width).draw(width); });
}

Figure spans(const SpansChart& chart) {
  check_columns(chart.words, chart.table, {chart.row, chart.from, chart.to, chart.kind});
  if (!chart.events.rows.empty()) check_columns(chart.words, chart.events, {chart.row, chart.from, "what"});
  if (!has_number(chart.words, chart.table, chart.from)) return nothing_yet(chart.words, chart.table);
  Figure made = figure_of(chart.words, chart.table, [&](double width) { return draw_spans(chart, width); });
  if (!chart.events.rows.empty()) made.data.push_back({chart.words.id + "-events", chart.events});
  return made;
}

}  // namespace mindgap::report
