#include "mindgap/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mindgap/base/readable.h"

namespace mindgap::report {
namespace {

double nice_step(double span, int ticks) {
  const double rough = span / std::max(1, ticks);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power * 1.0000001) return factor * power;
  }
  return 10 * power;
}

void linear_ticks(const Axis& axis, Extent range, int ticks, bool tight, Ruler& made) {
  double low = range.least, high = range.largest;
  if (axis.zero) {
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
  }
  if (!(high > low)) {
    const double room = low == 0 ? 1 : std::abs(low) * .1;
    low = axis.zero && low == 0 ? 0 : low - room;
    high += room;
    tight = false;
  }
  const double step = nice_step(high - low, ticks);
  if (!tight) {
    low = step * std::floor(low / step + 1e-9);
    high = step * std::ceil(high / step - 1e-9);
  }
  made.scale.low = low;
  made.scale.high = high;
  const auto first = static_cast<std::int64_t>(std::ceil(low / step - 1e-9)),
             last = static_cast<std::int64_t>(std::floor(high / step + 1e-9));
  for (std::int64_t i = first; i <= last; ++i) {
    made.ticks.push_back(static_cast<double>(i) * step);
    made.labels.push_back(tick_label(made.ticks.back(), step));
  }
}

void log_ticks(Extent range, Ruler& made) {
  made.scale.log = true;
  made.scale.low = range.least;
  made.scale.high = range.largest > range.least ? range.largest : range.least * 10;
  const bool wide = made.scale.high / made.scale.low > 1e4;
  for (double power = std::pow(10, std::floor(std::log10(made.scale.low))); power <= made.scale.high;
       power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * power;
      if ((wide && factor > 1) || value < made.scale.low * (1 - 1e-9) || value > made.scale.high * (1 + 1e-9))
        continue;
      made.ticks.push_back(value);
      made.labels.push_back(tick_label(value, value));
    }
  }
}

}  // namespace

double Scale::operator()(double value) const {
  const auto on = [&](double v) { return log ? std::log(v) : v; };
  if (log && !(value > 0)) return from;
  return from + (to - from) * (on(value) - on(low)) / (on(high) - on(low));
}

