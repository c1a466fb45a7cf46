#include "mindgap/report/figure_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "mindgap/base/error.h"
#include "mindgap/report/spec.h"

namespace mindgap::report {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const Figure& figure, const std::string& problem) {
  throw InvalidArgument(fmt::format("figure '{}': {}", base::printable(figure.id), problem));
}

bool all_of_set(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

Json parsed(const Figure& figure) {
  Json spec = Json::parse(figure.spec, nullptr, false);
  if (!spec.is_object()) refuse(figure, "the specification is no JSON object");
  return spec;
}

// Every {"data": {"name": ...}} is one of the figure's, and nothing is loaded from anywhere.
void check_sources(const Figure& figure, const std::set<std::string>& names, const Json& at) {
  if (at.is_array()) {
    for (const Json& each : at) check_sources(figure, names, each);
  }
  if (!at.is_object()) return;
  for (const auto& [key, value] : at.items()) {
    if (key == "url" || key == "href")
      refuse(figure, fmt::format("the specification has a key '{}': a page loads nothing", key));
    if (key == "data" && value.is_object() && value.contains("name")) {
      const Json& name = value["name"];
      if (!name.is_string() || names.count(name.get<std::string>()) == 0)
        refuse(figure, fmt::format("the specification names data {} that is not there",
                                   base::printable(name.dump(-1, ' ', true))));
    }
    check_sources(figure, names, value);
  }
}

Json data_json(const Dataset& dataset) {
  Json rows = Json::array();
  for (const auto& row : dataset.table.rows) {
    Json cells = Json::array();
    for (const std::string& cell : row) cells.push_back(spec::cell(cell));
    rows.push_back(std::move(cells));
  }
  return {{"name", dataset.name}, {"columns", dataset.table.columns}, {"rows", std::move(rows)}};
}

}  // namespace

std::optional<double> number_in(const std::string& cell) {
  const char* begin = cell.data();
  const char* end = begin + cell.size();
  if (begin != end && *begin == '+') ++begin;
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  if (begin != cell.data() && *begin == '-') return std::nullopt;
  return value;
}

void check_figure(const Figure& figure) {
  if (!all_of_set(figure.id, "abcdefghijklmnopqrstuvwxyz0123456789-"))
    refuse(figure, "an id is made of a-z, 0-9 and -");
  std::set<std::string> names;
  for (const Dataset& dataset : figure.data) {
    if (!all_of_set(dataset.name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ||
        dataset.name.front() == '.')
      refuse(figure, fmt::format("'{}' is no name for data: letters, digits, - and _",
                                 base::printable(dataset.name)));
    if (!names.insert(dataset.name).second)
      refuse(figure, fmt::format("two datasets have the name '{}'", dataset.name));
    const std::size_t wanted = dataset.table.columns.size();
    for (const auto& row : dataset.table.rows) {
      if (row.size() != wanted)
        refuse(figure, fmt::format("a row of '{}' has {} cells, but there are {} columns", dataset.name,
                                   row.size(), wanted));
    }
  }
  check_sources(figure, names, parsed(figure));
}

std::string figure_json(const Figure& figure) {
  Json json = {{"spec", parsed(figure)}, {"data", Json::array()}};
  for (const Dataset& dataset : figure.data) json["data"].push_back(data_json(dataset));
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  for (const char c : text) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

}  // namespace mindgap::report
