#include "mindgap/report/colours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace mindgap::report {
namespace {

// After Okabe and Ito, darkened until each has 4.5:1 on white; never alone: dashes and shapes differ too.
constexpr std::array<Colour, 8> kSeries = {{{"c0", "#0072b2", "#5cb3e6"},
                                            {"c1", "#c65200", "#f0853a"},
                                            {"c2", "#00805d", "#3cc69a"},
                                            {"c3", "#b0568e", "#e29ac4"},
                                            {"c4", "#1b1f24", "#e8ecf0"},
                                            {"c5", "#946200", "#e0b04a"},
                                            {"c6", "#7448b0", "#b79be6"},
                                            {"c7", "#6b6b00", "#c9bc3f"}}};
constexpr std::array<Colour, 9> kPale = {{{"p0", "#cfe3f0", "#1d4560"},
                                          {"p1", "#f8d9c2", "#6b3413"},
                                          {"p2", "#c9ebdf", "#17513f"},
                                          {"p3", "#f0d6e6", "#61334f"},
                                          {"p4", "#dfe2e6", "#3b434c"},
                                          {"p5", "#f2e2bd", "#5c4513"},
                                          {"p6", "#e3d8f3", "#453466"},
                                          {"p7", "#e9e7b8", "#4a4710"},
                                          {"p8", "#e6e9ec", "#343b43"}}};
constexpr std::array<Colour, kRouteColours> kRoutes = {{{"r0", "#1b1f24", "#e8ecf0"},
                                                        {"r1", "#b23c00", "#ff9a5c"},
                                                        {"r2", "#00694c", "#4fd1a5"},
                                                        {"r3", "#8a2a63", "#f09ac8"},
                                                        {"r4", "#5b3fa8", "#c3a8ff"},
                                                        {"r5", "#6b4e00", "#e8c15a"},
                                                        {"r6", "#c2185b", "#ff7bb8"},
                                                        {"r7", "#3f6600", "#a8d65c"},
                                                        {"r8", "#8c1d18", "#ff8a80"},
                                                        {"r9", "#004f5c", "#6fd3e0"},
                                                        {"r10", "#7a3b00", "#e0a878"},
                                                        {"r11", "#54606c", "#b4bfca"}}};
// No level lies where neither dark nor light text is readable.
constexpr std::array<Colour, kShades> kRamp = {{{"h0", "#f1f6fb", "#1d2731"},
                                                {"h1", "#dfebf6", "#22303e"},
                                                {"h2", "#cadef0", "#283d51"},
                                                {"h3", "#abcfe8", "#2d4b66"},
                                                {"h4", "#88bddf", "#335a7d"},
                                                {"h5", "#62a7d3", "#3a6a94"},
                                                {"h6", "#2f72ad", "#6ea6d4"},
                                                {"h7", "#1f5f9b", "#8abce2"},
                                                {"h8", "#134b82", "#a9cfed"},
                                                {"h9", "#0b3463", "#cbe3f6"}}};
constexpr std::size_t kFirstDark = 6;
constexpr Colour kOnDark{"on", "#ffffff", "#0d1014"};

double luminance(std::string_view colour) {
  double sum = 0;
  constexpr std::array<double, 3> kWeights = {.2126, .7152, .0722};
  for (std::size_t i = 0; i < 3; ++i) {
    int value = 0;
    std::from_chars(colour.data() + 1 + 2 * i, colour.data() + 3 + 2 * i, value, 16);
    const double c = value / 255.0;
    sum += kWeights[i] * (c <= .04045 ? c / 12.92 : std::pow((c + .055) / 1.055, 2.4));
  }
  return sum;
}

void add_rules(const Colour& colour, std::string& rules) {
  rules += fmt::format(".f-{0}{{fill:{1}}}.s-{0}{{stroke:{1}}}\n", colour.name, colour.dark);
}

}  // namespace

const Colour& series_colour(std::size_t index) {
  return kSeries[index % kSeries.size()];
}

const Colour& route_colour(std::size_t index) {
  return kRoutes[index % kRoutes.size()];
}

const Colour& shade(std::size_t level) {
  return kRamp[std::min(level, kShades - 1)];
}

const Colour& ink_on_shade(std::size_t level) {
  return level < kFirstDark ? kInk : kOnDark;
}

const Colour& pale(std::size_t index) {
  return index == kPale.size() - 1 ? kPale.back() : kPale[index % (kPale.size() - 1)];
}

int answer_colour(std::string_view kind) {
  return kind == "deploy" ? 2 : kind == "learn" ? 0 : kind == "experiment" ? 1 : kind == "undecided" ? 8 : -1;
}

double contrast(std::string_view a, std::string_view b) {
  const double one = luminance(a), two = luminance(b);
  return (std::max(one, two) + .05) / (std::min(one, two) + .05);
}

std::string dark_rules() {
  std::string rules;
  for (const Colour& one : {kSurface, kInk, kQuiet, kAxis, kGrid, kOnDark}) add_rules(one, rules);
  for (const Colour& one : kSeries) add_rules(one, rules);
  for (const Colour& one : kPale) add_rules(one, rules);
  for (const Colour& one : kRoutes) add_rules(one, rules);
  for (const Colour& one : kRamp) add_rules(one, rules);
  return rules;
}

}  // namespace mindgap::report
