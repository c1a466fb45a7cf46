#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mindgap/report/charts.h"

// What the charts share: pieces of Vega-Lite.
namespace mindgap::report::spec {

using Json = nlohmann::ordered_json;

/// A cell as the page's data has it: a number where it is one, null where it is empty, else text.
Json cell(const std::string& text);

/// Place of a column; throws InvalidArgument that names the chart, the column and those there are.
std::size_t column(const Words& words, const Table& table, const std::string& name);
/// The distinct values of a column, in order of appearance; empty cells left out.
std::vector<std::string> distinct(const Table& table, std::size_t column);
/// The same as data.
Json domain(const Table& table, std::size_t column);
/// Of the cells that are numbers; throws InvalidArgument where there is none.
struct Extent {
  double least = 0, largest = 0;
};
Extent extent(const Words& words, const Table& table, const std::string& column);

/// A column's name as Vega-Lite reads fields: points and brackets are part of the name.
std::string field(const std::string& column);
std::string title(const Axis& axis);
/// {"field", "type", "title", "scale", "axis"} of numbers, with about as many ticks as asked for; on a scale
/// of logarithms at the values themselves where they are few.
Json numbers(const Table& table, const Axis& axis, int ticks = 8);
/// {"field", "type": "nominal", "sort", "title"} in order of appearance.
Json places(const Table& table, const std::string& column, const std::string& title);
/// The same with long names in several lines, cut at commas.
Json in_lines(const Table& table, Json encoding, const std::string& column);
/// Colour, shape or dash by series: {"field", "type", "scale": {"domain"[, "range"]}}.
Json by_series(const Table& table, const std::string& column);
Json with_range(Json encoding, const Json& range);
/// The same for what has an order: opacity, thickness.
Json by_rank(Json encoding, const Json& range);
/// Dashes that differ, the first solid; as many as asked for.
Json dashes(std::size_t count);
/// Every column, with the full text.
Json tooltip(const Table& table);
/// Rules and their labels at given values: `channel` is "x" or "y".
void add_references(const std::vector<Reference>& at, const char* channel, Json& layers);

/// The figure of a specification whose first data is `table`; empty `panel`: one picture.
Figure figure(const Words& words, const Table& table, Json layers, int height, const std::string& panel);

}  // namespace mindgap::report::spec