std::string tick_label(double value, double step) {
  const double size = std::max(std::abs(value), std::abs(step));
  if (size >= 1e9 || (step > 0 && step < 1e-4)) return base::number(value, 4);
  const int decimals = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  if (const std::size_t point = text.find('.'); point != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  std::size_t end = std::min(text.find('.'), text.size());
  while (end > 3) text.insert(end -= 3, ",");
  return value < 0 && text != "0" ? "\xe2\x88\x92" + text : text;
}

Ruler ruler(const Axis& axis, Extent range, int ticks, bool tight) {
  Ruler made;
  made.title = title_of(axis);
  if (axis.log && range.least > 0) {
    log_ticks(range, made);
  } else {
    linear_ticks(axis, range, ticks, tight, made);
  }
  return made;
}

void tick_values(const Axis& axis, const std::vector<std::string>& values, Ruler& ruler) {
  if (!axis.log || values.size() > 10) return;
  ruler.ticks.clear();
  ruler.labels.clear();
  for (const std::string& value : values) {
    if (const std::optional<double> number = number_in(value); number && *number > 0) {
      ruler.ticks.push_back(*number);
      ruler.labels.push_back(tick_label(*number, std::abs(*number) >= 1 ? 1 : *number));
    }
  }
}

double label_width(const std::vector<std::string>& labels, double size) {
  double most = 0;
  for (const std::string& label : labels) most = std::max(most, text_width(label, size));
  return most;
}

double last_half(const Ruler& ruler) {
  return 6 + (ruler.labels.empty() ? 0 : text_width(ruler.labels.back()) / 2);
}

double first_half(const Ruler& ruler) {
  return 2 + (ruler.labels.empty() ? 0 : text_width(ruler.labels.front()) / 2);
}

double draw_x(const Ruler& ruler, const Box& box, Svg& svg) {
  Scale scale = ruler.scale;
  scale.from = box.left;
  scale.to = box.right();
  double free_from = -1e9;  // labels do not touch each other
  for (std::size_t i = 0; i < ruler.ticks.size(); ++i) {
    const double x = scale(ruler.ticks[i]);
    svg.line({x, box.top}, {x, box.bottom()}, {&kGrid});
    svg.line({x, box.bottom()}, {x, box.bottom() + 4}, {&kAxis});
    const double half = text_width(ruler.labels[i]) / 2;
    if (x - half < free_from) continue;
    free_from = x + half + 6;
    svg.text({x, box.bottom() + 16}, ruler.labels[i], {.anchor = Anchor::middle});
  }
  svg.line({box.left, box.bottom()}, {box.right(), box.bottom()}, {&kAxis});
  if (ruler.title.empty()) return 22;
  svg.text({box.left + box.width / 2, box.bottom() + 34}, shortened(ruler.title, box.width),
           {.colour = &kQuiet, .anchor = Anchor::middle});
  return 40;
}

void draw_y(const Ruler& ruler, const Box& box, Svg& svg) {
  Scale scale = ruler.scale;
  scale.from = box.bottom();
  scale.to = box.top;
  double free_below = 1e9;
  for (std::size_t i = 0; i < ruler.ticks.size(); ++i) {
    const double y = scale(ruler.ticks[i]);
    svg.line({box.left, y}, {box.right(), y}, {&kGrid});
    if (y > free_below) continue;
    free_below = y - 14;
    svg.text({box.left - 6, y + 4}, ruler.labels[i], {.anchor = Anchor::end});
  }
  svg.line({box.left, box.top}, {box.left, box.bottom()}, {&kAxis});
}

double draw_heading(const std::string& title, Point at, double width, bool bold, Svg& svg) {
  if (title.empty()) return 0;
  double height = 0;
  for (const std::string& line : wrapped(title, width, 2)) {
    svg.text({at.x, at.y + 12 + height}, line, {.colour = bold ? &kInk : &kQuiet, .bold = bold});
    height += kLineHeight;
  }
  return height + 4;
}

double draw_legend(const std::vector<Entry>& entries, double top, double width, Svg& svg) {
  if (entries.empty()) return 0;
  double x = 0, y = top;
  for (const Entry& entry : entries) {
    const std::string label = shortened(entry.label, width - 34);
    const double needed = 34 + text_width(label);
    if (x > 0 && x + needed > width) {
      x = 0;
      y += 20;
    }
    entry.draw({x + 13, y + 8}, svg);
    svg.text({x + 31, y + 12}, label);
    x += needed + 16;
  }
  return y - top + 26;
}

std::size_t shade_level(double value, Extent range) {
  const double low = std::min(range.least, 0.0), high = std::max(range.largest, 0.0);
  if (!(high > low)) return 0;
  const double share = std::clamp((value - low) / (high - low), 0.0, 1.0);
  return static_cast<std::size_t>(std::lround(share * static_cast<double>(kShades - 1)));
}

double draw_shades(const std::string& title, Extent range, double top, double width, Svg& svg) {
  const double low = std::min(range.least, 0.0), high = std::max(range.largest, 0.0);
  const double step = high > low ? (high - low) / 100 : 1;
  const double each = 14;
  double y = top;
  if (!title.empty()) y += draw_heading(title, {0, top}, width, false, svg);
  const auto rounded = [&](double value) { return base::number(std::abs(value) < step ? 0 : value, 3); };
  const std::string first = rounded(low), last = rounded(high);
  svg.text({0, y + 11}, first);
  const double from = text_width(first) + 6;
  for (std::size_t i = 0; i < kShades; ++i)
    svg.rect({from + each * static_cast<double>(i), y}, each, 14, &shade(i));
  svg.rect({from, y}, each * kShades, 14, nullptr, {&kAxis});
  svg.text({from + each * kShades + 6, y + 11}, last);
  return y - top + 26;
}

Panels panels(std::size_t count, double width, double least, double gap) {
  const auto fits = static_cast<std::size_t>(std::max(1.0, std::floor((width + gap) / (least + gap))));
  const std::size_t rows = (count + fits - 1) / std::max<std::size_t>(fits, 1);
  const std::size_t columns = std::max<std::size_t>(1, rows == 0 ? 1 : (count + rows - 1) / rows);
  return {columns, (width - gap * static_cast<double>(columns - 1)) / static_cast<double>(columns)};
}

std::string_view dash(std::size_t index) {
  static constexpr std::array<std::string_view, 9> kKinds = {"",    "7 3", "2 2",          "8 2 2 2", "12 3",
                                                             "4 4", "1 3", "10 2 2 2 2 2", "5 1"};
  return kKinds[index % kKinds.size()];
}

Symbol symbol_of(std::size_t index) {
  return static_cast<Symbol>(index % 8);
}

Figure figure_of(const Words& words, const Table& table, const std::function<Drawing(double)>& draw) {
  return {words.id,    words.title,   words.caption,      words.description,
          draw(kWide), draw(kNarrow), {{words.id, table}}};
}

Figure nothing_yet(const Words& words, const Table& table) {
  return figure_of(words, table, [](double width) {
    Svg svg;
    svg.text({0, 16}, "There is nothing to draw yet.", {.colour = &kQuiet});
    return std::move(svg).finish(width, 24);
  });
}

std::string title_of(const Axis& axis) {
  return axis.title.empty() ? axis.column : axis.title;
}

}  // namespace mindgap::report
