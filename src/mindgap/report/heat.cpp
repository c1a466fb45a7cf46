#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mindgap/base/error.h"
#include "mindgap/report/plot.h"

namespace mindgap::report {
namespace {

constexpr std::size_t kMostNotes = 600;  // cells that say what they are when one rests on them
constexpr double kHeatGap = 24;

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
    std::string& letter = letters[kind] = kind.substr(0, length);
    if (letter[0] >= 'a' && letter[0] <= 'z') letter[0] = static_cast<char>(letter[0] + 'A' - 'a');
  }
  return letters;
}

struct HeatCell {
  const std::vector<std::string>* row = nullptr;
  const Colour* fill = nullptr;
  const Colour* rim = nullptr;
  const Colour* ink = &kInk;
  std::string label;
};

/// A chart of cells, sorted out: what each looks like, and the legend.
class HeatPlot {
 public:
  explicit HeatPlot(const HeatChart& chart);
  Drawing draw(double width) const;
  const Table& table() const { return table_; }

 private:
  void paint_numbers(std::size_t value);
  void paint_kinds(std::size_t value);
  double draw_key(double width, Svg& svg) const;
  Box draw_places(const std::string& panel, Point at, double width, Svg& svg) const;
  Box draw_any_size(const std::string& panel, Point at, double width, Svg& svg) const;
  void draw_cell(const HeatCell& cell, Point at, double width, double height, Svg& svg) const;
  bool is_in(const HeatCell& cell, const std::string& panel) const;

  const HeatChart& chart_;
  Table table_;
  std::vector<HeatCell> cells_;
  std::vector<std::string> x_, y_, panels_{""}, kinds_;
  std::vector<std::size_t> kind_colour_;
  std::map<std::string, std::string> letters_;
  Extent range_;
};

HeatPlot::HeatPlot(const HeatChart& chart) : chart_(chart), table_(chart.table) {
  const std::size_t value = column(chart.words, table_, chart.value);
  x_ = distinct(table_, column(chart.words, table_, chart.x.column));
  y_ = distinct(table_, column(chart.words, table_, chart.y.column));
  if (chart.first_below) std::reverse(y_.begin(), y_.end());
  if (!chart.panel.empty()) panels_ = distinct(table_, column(chart.words, table_, chart.panel));
  const bool categorical = std::any_of(table_.rows.begin(), table_.rows.end(), [&](const auto& row) {
    return !row[value].empty() && !number_in(row[value]);
  });
  if (categorical) {
    paint_kinds(value);
  } else {
    paint_numbers(value);
  }
}

void HeatPlot::paint_numbers(std::size_t value) {
  range_ = extent(chart_.words, table_, {chart_.value});
  const std::size_t label = chart_.label.empty() ? 0 : column(chart_.words, table_, chart_.label);
  for (const auto& row : table_.rows) {
    const std::optional<double> number = number_in(row[value]);
    if (!number) continue;
    const std::size_t level = shade_level(*number, range_);
    cells_.push_back(
        {&row, &shade(level), nullptr, &ink_on_shade(level), chart_.label.empty() ? "" : row[label]});
  }
}

void HeatPlot::paint_kinds(std::size_t value) {
  kinds_ = distinct(table_, value);
  letters_ = letters_of(kinds_);
  const bool answers =
      std::all_of(kinds_.begin(), kinds_.end(), [](const auto& kind) { return answer_colour(kind) >= 0; });
  for (std::size_t i = 0; i < kinds_.size(); ++i)
    kind_colour_.push_back(answers ? static_cast<std::size_t>(answer_colour(kinds_[i])) : i);
  const std::size_t label = chart_.label.empty() ? 0 : column(chart_.words, table_, chart_.label);
  for (const auto& row : table_.rows) {
    if (row[value].empty()) continue;
    const std::size_t colour = kind_colour_[index_of(kinds_, row[value])];
    cells_.push_back({&row, &pale(colour), colour == 8 ? &kQuiet : &series_colour(colour), &kInk,
                      chart_.label.empty() ? letters_.at(row[value]) : row[label]});
  }
}

double HeatPlot::draw_key(double width, Svg& svg) const {
  if (kinds_.empty())
    return draw_shades(chart_.value_title.empty() ? chart_.value : chart_.value_title, range_, 0, width, svg);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const std::size_t colour = kind_colour_[i];
    entries.push_back({kinds_[i], [this, i, colour](Point at, Svg& to) {
                         to.rect({at.x - 11, at.y - 8}, 22, 16, &pale(colour),
                                 {colour == 8 ? &kQuiet : &series_colour(colour)});
                         if (chart_.label.empty())
                           to.text({at.x, at.y + 4}, letters_.at(kinds_[i]),
                                   {.anchor = Anchor::middle, .size = 11, .bold = true});
                       }});
  }
  return draw_legend(entries, 0, width, svg);
}

bool HeatPlot::is_in(const HeatCell& cell, const std::string& panel) const {
  return chart_.panel.empty() || (*cell.row)[column(chart_.words, table_, chart_.panel)] == panel;
}

void HeatPlot::draw_cell(const HeatCell& cell, Point at, double width, double height, Svg& svg) const {
  const double inset = cell.rim != nullptr ? 1.5 : .5;
  svg.rect({at.x + inset, at.y + inset}, std::max(width - 2 * inset, .5), std::max(height - 2 * inset, .5),
           cell.fill, cell.rim == nullptr ? Stroke{} : Stroke{cell.rim},
           cells_.size() <= kMostNotes ? row_in_words(table_, *cell.row) : std::string());
  if (cell.label.empty() || height < 12) return;
  svg.text({at.x + width / 2, at.y + height / 2 + 4}, shortened(cell.label, width - 4, 11),
           {.colour = cell.ink, .anchor = Anchor::middle, .size = 11, .bold = !kinds_.empty()});
}

