#include "mindgap/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mindgap/report/html.h"

namespace mindgap::report {
namespace {

// Widths of Helvetica in thousandths of its size, from the space to the tilde.
constexpr std::array<short, 95> kWidths = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};
constexpr double kGenerous = 1.2;  // DejaVu Sans, which Linux shows, is that much wider

std::size_t bytes_of(char first) {
  const auto c = static_cast<unsigned char>(first);
  return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

double width_of(std::string_view letter) {
  const auto c = static_cast<unsigned char>(letter[0]);
  if (c < 0x20 || c == 0x7f) return .6;
  if (c < 0x7f) return kWidths[static_cast<std::size_t>(c - 0x20)] / 1000.0;
  return c < 0xe1 ? .62 : 1;  // Chinese and the like are square
}

/// One digit after the point is finer than any screen.
std::string px(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string paint(const char* what, char letter, const Colour* colour) {
  if (colour == nullptr) return letter == 'f' ? " fill=\"none\"" : "";
  return fmt::format(" {}=\"{}\"", what, colour->light);
}

/// Fill, stroke and their classes.
std::string painted(const Colour* fill, const Stroke& stroke) {
  std::string classes;
  if (fill != nullptr) classes += fmt::format("f-{}", fill->name);
  if (stroke.colour != nullptr)
    classes += fmt::format("{}s-{}", classes.empty() ? "" : " ", stroke.colour->name);
  std::string text = paint("fill", 'f', fill) + paint("stroke", 's', stroke.colour);
  if (stroke.colour != nullptr && stroke.width != 1)
    text += fmt::format(" stroke-width=\"{}\"", px(stroke.width));
  if (stroke.colour != nullptr && !stroke.dash.empty())
    text += fmt::format(" stroke-dasharray=\"{}\"", stroke.dash);
  return text + fmt::format(" class=\"{}\"", classes);
}

std::string closed(const char* element, const std::string& note) {
  if (note.empty()) return "/>\n";
  return fmt::format("><title>{}</title></{}>\n", escaped(note), element);
}

std::string path_of(const std::vector<Point>& points) {
  std::string path;
  for (const Point& point : points)
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", px(point.x), px(point.y));
  return path;
}

std::vector<Point> outline(Symbol kind, Point at, double r) {
  const auto turned = [&](double dx, double dy) { return Point{at.x + dx * r, at.y + dy * r}; };
  switch (kind) {
    case Symbol::square:
      return {turned(-.9, -.9), turned(.9, -.9), turned(.9, .9), turned(-.9, .9)};
    case Symbol::triangle:
      return {turned(0, -1.2), turned(1.1, .8), turned(-1.1, .8)};
    case Symbol::triangle_down:
      return {turned(0, 1.2), turned(1.1, -.8), turned(-1.1, -.8)};
    case Symbol::triangle_right:
      return {turned(1.2, 0), turned(-.8, 1.1), turned(-.8, -1.1)};
    case Symbol::triangle_left:
      return {turned(-1.2, 0), turned(.8, 1.1), turned(.8, -1.1)};
    case Symbol::diamond:
      return {turned(0, -1.35), turned(1.1, 0), turned(0, 1.35), turned(-1.1, 0)};
    case Symbol::cross: {
      const double a = .4, b = 1.2;
      return {turned(-a, -b), turned(a, -b), turned(a, -a), turned(b, -a), turned(b, a),   turned(a, a),
              turned(a, b),   turned(-a, b), turned(-a, a), turned(-b, a), turned(-b, -a), turned(-a, -a)};
    }
    case Symbol::circle:
      break;
  }
  return {};
}

}  // namespace

double text_width(std::string_view text, double size) {
  double sum = 0;
  for (std::size_t i = 0; i < text.size(); i += bytes_of(text[i])) sum += width_of(text.substr(i));
  return sum * size * kGenerous;
}

std::string shortened(const std::string& text, double room, double size) {
  if (text_width(text, size) <= room) return text;
  static const std::string kDots = "\xe2\x80\xa6";
  const double left = room - text_width(kDots, size);
  double used = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    used += width_of(std::string_view(text).substr(end)) * size * kGenerous;
    if (used > left) break;
    end += bytes_of(text[end]);
  }
  while (end > 0 && text[end - 1] == ' ') --end;
  return text.substr(0, end) + kDots;
}

std::vector<std::string> wrapped(const std::string& text, double room, std::size_t lines, double size) {
  std::vector<std::string> made;
  std::string rest = text;
  while (made.size() + 1 < lines && text_width(rest, size) > room) {
    std::size_t cut = 0;
    for (std::size_t i = 1; i < rest.size(); ++i) {
      if (rest[i - 1] != ' ' && rest[i - 1] != '/') continue;
      std::string_view before = std::string_view(rest).substr(0, i);
      while (!before.empty() && before.back() == ' ') before.remove_suffix(1);
      if (text_width(before, size) > room) break;
      cut = i;
    }
    if (cut == 0) break;
    std::string line = rest.substr(0, cut);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    made.push_back(std::move(line));
    rest.erase(0, cut);
  }
  made.push_back(shortened(rest, room, size));
  return made;
}

void Svg::rect(Point at, double width, double height, const Colour* fill, const Stroke& stroke,
               const std::string& note) {
  body_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}"{})", px(at.x), px(at.y), px(width),
                       px(height), painted(fill, stroke)) +
           closed("rect", note);
}

