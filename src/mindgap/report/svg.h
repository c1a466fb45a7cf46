#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mindgap/report/colours.h"
#include "mindgap/report/figure.h"

// Shapes and text of a picture. Lengths are pixels of a picture at its full size.
namespace mindgap::report {

inline constexpr double kTextSize = 12;

/// How wide a text is at most in the usual fonts, about.
double text_width(std::string_view text, double size = kTextSize);
/// As much of a text as has room, with "…" where something is left out.
std::string shortened(const std::string& text, double room, double size = kTextSize);
/// A text in at most `lines` lines, broken after spaces, commas and slashes; the last one is shortened.
std::vector<std::string> wrapped(const std::string& text, double room, std::size_t lines,
                                 double size = kTextSize);

struct Stroke {
  const Colour* colour = nullptr;
  double width = 1;
  std::string_view dash = {};  // "7 3"
};

enum class Anchor { start, middle, end };

struct TextStyle {
  const Colour* colour = &kInk;
  Anchor anchor = Anchor::start;
  double size = kTextSize;
  bool bold = false;
  const Colour* rim = nullptr;  // behind the letters, where they may lie on lines
};

enum class Symbol { circle, square, triangle, diamond, cross, triangle_down, triangle_right, triangle_left };

struct Point {
  double x = 0, y = 0;
};

/// Collects the elements of a picture. `note` is what a reader sees who rests on a shape.
class Svg {
 public:
  void rect(Point at, double width, double height, const Colour* fill, const Stroke& stroke = {},
            const std::string& note = {});
  void line(Point from, Point to, const Stroke& stroke);
  void polyline(const std::vector<Point>& points, const Stroke& stroke);
  void area(const std::vector<Point>& outline, const Colour& fill, double opacity);
  void circle(Point at, double radius, const Colour* fill, const Stroke& stroke = {});
  void symbol(Symbol kind, Point at, double radius, const Colour* fill, const Stroke& stroke = {},
              const std::string& note = {});
  /// A small triangle that points along (dx, dy).
  void arrow(Point at, double dx, double dy, double size, const Colour& fill);
  /// (x, y) is on the base line.
  void text(Point at, const std::string& text, const TextStyle& style = {});
  /// Many squares of one colour as one element.
  void squares(const std::vector<Point>& corners, double width, double height, const Colour& fill);

  Drawing finish(double width, double height) &&;

 private:
  std::string body_;
};

/// <svg> with a title and a description for those who cannot see it. `suffix` keeps the ids apart.
std::string svg_element(const Figure& figure, const Drawing& drawing, std::string_view suffix,
                        std::string_view attributes);

}  // namespace mindgap::report
