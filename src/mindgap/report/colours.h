#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// The colours of pictures. A picture states its light colours itself and is complete without a style sheet;
// the style sheet of a page replaces them by class where a dark page is wanted.
namespace mindgap::report {

struct Colour {
  std::string_view name;         // of its class: f-<name> where it fills, s-<name> where it draws lines
  std::string_view light, dark;  // "#rrggbb"
};

inline constexpr Colour kSurface{"surface", "#ffffff", "#14181d"};
inline constexpr Colour kInk{"ink", "#1b1f24", "#e8ecf0"};
inline constexpr Colour kQuiet{"quiet", "#55606b", "#a9b4bf"};
inline constexpr Colour kAxis{"axis", "#7a848e", "#8a949e"};
inline constexpr Colour kGrid{"grid", "#e3e7eb", "#2b323a"};

inline constexpr std::size_t kShades = 10;

/// Of lines and bars, in order; after the last the first again. At least 4.5:1 on the page.
const Colour& series_colour(std::size_t index);
/// Of ways over a map, each drawn on a rim of kSurface: twelve that differ.
const Colour& route_colour(std::size_t index);
inline constexpr std::size_t kRouteColours = 12;
/// From hardly any (0) to most (kShades - 1).
const Colour& shade(std::size_t level);
/// Of text on a shade: at least 4.5:1.
const Colour& ink_on_shade(std::size_t level);
/// Behind a category of cells, pale enough for kInk; its rim is the colour of the series.
const Colour& pale(std::size_t index);
/// The index of an answer's colours (deploy, learn, experiment, undecided), or -1.
int answer_colour(std::string_view kind);

/// The ratio of contrast of two colours "#rrggbb" by WCAG 2.1, between 1 and 21.
double contrast(std::string_view a, std::string_view b);

/// Rules that turn the pictures of a page dark.
std::string dark_rules();

}  // namespace mindgap::report
