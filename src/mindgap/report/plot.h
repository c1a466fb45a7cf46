#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mindgap/report/charts.h"
#include "mindgap/report/columns.h"
#include "mindgap/report/svg.h"

// What charts have in common: scales, axes, legends, panels.
namespace mindgap::report {

inline constexpr double kWide = 760, kNarrow = 350;
inline constexpr double kLineHeight = 16;

struct Box {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

/// From numbers to places.
struct Scale {
  double low = 0, high = 1;
  bool log = false;
  double from = 0, to = 1;
  double operator()(double value) const;
};

/// An axis of numbers.
struct Ruler {
  Scale scale;  // from and to are set by whoever knows the box
  std::vector<double> ticks;
  std::vector<std::string> labels;  // of the ticks
  std::string title;
};

/// Begins and ends at round numbers unless `tight`; about `ticks` of them.
Ruler ruler(const Axis& axis, Extent range, int ticks, bool tight = false);
/// Ticks at the values themselves where a logarithmic axis has no more than ten.
void tick_values(const Axis& axis, const std::vector<std::string>& values, Ruler& ruler);
/// 1,000 with its separators and so many digits after the point as neighbours `step` apart need.
std::string tick_label(double value, double step);

/// The width that labels of ticks take.
double label_width(const std::vector<std::string>& labels, double size = kTextSize);

/// The room to the right of a box that the last label below it takes.
double last_half(const Ruler& ruler);
/// The same to its left for the first one.
double first_half(const Ruler& ruler);

/// Labels and title below, lines across the box; returns the height below the box.
double draw_x(const Ruler& ruler, const Box& box, Svg& svg);
/// Labels to the left and lines across the box.
void draw_y(const Ruler& ruler, const Box& box, Svg& svg);
/// A title above a box; returns its height.
double draw_heading(const std::string& title, Point at, double width, bool bold, Svg& svg);

struct Entry {
  std::string label;
  std::function<void(Point, Svg&)> draw;  // a sign of 26 x 12, its middle
};
/// Signs with their names, in as many lines as it takes; returns the height.
double draw_legend(const std::vector<Entry>& entries, double top, double width, Svg& svg);
/// Steps from light to dark with the numbers of both ends; returns the height.
double draw_shades(const std::string& title, Extent range, double top, double width, Svg& svg);
/// The shade of a number.
std::size_t shade_level(double value, Extent range);

/// Panels side by side, as many as fit: `least` is how wide one is at least.
struct Panels {
  std::size_t columns = 1;
  double width = 0;  // of one
};
Panels panels(std::size_t count, double width, double least, double gap);

/// Dashes of the i-th series; empty for a full line.
std::string_view dash(std::size_t index);
Symbol symbol_of(std::size_t index);

/// Both layouts of a chart.
Figure figure_of(const Words& words, const Table& table, const std::function<Drawing(double)>& draw);

/// In place of a chart whose table has no number yet.
Figure nothing_yet(const Words& words, const Table& table);

std::string title_of(const Axis& axis);

}  // namespace mindgap::report