Box HeatPlot::draw_places(const std::string& panel, Point at, double width, Svg& svg) const {
  const double names = std::min(label_width(y_), width * .3), margin = names + 8;
  const std::string below = title_of(chart_.x), left = title_of(chart_.y);
  const double title = draw_heading(left, at, width, false, svg);
  const auto columns = static_cast<double>(x_.size()), rows = static_cast<double>(y_.size());
  double cell = (width - margin) / std::max(columns, 1.0), height = chart_.cell_height;
  if (chart_.square) cell = height = std::min(cell, 56.0);
  if (!chart_.square) cell = std::min(cell, 110.0);
  const Box box{at.x + margin, at.y + title, cell * columns, height * rows};
  const std::size_t x = column(chart_.words, table_, chart_.x.column),
                    y = column(chart_.words, table_, chart_.y.column);
  std::map<std::string, std::size_t> x_at, y_at;
  for (std::size_t i = 0; i < x_.size(); ++i) x_at[x_[i]] = i;
  for (std::size_t i = 0; i < y_.size(); ++i) y_at[y_[i]] = i;
  for (const HeatCell& one : cells_) {
    const std::vector<std::string>& row = *one.row;
    if (!is_in(one, panel) || row[x].empty() || row[y].empty()) continue;
    draw_cell(one,
              {box.left + cell * static_cast<double>(x_at[row[x]]),
               box.top + height * static_cast<double>(y_at[row[y]])},
              cell, height, svg);
  }
  double free_below = -1e9;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double middle = box.top + height * (static_cast<double>(i) + .5);
    if (middle < free_below) continue;
    free_below = middle + 13;
    svg.text({box.left - 6, middle + 4}, shortened(y_[i], names), {.anchor = Anchor::end});
  }
  double free_from = -1e9;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double middle = box.left + cell * (static_cast<double>(i) + .5), half = text_width(x_[i]) / 2;
    if (middle - half < free_from) continue;
    free_from = middle + half + 6;
    svg.text({middle, box.bottom() + 15}, x_[i], {.anchor = Anchor::middle});
  }
  svg.text({box.left + std::min(box.width, width - margin) / 2, box.bottom() + 32},
           shortened(below, width - margin), {.colour = &kQuiet, .anchor = Anchor::middle});
  return box;
}

Box HeatPlot::draw_any_size(const std::string& panel, Point at, double width, Svg& svg) const {
  Ruler x = ruler(chart_.x, extent(chart_.words, table_, {chart_.x.column, chart_.x_to}), 6, true),
        y = ruler(chart_.y, extent(chart_.words, table_, {chart_.y.column, chart_.y_to}), 6, true);
  const double title = draw_heading(y.title, at, width, false, svg);
  const double margin = label_width(y.labels) + 10;
  const Box box{at.x + margin, at.y + title + 4, width - margin - last_half(x), 320};
  draw_y(y, box, svg);
  draw_x(x, box, svg);
  x.scale.from = box.left;
  x.scale.to = box.right();
  y.scale.from = box.bottom();
  y.scale.to = box.top;
  const auto number = [&](const HeatCell& cell, const std::string& name) {
    return number_in((*cell.row)[column(chart_.words, table_, name)]).value_or(0);
  };
  for (const HeatCell& cell : cells_) {
    if (!is_in(cell, panel)) continue;
    const double left = x.scale(number(cell, chart_.x.column)), right = x.scale(number(cell, chart_.x_to)),
                 low = y.scale(number(cell, chart_.y.column)), high = y.scale(number(cell, chart_.y_to));
    draw_cell(cell, {std::min(left, right), std::min(low, high)}, std::abs(right - left),
              std::abs(low - high), svg);
  }
  return box;
}

Drawing HeatPlot::draw(double width) const {
  Svg svg;
  double top = draw_key(width, svg), bottom = top;
  const bool single = chart_.panel.empty();
  const Panels layout = single ? Panels{1, width} : panels(panels_.size(), width, 160, kHeatGap);
  for (std::size_t first = 0; first < panels_.size(); first += layout.columns) {
    const std::size_t last = std::min(first + layout.columns, panels_.size());
    for (std::size_t p = first; p < last; ++p) {
      Point at{static_cast<double>(p - first) * (layout.width + kHeatGap), top};
      if (!single) {
        svg.text({at.x, at.y + 12}, shortened(panels_[p], layout.width), {.bold = true});
        at.y += 22;
      }
      const Box box = chart_.x_to.empty() ? draw_places(panels_[p], at, layout.width, svg)
                                          : draw_any_size(panels_[p], at, layout.width, svg);
      bottom = std::max(bottom, box.bottom() + 40);
    }
    top = bottom + 6;
  }
  return std::move(svg).finish(width, bottom);
}

}  // namespace

Figure heat(const HeatChart& chart) {
  for (const std::string& name : {chart.x.column, chart.y.column, chart.value})
    column(chart.words, chart.table, name);
  check_columns(chart.words, chart.table, {chart.label, chart.panel, chart.x_to, chart.y_to});
  if (chart.x_to.empty() != chart.y_to.empty())
    throw InvalidArgument(fmt::format("chart '{}': cells of any size need both ends", chart.words.id));
  if (chart.table.rows.empty()) return nothing_yet(chart.words, chart.table);
  const HeatPlot plot(chart);
  return figure_of(chart.words, plot.table(), [&](double width) { return plot.draw(width); });
}

}  // namespace mindgap::report