void Svg::line(Point from, Point to, const Stroke& stroke) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n", px(from.x), px(from.y),
                       px(to.x), px(to.y), painted(nullptr, stroke));
}

void Svg::polyline(const std::vector<Point>& points, const Stroke& stroke) {
  if (points.empty()) return;
  body_ += fmt::format("<path d=\"{}\"{} stroke-linejoin=\"round\"/>\n", path_of(points),
                       painted(nullptr, stroke));
}

void Svg::area(const std::vector<Point>& outline, const Colour& fill, double opacity) {
  if (outline.empty()) return;
  body_ += fmt::format("<path d=\"{}Z\"{} fill-opacity=\"{:.2g}\"/>\n", path_of(outline), painted(&fill, {}),
                       opacity);
}

void Svg::circle(Point at, double radius, const Colour* fill, const Stroke& stroke) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", px(at.x), px(at.y), px(radius),
                       painted(fill, stroke));
}

void Svg::symbol(Symbol kind, Point at, double radius, const Colour* fill, const Stroke& stroke,
                 const std::string& note) {
  if (kind == Symbol::circle) {
    body_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}"{})", px(at.x), px(at.y), px(radius),
                         painted(fill, stroke)) +
             closed("circle", note);
    return;
  }
  body_ += fmt::format("<path d=\"{}Z\"{}", path_of(outline(kind, at, radius)), painted(fill, stroke)) +
           closed("path", note);
}

void Svg::arrow(Point at, double dx, double dy, double size, const Colour& fill) {
  const double length = std::hypot(dx, dy);
  if (!(length > 0)) return;
  const double ux = dx / length * size, uy = dy / length * size;
  body_ += fmt::format("<path d=\"{}Z\"{}/>\n",
                       path_of({{at.x + ux, at.y + uy},
                                {at.x - .7 * ux - .8 * uy, at.y - .7 * uy + .8 * ux},
                                {at.x - .7 * ux + .8 * uy, at.y - .7 * uy - .8 * ux}}),
                       painted(&fill, {}));
}

void Svg::text(Point at, const std::string& text, const TextStyle& style) {
  if (text.empty()) return;
  std::string attributes = painted(style.colour, {style.rim, 3});
  if (style.rim != nullptr) attributes += " paint-order=\"stroke\"";
  if (style.anchor != Anchor::start)
    attributes += style.anchor == Anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  if (style.size != kTextSize) attributes += fmt::format(" font-size=\"{}\"", px(style.size));
  if (style.bold) attributes += " font-weight=\"600\"";
  body_ +=
      fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", px(at.x), px(at.y), attributes, escaped(text));
}

void Svg::squares(const std::vector<Point>& corners, double width, double height, const Colour& fill) {
  if (corners.empty()) return;
  std::string path;
  for (const Point& corner : corners)
    path += fmt::format("M{} {}h{}v{}h-{}z", px(corner.x), px(corner.y), px(width), px(height), px(width));
  body_ += fmt::format("<path d=\"{}\"{}/>\n", path, painted(&fill, {}));
}

Drawing Svg::finish(double width, double height) && {
  return {static_cast<int>(std::ceil(width)), static_cast<int>(std::ceil(height)), std::move(body_)};
}

std::string svg_element(const Figure& figure, const Drawing& drawing, std::string_view suffix,
                        std::string_view attributes) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\" aria-labelledby=\"{2}-{3}-title {2}-{3}-desc\" font-family=\"system-ui, -apple-system, "
      "Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif\" font-size=\"{4}\"{5}>\n"
      "<title id=\"{2}-{3}-title\">{6}</title>\n<desc id=\"{2}-{3}-desc\">{7}</desc>\n{8}</svg>\n",
      drawing.width, drawing.height, figure.id, suffix, kTextSize, attributes, escaped(figure.title),
      escaped(figure.description.empty() ? figure.caption : figure.description), drawing.body);
}

}  // namespace mindgap::report
