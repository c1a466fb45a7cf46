#include "mindgap/report/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mindgap/base/error.h"
#include "mindgap/report/figure_json.h"

namespace mindgap::report::spec {

Json cell(const std::string& text) {
  if (text.empty()) return nullptr;
  const std::optional<double> number = number_in(text);
  if (!number) return text;
  // Whole numbers without a point, as they were.
  if (std::abs(*number) < 1e15 && *number == std::floor(*number)) return static_cast<std::int64_t>(*number);
  return *number;
}

std::size_t column(const Words& words, const Table& table, const std::string& name) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  if (found == table.columns.end()) {
    throw InvalidArgument(fmt::format(
        "chart '{}': there is no column '{}'; there are: {}", base::printable(words.id),
        base::printable(name), base::printable(fmt::format("{}", fmt::join(table.columns, ", ")), 200)));
  }
  return static_cast<std::size_t>(found - table.columns.begin());
}

std::vector<std::string> distinct(const Table& table, std::size_t at) {
  std::vector<std::string> values;
  std::set<std::string> seen;
  for (const auto& row : table.rows) {
    if (!row[at].empty() && seen.insert(row[at]).second) values.push_back(row[at]);
  }
  return values;
}

Json domain(const Table& table, std::size_t at) {
  Json values = Json::array();
  for (const std::string& value : distinct(table, at)) values.push_back(cell(value));
  return values;
}

Extent extent(const Words& words, const Table& table, const std::string& name) {
  const std::size_t at = column(words, table, name);
  bool any = false;
  Extent found;
  for (const auto& row : table.rows) {
    const std::optional<double> value = number_in(row[at]);
    if (!value) continue;
    found.least = any ? std::min(found.least, *value) : *value;
    found.largest = any ? std::max(found.largest, *value) : *value;
    any = true;
  }
  if (!any)
    throw InvalidArgument(fmt::format("chart '{}': column '{}' has no number", base::printable(words.id),
                                      base::printable(name)));
  return found;
}

std::string field(const std::string& name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '.' || c == '[' || c == ']' || c == '\\' || c == '\'' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string title(const Axis& axis) {
  return axis.title.empty() ? axis.column : axis.title;
}

Json numbers(const Table& table, const Axis& axis, int ticks) {
  Json scale = {{"zero", axis.zero}, {"nice", true}};
  if (axis.log) scale = {{"type", "log"}, {"nice", false}};
  Json encoding = {
      {"field", field(axis.column)}, {"type", "quantitative"}, {"title", title(axis)}, {"scale", scale}};
  const auto found = std::find(table.columns.begin(), table.columns.end(), axis.column);
  const Json values = domain(table, static_cast<std::size_t>(found - table.columns.begin()));
  encoding["axis"] = axis.log && values.size() <= 10 ? Json{{"values", values}} : Json{{"tickCount", ticks}};
  return encoding;
}

Json places(const Table& table, const std::string& name, const std::string& heading) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  return {{"field", field(name)},
          {"type", "nominal"},
          {"sort", domain(table, static_cast<std::size_t>(found - table.columns.begin()))},
          {"title", heading.empty() ? Json() : Json(heading)}};
}

Json in_lines(const Table& table, Json encoding, const std::string& name) {
  constexpr std::size_t kLong = 34;
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  const auto values = distinct(table, static_cast<std::size_t>(found - table.columns.begin()));
  const bool any = std::any_of(values.begin(), values.end(),
                               [](const std::string& value) { return value.size() > kLong; });
  if (any) encoding["axis"] = {{"labelExpr", "split(datum.label, ', ')"}};
  return encoding;
}

Json by_series(const Table& table, const std::string& name) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  return {{"field", field(name)},
          {"type", "nominal"},
          {"title", nullptr},
          {"scale", {{"domain", domain(table, static_cast<std::size_t>(found - table.columns.begin()))}}}};
}

Json by_rank(Json encoding, const Json& range) {
  encoding["type"] = "ordinal";
  encoding["sort"] = encoding["scale"]["domain"];
  return with_range(std::move(encoding), range);
}

Json with_range(Json encoding, const Json& range) {
  encoding["scale"]["range"] = range;
  return encoding;
}

Json dashes(std::size_t count) {
  static const std::vector<std::vector<int>> kinds = {
      {1, 0}, {7, 3}, {2, 2}, {8, 2, 2, 2}, {12, 3}, {4, 4}, {1, 3}, {10, 2, 2, 2, 2, 2}, {5, 1}};
  Json all = Json::array();
  for (std::size_t i = 0; i < count; ++i) all.push_back(kinds[i % kinds.size()]);
  return all;
}

Json tooltip(const Table& table) {
  Json all = Json::array();
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    Json one = {{"field", field(table.columns[c])}, {"title", table.columns[c]}};
    one["type"] = "nominal";
    all.push_back(one);
  }
  return all;
}

void add_references(const std::vector<Reference>& at, const char* channel, Json& layers) {
  const Json once = {{"values", Json::array({Json::object()})}};
  for (const Reference& one : at) {
    const Json place = {{"datum", one.at}, {"type", "quantitative"}};
    layers.push_back({{"data", once},
                      {"mark", {{"type", "rule"}, {"strokeDash", {4, 3}}, {"tooltip", nullptr}}},
                      {"encoding", {{channel, place}}}});
    if (one.label.empty()) continue;
    Json mark = {{"type", "text"}, {"align", "left"}, {"text", one.label}, {"fill", "#55606b"}};
    if (*channel == 'x') {
      mark.update({{"y", 0}, {"dx", 4}, {"dy", 8}});
    } else {
      mark.update({{"x", 0}, {"dx", 4}, {"dy", -6}});
    }
    layers.push_back({{"data", once}, {"mark", mark}, {"encoding", {{channel, place}}}});
  }
}

Figure figure(const Words& words, const Table& table, Json layers, int height, const std::string& panel) {
  const Json data = {{"name", words.id}};
  Json spec = {{"data", data}};
  if (panel.empty()) {
    spec["height"] = height;
    spec["layer"] = std::move(layers);
  } else {
    const std::size_t at = column(words, table, panel);
    const std::vector<std::string> names = distinct(table, at);
    std::size_t longest = 0;
    for (const std::string& name : names) longest = std::max(longest, name.size());
    // A panel is wide enough for its name.
    const int least = std::clamp(40 + 7 * static_cast<int>(longest), 160, 260);
    spec["usermeta"] = {{"panels", names.size()}, {"panel", least}};
    spec["facet"] = places(table, panel, "");
    spec["resolve"] = {{"axis", {{"x", "independent"}}}};  // or empty places would have axes
    spec["spec"] = {{"height", height}, {"layer", std::move(layers)}};
  }
  return {words.id, words.title, words.caption, words.description, spec.dump(), {{words.id, table}}};
}

}  // namespace mindgap::report::spec
